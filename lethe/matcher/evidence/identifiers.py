"""Codes and addresses in canonical form: how each of a request stands in a memory (paper, `identifier_obfuscation`)."""

import enum
import functools
import re
from dataclasses import dataclass

from rapidfuzz.distance import DamerauLevenshtein

from lethe.matcher.evidence.tables import table
from lethe.matcher.evidence.words import clean, fold, key

_SIGN = r" ?(?:\({0}\)|\[{0}\]|\{{{0}\}}|<{0}>) ?"
_DEFANGED = (
    (re.compile(_SIGN.format(r"(?:dot|punkt|punto|point|\.)"), re.IGNORECASE), "."),
    (re.compile(r"(?<=\w)" + _SIGN.format("(?:at|@)") + r"(?=[\w-]+(?:\.| dot ))", re.IGNORECASE), "@"),
    (re.compile(r"(?<=\w) at (?=[\w-]+ dot )|(?<=\w) @ (?=\w)", re.IGNORECASE), "@"),
    (re.compile(r"(?<=\w) dot (?=\w)", re.IGNORECASE), "."),
    (re.compile(r"\b(?:hxxps?|https?|ftp)://(?:www\.)?|\bwww\.(?=\w)|(?<=\w)/index\.html?\b|:443\b|:80\b", re.I), ""),
    (re.compile(r"\(0\)"), ""),
)
_DIGIT_OF = {word: digit for digit, word in enumerate(table("identifiers", "digits").split())} | {"oh": 0}
_SPOKEN = re.compile(rf"\b(?:{'|'.join(_DIGIT_OF)})(?:[ ,-]{{1,2}}(?:{'|'.join(_DIGIT_OF)}))+\b", re.IGNORECASE)
_ATOM = re.compile(r"[^\W_]+")
_RUN = re.compile(r"\d+|[^\W\d]+")
_CODE = re.compile(r"[@#+]?[^\W_]+(?:(?:[-_.:·|#&+@/\\]|(?<=\d) (?=\d{2,}))+[^\W_]+)*")
_GAP = re.compile(r"(?:[-_./:·|#&+@()\\ ]|, ){1,3}")
_TIGHT = re.compile(r"[-_./:·|#&+@\\]{1,3}")
_COUNTRY = re.compile(r"\+\d+\W{0,3}$")
_EXTENDED = re.compile(r",? ?(?:ext(?:ension)?\.? ?|x)\d|[ -]\d")
_CONFUSABLE = str.maketrans("асеорхукмтвАСЕОРХУКМТВ", "aceopxykmtbACEOPXYKMTB")
_LABEL = re.compile(r"([^\W\d_]+)(?:'s)?[\s.:#=-]*(?:no\.? |nr\.? |number |#)?$", re.IGNORECASE)
_NO_LABEL = frozenset(table("identifiers", "no_labels").split())
_NEAR = 40
"""How far before a code the word for what it numbers may begin, in characters."""
_LONG = 4
"""Fewest letters and digits of a code that stands for one thing wherever it is written."""
_ALIKE = 2
"""Most slips of the pen between a code and its look-alike."""


class Match(enum.IntEnum):
    """How a code stands in a memory, the surest first."""

    SAME = 0
    UNLABELLED = 1
    """The same number, where one of both sides does not say what it numbers."""
    RELABELLED = 2
    """The same number of another kind of thing."""
    ALIKE = 3
    """Only a look-alike: a longer or shorter one, or one that differs by a slip."""
    OTHER = 4
    ABSENT = 5
    """The memory has no code at all."""


@dataclass(frozen=True, slots=True)
class Code:
    """A code of a text.

    Attributes:
        form: its letters and digits, in canonical form.
        label: key of the word before it, "" where none says what it numbers.
        is_long: it stands for one thing wherever it is written.
    """

    form: str
    label: str
    is_long: bool

    @property
    def digits(self) -> str:
        return "".join(filter(str.isdigit, self.form))


@functools.lru_cache(maxsize=8192)
def plain(text: str) -> str:
    """A text in one encoding: `example[.]com` and `hxxp://` as they are meant, spelled-out digits as digits."""
    text = clean(text)
    for pattern, meant in _DEFANGED:
        text = pattern.sub(meant, text)
    return _SPOKEN.sub(_in_digits, text)


def _in_digits(found: "re.Match[str]") -> str:
    words = re.findall(r"\w+", found[0].lower())
    return "".join(str(_DIGIT_OF[word]) for word in words) if len(words) > 2 else found[0]


@functools.lru_cache(maxsize=8192)
def codes(text: str) -> tuple[Code, ...]:
    """The codes and addresses of a plain text: words with a digit or an address's sign, and what signs join to them."""
    found = []
    for span in _CODE.finditer(text):
        if not (
            any(letter.isdigit() for letter in span[0]) or re.search(r"[^\W_][@/\\_][^\W_]|\w\.[^\W\d_]{2,}", span[0])
        ):
            continue
        before = _LABEL.search(text, max(0, span.start() - _NEAR), span.start())
        label = key(before[1]) if before and before[1].lower() not in _NO_LABEL else ""
        form = _form(span[0])
        found.append(Code(form, label, len(form) >= _LONG and (not form.isdigit() or not _is_date(form))))
    return tuple(found)


def _is_date(digits: str) -> bool:
    return len(digits) == _LONG and digits[:2] in ("19", "20")


@functools.lru_cache(maxsize=16384)
def _form(written: str) -> str:
    """Letters and digits alone, folded, without the zeros that a number begins with."""
    form, before = "", ""
    for run in _RUN.findall(fold(written.translate(_CONFUSABLE)).replace("_", " ")):
        is_led = run.isdigit() and not before.isdigit()
        form += (run.lstrip("0") or "0") if is_led else run
        before = run[-1]
    return form


def stands(code: Code, memory: str) -> Match:
    """How a code of a request stands in a plain memory."""
    if _holds(code, memory):
        return Match.SAME
    others = codes(memory)
    return min((_compared(code, other) for other in others), default=Match.ABSENT)


@functools.lru_cache(maxsize=65536)
def _holds(code: Code, memory: str) -> bool:
    """Whether a long code stands in a memory, in any notation, and is not part of a longer one."""
    if not code.is_long:
        return False
    atoms = list(_ATOM.finditer(memory))
    for first, atom in enumerate(atoms):
        if first and _TIGHT.fullmatch(memory, atoms[first - 1].end(), atom.start()) and not _ends_label(memory, atom):
            continue
        end, form = first, _form(atom[0])
        while _may_begin(code, form):
            abroad = form != code.form and _COUNTRY.search(memory, max(0, atom.start() - 8), atom.start())
            if _is_same(form, code.form) and not _goes_on(memory, atoms, end, code) and not abroad:
                return True
            end += 1
            if end == len(atoms) or not _GAP.fullmatch(memory, atoms[end - 1].end(), atoms[end].start()):
                break
            form = _form(memory[atom.start() : atoms[end].end()])
    return False


def _may_begin(code: Code, form: str) -> bool:
    """Whether a code may begin so; a telephone number may lack its country."""
    is_phone = code.form.isdigit() and form.isdigit() and max(len(form), len(code.form)) > 9
    return code.form.startswith(form) or (is_phone and code.form.find(form) in (1, 2, 3))


def _ends_label(memory: str, atom: "re.Match[str]") -> bool:
    """Whether what joins a code to the word before it is the sign of a field ("ticket=4412", "CRM#4412", "tel:+44")."""
    return memory[atom.start() - 1] in "#:|+" or memory[atom.start() - 2 : atom.start()] in (": ", "//")


def _is_same(one: str, other: str) -> bool:
    """Whether two forms are one code, or one telephone number with and without its country."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    return (
        short.isdigit()
        and long.isdigit()
        and len(short) >= 9
        and 1 <= len(long) - len(short) <= 3
        and long.endswith(short)
    )


def _goes_on(memory: str, atoms: "list[re.Match[str]]", end: int, code: Code) -> bool:
    """Whether a code goes on behind its last atom."""
    at = atoms[end].end()
    if end + 1 < len(atoms) and _TIGHT.fullmatch(memory, at, atoms[end + 1].start()):
        return memory[at] not in ":|"
    return code.form.isdigit() and _EXTENDED.match(memory, at) is not None


@functools.lru_cache(maxsize=65536)
def _compared(code: Code, other: Code) -> Match:
    """How a code stands to one that a memory has."""
    if code.form == other.form and not code.is_long:
        return _by_label(code.label, other.label) if code.form.isdigit() else Match.SAME
    short, long = sorted((code.form, other.form), key=len)
    if short.isdigit() and code.digits == other.digits and long.endswith(short) and short != long:
        return Match.UNLABELLED
    slips = DamerauLevenshtein.distance(short, long, score_cutoff=_ALIKE)
    return (
        Match.ALIKE
        if long.startswith(short) or long.endswith(short) or (len(short) > _ALIKE and slips <= _ALIKE)
        else Match.OTHER
    )


def _by_label(one: str, other: str) -> Match:
    if not one or not other:
        return Match.UNLABELLED
    return Match.SAME if one == other or _shortens(one, other) else Match.RELABELLED


def _shortens(one: str, other: str) -> bool:
    """Whether a label abbreviates the other ("inc" for "incident", "rm" for "room")."""
    short, long = sorted((one, other), key=len)
    letters = iter(long)
    return short[0] == long[0] and all(letter in letters for letter in short)
