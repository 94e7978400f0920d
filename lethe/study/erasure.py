"""The erasure audit judged: from what was found at each place of each level to a verdict, and their numbers.

What a system is documented to keep is data (`erasure_declared.yaml`): system to the levels and places, and who says so.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from lethe.parquet import Row

DATA_FILES = ("erasure_declared.yaml",)
LEVELS = ("A0", "A1", "A2", "A3", "A4", "A5", "A6")
FED_AGAIN = "A6 fed again"
"""The part of A6 that is counted on its own: to refuse a text for good is another thing than to erase it."""
SHOWN = (*LEVELS, FED_AGAIN)
GONE, PRESENT, UNTIL, DECLARED = "gone", "present", "present until compaction", "present and declared"
FAILED, LOST, NA, ERROR = "compaction failed", "bystander lost", "N/A", "error"
WORST_FIRST = (LOST, ERROR, FAILED, PRESENT, DECLARED, UNTIL, GONE, NA)
"""The verdict of a case at a level is the first of these that any place of it has."""
DECLARATIONS: dict[str, list[dict[str, Any]]] = yaml.safe_load(
    Path(__file__).with_name(DATA_FILES[0]).read_text(encoding="utf-8")
)
TRUE, FALSE, UNCHECKED = "true", "false", "unchecked"
"""What the files or the recalls say to what a store claims of its erasure."""
CLAIM = "claim"
_BEFORE, _BYSTANDER, _COMPACTION = "before", "bystander", "compaction"
_EXAMINATION, _SENTENCE = "examination", "sentence"
_OF_PART = {
    "A0": [("A3", _EXAMINATION), ("A4", _EXAMINATION)],
    "A5": [("A6", "fed again"), *((level, _EXAMINATION) for level in ("A6", "A1", "A2"))],
}
"""What a part of a case looks at after the level under which stands that it broke."""
_TRACES = ("text", _SENTENCE, "token", "vector")
_RECALLS = ("A0", "A1", "A2")
_SAYS_LEFT = "says left"
_PLAIN = {"absent": GONE, "found": PRESENT, "na": NA, "error": ERROR, "failed": FAILED}
_CASE, _SYSTEM = ("system", "model", "rows", "case_id"), ("system", "model", "rows")
_RANDOM_NAME = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[01]{24}[0-9a-f]{26}\b")
"""A UUID, also as Lance names its files by one, the first 24 bits as such."""

Verdict = tuple[str, list[str]]


def verdict_rows(records: Iterable[Row]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.ERASURE_VERDICTS`, in the records' order."""
    return [verdict for found in _by_case(records) for verdict in _judged(found)]


def score_rows(verdicts: Iterable[Row]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.ERASURE_SCORES`."""
    worst: dict[tuple[Any, ...], str] = {}
    for row in verdicts:
        level = FED_AGAIN if row["place"] == "fed again" else row["level"]
        key = (*_key(row, _CASE), level)
        worst[key] = min(worst.get(key, NA), row["verdict"], key=WORST_FIRST.index)
    counted = Counter((*case[:3], level, verdict) for (*case, level), verdict in worst.items())
    columns = (*_SYSTEM, "level", "verdict")
    return [{**dict(zip(columns, key, strict=True)), "cases": cases} for key, cases in counted.items()]


def claim_rows(records: Iterable[Row]) -> list[dict[str, Any]]:
    """What each store claims of its erasure, as rows of `lethe.schemas.ERASURE_VERDICTS`: true, false or unchecked.

    That something is left, where nothing was found, stays unchecked: the detector may not see it.
    """
    return [
        {
            **{name: row[name] for name in (*_CASE, "level", "place")},
            "verdict": _checked(row, found),
            "detail": row["detail"],
        }
        for found in _by_case(records)
        for row in found.values()
        if row["place"] == CLAIM
    ]


def trace_rows(records: Iterable[Row]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.ERASURE_TRACES`."""
    counted = Counter(
        (*_key(row, _SYSTEM), row["level"], row["place"], trace)
        for row in records
        if row["outcome"] == "found" and row["level"] in LEVELS and row["place"] != _SENTENCE
        for trace in dict.fromkeys(_RANDOM_NAME.sub("UUID", trace) for trace in row["detail"] or [""])
    )
    columns = (*_SYSTEM, "level", "place", "trace")
    return [{**dict(zip(columns, key, strict=True)), "cases": cases} for key, cases in counted.items()]


_Found = Mapping[tuple[str, str], Row]
"""The records of a case, by level and place."""


def _by_case(records: Iterable[Row]) -> Iterable[_Found]:
    cases: dict[tuple[Any, ...], dict[tuple[str, str], Row]] = defaultdict(dict)
    for row in records:
        cases[_key(row, _CASE)][row["level"], row["place"]] = row
    return cases.values()


def _judged(found: _Found) -> Iterator[dict[str, Any]]:
    for (level, place), row in found.items():
        if level in LEVELS and place not in (_BYSTANDER, CLAIM) and not _says_nothing(row):
            verdict, detail = _verdict(row, found)
            columns = {name: row[name] for name in (*_CASE, "level", "place")}
            yield {**columns, "verdict": verdict, "detail": detail}
    for level, others in _OF_PART.items():
        broken = found.get((level, _EXAMINATION))
        if broken is not None:
            for other, place in others:
                if (other, place) not in found:
                    columns = {name: broken[name] for name in _CASE} | {"level": other, "place": place}
                    yield {**columns, "verdict": ERROR, "detail": broken["detail"]}


def _says_nothing(row: Row) -> bool:
    """A compaction that went well is judged by the files after it."""
    return bool(row["place"] == _COMPACTION and row["outcome"] not in ("na", "failed"))


def _verdict(row: Row, found: _Found) -> Verdict:
    level, place, outcome = row["level"], row["place"], row["outcome"]
    if outcome in ("na", "error"):
        return _PLAIN[outcome], row["detail"]
    if _is_lost(level, found):
        return LOST, ["the memory that had to survive was not recalled"]
    if level == "A4" and _outcome(found, level, _COMPACTION) == "failed":
        return FAILED, found[level, _COMPACTION]["detail"]
    if outcome == "absent":
        return _absent(level, place, found)
    compacted = _outcome(found, "A4", place) == "absent" and _outcome(found, "A4", _COMPACTION) != "failed"
    if level == "A3" and compacted:
        return UNTIL, row["detail"]
    return (DECLARED if _is_declared(row) else PRESENT), row["detail"]


def _checked(row: Row, found: _Found) -> str:
    """Whether it is so: by what was recalled at A0 to A2, or by what was found in the files at the claim's level."""
    if row["outcome"] == "error":
        return UNCHECKED
    in_files = row["detail"][0] == "files"
    levels, seen = ((row["level"],), "text") if in_files else (_RECALLS, "own text")
    looked = [each["outcome"] for (level, place), each in found.items() if level in levels and place != CLAIM]
    says_left, left = row["outcome"] == _SAYS_LEFT, "found" in looked
    if left:
        return TRUE if says_left else FALSE
    known = _outcome(found, _BEFORE, seen) == "found" and "absent" in looked
    return TRUE if known and not says_left else UNCHECKED


def _absent(level: str, place: str, found: _Found) -> Verdict:
    """Gone, if it was seen before."""
    if place in _TRACES and level != _BEFORE:
        if _outcome(found, _BEFORE, place) == "found":
            return GONE, []
        unseen = "no trace of this kind was seen before the purge"
        return (ERROR if place == "text" else NA), [unseen]
    if level in ("A0", "A1", "A5") and _outcome(found, _BEFORE, "own text") == "absent":
        return ERROR, ["it was not recalled before the purge either"]
    return GONE, []


def _is_lost(level: str, found: _Found) -> bool:
    """Whether the bystander was gone when it was last asked for, at this level or before."""
    asked = [_BEFORE, *LEVELS[: LEVELS.index(level) + 1]]
    outcomes = [_outcome(found, each, _BYSTANDER) for each in asked if (each, _BYSTANDER) in found]
    return bool(outcomes) and outcomes[-1] != "kept"


def _is_declared(row: Row) -> bool:
    """Whether the makers say so, and every trace is where they say."""
    entries = DECLARATIONS.get(row["system"].partition("+")[0], [])
    return any(
        row["level"] in entry["levels"]
        and row["place"] in entry["places"]
        and all(trace.startswith(tuple(entry["files"])) for trace in row["detail"])
        for entry in entries
    )


def _outcome(found: _Found, level: str, place: str) -> str:
    row = found.get((level, place))
    return "" if row is None else str(row["outcome"])


def _key(row: Row, columns: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(row[name] for name in columns)
