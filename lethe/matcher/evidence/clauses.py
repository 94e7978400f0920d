"""The clauses of a memory: where its text can be cut, and the text of those that stay."""

import functools
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from lethe.matcher.evidence.tables import table
from lethe.matcher.evidence.text.syntax import starts_with_verb, subject, verb_position

_CUT = re.compile(
    r"""(?P<line>\s*\n+\s*)
    | (?<=[.!?])["')]?(?P<sentence>\s+)(?=["'(]?[^\W_a-z])
    | (?P<full>(?<=[。！？])\s*)
    | (?P<field>\s*\|\s*|(?<=\w),\s*(?=["']?[\w ]{1,24}["']?\s*[:=]\s*["']?\w)|;\s*(?=\w+=))
    | (?P<semicolon>;\s+|；)
    | (?P<dash>\s+[-–—]+\s+|\s+/\s+)
    | (?P<bracket>\s+(?=[(\[])|(?<=[)\]])\s+|(?<=[)\]])(?=[,;])\s*)
    | (?P<label>(?<=[^\W\d]):\s+)
    | (?P<relative>,?\s+(?=(?:who|which|whose|where)\b))
    | (?P<joined>,?\s+(?=(?:and|but|while|whereas|because|although|though|plus|yet|as\ well\ as)\s))
    | (?P<abroad>,?\s+(?=(?:und|y|et|och|og|ve|și|és|и|και|а|але|но|aber|pero|mais|maar|ma)\s\S+\s\S+\s))
    | (?P<comma>,\s+|[、，]\s*)
    """,
    re.VERBOSE,
)
KINDS = table("clauses", "kinds")  # fmt: skip
"""How a clause hangs together with what stands before it."""
_NO_END = re.compile(r"(?:\b(?:Dr|Mr|Mrs|Ms|St|Prof|No|nos?|Nr|e\.g|i\.e|etc|vs|approx|[A-Z])\.)$")
_OPENING = re.compile(
    r"^(?:(?:and|but|while|whereas|plus|yet|though|although|as well as|und|y|et|och|и)\s+)+", re.IGNORECASE
)
_RELATIVE = re.compile(r"^(?:who|which|where)\s+", re.IGNORECASE)
_POSSESSIVE = re.compile(r"^whose\s+", re.IGNORECASE)
_LEAST = 2
"""Fewest letters and digits of a clause; shorter ones belong to the one before."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a memory.

    Attributes:
        start, end: its place in the memory.
        text: its words.
        kind: one of KINDS.
        head: the words before it that it needs to be a sentence: a subject, or a label with its colon.
    """

    start: int
    end: int
    text: str
    kind: str
    head: str = ""


@functools.lru_cache(maxsize=4096)
def clauses(memory: str) -> tuple[Clause, ...]:
    """The clauses of a memory, in order; one for a memory that cannot be cut."""
    found: list[Clause] = []
    start, kind = 0, "first"
    for cut in _CUT.finditer(memory):
        own = cut.lastgroup or "comma"
        piece = memory[start : cut.start()]
        if own == "sentence" and _NO_END.search(memory[: cut.start()]):
            continue
        if sum(letter.isalnum() for letter in piece) < _LEAST or _opens_list(memory, cut):
            continue
        found.append(Clause(start, cut.start(), piece, kind))
        start, kind = cut.end(), own
    rest = memory[start:]
    if sum(letter.isalnum() for letter in rest) >= _LEAST or not found:
        found.append(Clause(start, len(memory), rest, kind))
    return tuple(_headed(found))


def _headed(found: "list[Clause]") -> Iterator[Clause]:
    """The clauses without mere subjects and labels, which become heads of those after them in the sentence."""
    head = ""
    for number, piece in enumerate(found):
        behind = found[number + 1].kind if number + 1 < len(found) else ""
        if piece.kind in _OPENS:
            head = ""
        if not head and piece.kind in _OPENS:
            if behind == "label":
                head = f"{piece.text.strip()}:"
                continue
            if behind in _INSERTED and verb_position(piece.text) is None:
                head = piece.text.strip()
                continue
            head = subject(piece.text)
            yield piece
            continue
        yield replace(piece, head=head)


_OPENS = ("first", "line", "sentence", "full", "semicolon")
_INSERTED = ("relative", "bracket", "dash", "comma")


def _opens_list(memory: str, cut: "re.Match[str]") -> bool:
    """Whether a comma only divides a number or a date, or a word for "and" two single words."""
    return cut.lastgroup == "joined" and verb_position(memory[cut.end() :].split(",")[0]) is None


def staying(memory: str, out: Collection[int]) -> str:
    """The text of a memory without some of its clauses, as sentences; clauses that stood together stay so."""
    pieces = clauses(memory)
    runs: list[list[Clause]] = []
    before = -2
    for number, piece in enumerate(pieces):
        if number in out:
            continue
        if number != before + 1 or not runs:
            runs.append([])
        runs[-1].append(piece)
        before = number
    return " ".join(filter(None, (_sentence(memory[run[0].start : run[-1].end], run[0]) for run in runs)))


def _sentence(text: str, first: Clause) -> str:
    """A text as a sentence of its own, with the subject or label that it needs."""
    bare, head = text.strip(" ,;|–—-"), first.head
    if first.kind not in _OPENS:
        bare = _OPENING.sub("", bare)
        inner = bare[1:-1] if bare[:1] in "([" and bare[-1:] in ")]" else bare
        if (
            first.kind in _INSERTED
            and head
            and head[-1] != ":"
            and verb_position(f"it {inner}") is None
            and not _RELATIVE.match(inner)
        ):
            return f"{head} {bare}." if inner != bare else f"{head}, {bare.rstrip('.')}."
        bare = inner
    if head.endswith(":"):
        bare = f"{head} {bare}"
    elif head:
        owned = _POSSESSIVE.sub(f"{head}'s ", bare)
        lost = _RELATIVE.sub("", owned)
        is_own = owned != bare or (lost == bare and not starts_with_verb(lost) and verb_position(lost) is not None)
        bare = lost if is_own else f"{head} {lost}"
    if not bare:
        return ""
    bare = bare if first.kind == "field" else bare[0].upper() + bare[1:]
    return bare if bare[-1] in ".!?。！？" else bare + "."
