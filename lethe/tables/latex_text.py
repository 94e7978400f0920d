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
_POINTS = {
    **dict.fromkeys("ilI.,:;'!|[]‘’", 2.4),
    **dict.fromkeys("ft -", 3.0),
    **dict.fromkeys("rs()", 3.4),
    **dict.fromkeys("cez", 3.9),
    **dict.fromkeys("0123456789agovxyk/“”–κα", 4.5),
    **dict.fromkeys("SJ", 5.0),
    **dict.fromkeys("w+−±×<>=→ABCDEFGHKLNOPQRTUVXYZ", 6.6),
    **dict.fromkeys("mM%ΔW@", 8.2),
}
"""Widths in points of Computer Modern in footnotesize, where normal type is of ten points; other faces are narrower."""
_LETTER_PT, _CODE_POINT_PT, _TYPEWRITER_PT = 4.8, 27.0, 4.3


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
    return _TYPEWRITER_PT * len(text) if typewriter else sum(map(_points, text))


def _points(character: str) -> float:
    return _POINTS.get(character, _LETTER_PT if _is_set(character) else _CODE_POINT_PT)


def _is_set(character: str) -> bool:
    return character in _SPECIALS or character < "\u0180" or character in _TYPESET


def _character(character: str) -> str:
    """A character as LaTeX source; one of a script that pdflatex does not set stands by its code point."""
    if character in _SPECIALS:
        return _SPECIALS[character]
    return character if _is_set(character) else rf"\texttt{{U+{ord(character):04X}}}"
