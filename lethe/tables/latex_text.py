"""Text as LaTeX source, and about how wide it is set."""

_SPECIALS = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "`": r"\textasciigrave{}",
    # A bracket at the start of a row would be read as an argument of the rule before it.
    "[": "{[}",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "Δ": r"$\Delta$",
    "−": "$-$",
    "–": "--",
    "±": r"$\pm$",
    "×": r"$\times$",
    "κ": r"$\kappa$",
    "α": r"$\alpha$",
    "χ": r"$\chi$",
    "→": r"$\to$",
}
_TYPESET = frozenset("“”‘’…²·•†")
"""Characters beyond Latin that pdflatex sets without further packages."""
_EM_PT = 8.5
"""An em of footnotesize type where normal type is of ten points."""
_EMS = {
    **dict.fromkeys("iljI.,:;'!|[]()‘’ ", 0.32),
    **dict.fromkeys("ftrs/-", 0.4),
    **dict.fromkeys("0123456789aceginozkvxy", 0.5),
    **dict.fromkeys("mw", 0.83),
    **dict.fromkeys("MW%Δ@", 0.95),
    **dict.fromkeys("+−±×<>=→κ", 0.78),
}
_CAPITAL_EM, _LETTER_EM, _CODE_POINT_EM = 0.74, 0.56, 3.2
_TYPEWRITER_EM = 0.525


def escape_latex(text: str) -> str:
    """Plain text as LaTeX source."""
    # Two hyphens would be set as a dash.
    return "-{}-".join("".join(map(_character, part)) for part in text.split("--"))


def escape_identifier(text: str) -> str:
    """An identifier or quotation as LaTeX source, in typewriter type; it may be broken after _, -, + and /."""
    source = escape_latex(text)
    for mark in (r"\_", "-", "+", "/"):
        source = source.replace(mark, rf"{mark}\allowbreak{{}}")
    return rf"\texttt{{{source}}}"


def width_pt(text: str, *, typewriter: bool = False) -> float:
    """About how wide a line of text is in footnotesize type, in points."""
    return _EM_PT * (_TYPEWRITER_EM * len(text) if typewriter else sum(map(_ems, text)))


def _ems(character: str) -> float:
    if character in _EMS:
        return _EMS[character]
    if not _is_set(character):
        return _CODE_POINT_EM
    return _CAPITAL_EM if character.isupper() else _LETTER_EM


def _is_set(character: str) -> bool:
    return character in _SPECIALS or character < "\u0180" or character in _TYPESET


def _character(character: str) -> str:
    """A character as LaTeX source; one of a script that pdflatex does not set stands by its code point."""
    if character in _SPECIALS:
        return _SPECIALS[character]
    return character if _is_set(character) else rf"\texttt{{U+{ord(character):04X}}}"
