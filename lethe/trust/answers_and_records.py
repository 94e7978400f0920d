"""What is kept of histories and of the erasure audit of a configuration, against what was asked of it, whether it ran
here or for the atlas."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product

from forgeteval.scoring.scorers import shows
from lethe.jobs.erasing import BEFORE, BYSTANDER, CLAIM, COMPACTION, READS, SAYS_GONE, SAYS_LEFT, TRACES
from lethe.parquet import Row
from lethe.schemas import LONG_ANSWERS, Table
from lethe.trust.differing_rows import shortened
from lethe.trust.trials import check_rows

_Place = tuple[str, str]
"""A level of the audit and what was asked or looked through there."""
_READS_BROKE, _NO_FILES, _NO_RESTART = ("A2", "reads"), ("A3", "files"), ("A5", "restart")
_COMPACTED, _EXAMINATION = ("A4", COMPACTION), "examination"
_ALWAYS = {
    *product((BEFORE,), ("own text", BYSTANDER)),
    *product(("A0",), ("question", "marker", BYSTANDER)),
    *product(("A1",), ("own text", "neighbour 1", "neighbour 2")),
    *product(("A6",), ("background work", "undo", "summary", "fed again", "second scope", BYSTANDER)),
}
_RESTARTED = {*product(("A5",), ("question", "own text", BYSTANDER))}
_OF_SYSTEM = {
    *product(("A1",), ("own text, search", "neighbour 1, search", "neighbour 2, search")),
    *product(("A3", "A4"), (CLAIM,)),
}
_OPTIONAL = {
    *_OF_SYSTEM,
    _COMPACTED,
    *product(("A0", "A5"), (_EXAMINATION,)),
}
_OUTCOMES: Mapping[str, Collection[str]] = {
    BYSTANDER: ("kept", "lost", "error"),
    CLAIM: (SAYS_GONE, SAYS_LEFT, "error"),
    COMPACTION: ("na", "failed"),
    "files": ("na",),
    "restart": ("na",),
    _EXAMINATION: ("error",),
    **dict.fromkeys(TRACES, ("found", "absent")),
}
_OUTCOMES_OF_OTHERS = ("found", "absent", "na", "error")
_WITH_REASON = ("na", "error", "failed", SAYS_GONE, SAYS_LEFT)


def check_answers(path: str, events: Sequence[Row], found: Sequence[Row], k: int) -> Iterator[str]:
    """One line for each answer of a configuration that no run on these long histories comes to."""
    asked = {(row["history"], row["question_id"]): row for row in events if row["question_id"] is not None}
    answered = {(row["history"], row["question_id"]) for row in found}
    if answered != asked.keys():
        more = len(answered - asked.keys())
        yield f"{path}: answers {len(answered) - more} of the {len(asked)} questions that were asked, and {more} others"
    yield from check_rows(path, found, LONG_ANSWERS, k)
    yield from shortened(path, _beyond_questions(path, asked, found), "answers that no run comes to")


def _beyond_questions(path: str, asked: Mapping[tuple[str, str], Row], found: Sequence[Row]) -> Iterator[str]:
    for row in found:
        question = asked.get((row["history"], row["question_id"]))
        if question is None:
            continue
        where, anchors, flags = f"{path}: {row['question_id']}", question["anchors"], row["present"]
        if len(row["recalled"]) > question["k"]:
            yield f"{where}: {len(row['recalled'])} texts recalled; the question is for {question['k']}"
        if len(flags) != len(anchors) and (flags or row["error"] is None):
            yield f"{where}: present: {len(flags)} flags; the question has {len(anchors)} memories"
        elif any(
            shows(row["recalled"], each["any_of"]) for each, flag in zip(anchors, flags, strict=False) if not flag
        ):
            yield f"{where}: present: says of a memory that was recalled that it is not there"


def check_replays(path: str, table: Table, steps: Iterable[Row], found: Sequence[Row]) -> Iterator[str]:
    """One line for each replay of a configuration that no run comes to, and for what is missing.

    Args:
        steps: what was told and mutated, each with its history; rows without an operation do not count.
    """
    told = defaultdict[str, Counter[str]](Counter)
    for row in steps:
        told[row["history"]].update([row["op"]] if row["op"] is not None else [])
    replayed = {row["history"] for row in found}
    if replayed != told.keys():
        more = len(replayed - told.keys())
        yield f"{path}: {len(replayed) - more} of the {len(told)} histories that were replayed, and {more} others"
    yield from check_rows(path, found, table)
    yield from shortened(path, _beyond_steps(path, told, found), "replays that no run comes to")


def _beyond_steps(path: str, told: Mapping[str, Counter[str]], found: Sequence[Row]) -> Iterator[str]:
    for row in found:
        if (ops := told.get(row["history"])) is None:
            continue
        for what, is_, gives in (
            ("memories inscribed", row["inscribed"], ops["inscribe"]),
            ("mutations", row["mutated"] + row["not_expressed"], ops.total() - ops["inscribe"]),
        ):
            if is_ > gives or (is_ < gives and row["error"] is None):
                yield f"{path}: {row['history']}: {is_} {what}; the history has {gives}"


def check_erasures(path: str, sizes: Collection[int], cases: Collection[str], found: Sequence[Row]) -> Iterator[str]:
    """One line for each record of a configuration that no audit of these cases comes to, and for what is missing."""
    by_case = defaultdict[tuple[int, str], dict[_Place, Row]](dict)
    for row in found:
        by_case[row["rows"], row["case_id"]][row["level"], row["place"]] = row
    wanted = set(product(sizes, cases))
    if by_case.keys() != wanted:
        more = len(by_case.keys() - wanted)
        yield f"{path}: {len(by_case) - more} of the {len(wanted)} cases of the audit, and {more} others"
    examined = [(f"{path}: {case}", by_case[size, case]) for size, case in sorted(by_case.keys() & wanted)]
    yield from shortened(path, _beyond_audit(examined), "records that no audit comes to")
    yield from shortened(path, _uneven(examined), "cases without all their records")


def _uneven(examined: Sequence[tuple[str, Mapping[_Place, Row]]]) -> Iterator[str]:
    """What depends on the system alone, such as a search beside its recall, is looked at in each case or in none."""
    of_all = {place for _, found in examined for place, row in found.items() if _is_of_system(place, row)}
    reads = {place for _, found in examined for place in found if place[0] == "A2"} - {_READS_BROKE}
    for where, found in examined:
        if not any(place == _EXAMINATION for _, place in found):
            wanted = of_all if _READS_BROKE in found else of_all | reads
            for level, place in sorted(wanted - found.keys()):
                yield f"{where}: no record of {level} {place:.60}, which other cases have"


def _is_of_system(place: _Place, row: Row) -> bool:
    return place in _OF_SYSTEM or (place in (_NO_FILES, _COMPACTED, _NO_RESTART) and row["outcome"] == "na")


def _beyond_audit(examined: Sequence[tuple[str, Mapping[_Place, Row]]]) -> Iterator[str]:
    for where, found in examined:
        places = _places(found)
        broke = any(place == _EXAMINATION for _, place in found)
        for level, place in sorted(set() if broke else places - found.keys()):
            yield f"{where}: no record of {level} {place}"
        for (level, place), row in found.items():
            if (level, place) not in places | _OPTIONAL and level != "A2":
                yield f"{where}: {level} {place!r:.60}: nothing that is looked at there"
            elif (said := _wrong(row)) is not None:
                yield f"{where}: {level} {place:.60}: {said}"


def _places(found: Mapping[_Place, Row]) -> set[_Place]:
    """What an audit looks at of a case, by whether the system has files, and a compaction."""
    places = _ALWAYS | ({_READS_BROKE} if _READS_BROKE in found else set(product(("A2",), READS)))
    if _NO_FILES in found or _NO_RESTART in found:
        return places | {_NO_FILES, _COMPACTED, _NO_RESTART}
    places |= _RESTARTED | set(product((BEFORE, "A3", "A5"), TRACES))
    if _COMPACTED in found and found[_COMPACTED]["outcome"] == "na":
        return places | {_COMPACTED}
    return places | set(product(("A4",), (*TRACES, BYSTANDER)))


def _wrong(row: Row) -> str | None:
    """Why a record is none: its outcome, or what it names beside it; None where it may be one."""
    place, outcome, detail = row["place"], row["outcome"], row["detail"]
    kinds = _OUTCOMES if row["level"] != "A2" else {}
    if outcome not in kinds.get(place, _OUTCOMES_OF_OTHERS):
        return f"outcome {outcome!r:.60} is none that it has"
    if place == CLAIM and outcome != "error" and (len(detail) != 2 or detail[0] not in ("files", "reads")):
        return "does not say of what the claim is, and its words"
    needs = outcome in _WITH_REASON or (place in kinds and place in TRACES and outcome == "found")
    if needs != bool(detail):
        return f"outcome {outcome}, and {len(detail)} traces or reasons are named"
    return None
