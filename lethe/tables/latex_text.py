"""Text as LaTeX source, and where its lines may be broken."""

import re

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
    "–": r"\textendash{}",
    "±": r"$\pm$",
    "×": r"$\times$",
    "κ": r"$\kappa$",
    "α": r"$\alpha$",
    "χ": r"$\chi$",
    "→": r"$\to$",
}
_TYPESET = frozenset("“”‘’…²·•†‡")
"""Characters beyond Latin that pdflatex sets without further packages."""
_UNSET = re.compile(r"[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9fĦħĸĿŀŉŦŧſ]")
"""Characters within Latin at which it stops; at a form feed, within an argument."""
_LONG = 12
"""A piece longer than this that is neither a number nor a word, such as a checksum, may be broken anywhere."""
_CODE = re.compile(r"[A-Za-z_]")
_WORD = re.compile(r"[^\w]*[A-Za-z]{1,20}[^\w]*")


def escape_latex(text: str) -> str:
    """Plain text as LaTeX source."""
    # Two hyphens would be set as a dash.
    return "-{}-".join("".join(map(_character, part)) for part in text.split("--"))


def breakable(text: str) -> str:
    """The same; its lines may be broken after the marks within a key, a path or a code too."""
    return r"\allowbreak{}".join(map(escape_latex, _pieces(text))).replace(r" \allowbreak{}", " ")


def identifier(text: str) -> str:
    """An identifier or quotation as LaTeX source, in typewriter type."""
    return rf"\texttt{{{breakable(text)}}}"


def is_set(text: str) -> bool:
    """Whether pdflatex sets each of its characters, and none stands by its code point."""
    return all(map(_is_set, text))


def _is_set(character: str) -> bool:
    if character < "\u0180":
        return _UNSET.match(character) is None
    return character in _SPECIALS or character in _TYPESET


def _pieces(text: str) -> list[str]:
    """The parts of a text between which a line may be broken, with the spaces and marks that they end with."""
    found = re.split(r"(?<=\s)(?=\S)|(?<=[/_+-])(?=[A-Za-z])|(?<=[a-z]\.)(?=[a-z])", text)
    return [part for piece in found for part in (piece if _is_code(piece) else [piece])]


def _is_code(piece: str) -> bool:
    return len(piece) > _LONG and _CODE.search(piece) is not None and _WORD.fullmatch(piece) is None


def _character(character: str) -> str:
    """A character as LaTeX source; one that pdflatex does not set stands by its code point."""
    if character in _SPECIALS:
        return _SPECIALS[character]
    return character if _is_set(character) else rf"\texttt{{U+{ord(character):04X}}}"
