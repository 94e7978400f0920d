"""The verdicts of the erasure audit from records."""

from typing import Any

import pytest

from lethe.study.erasure import DECLARATIONS, LEVELS, WORST_FIRST, claim_rows, score_rows, trace_rows, verdict_rows

Place = tuple[str, str, str]


def record(level: str, place: str, outcome: str, *detail: str, case: str = "c1", system: str = "sut") -> dict[str, Any]:
    key = {"system": system, "model": "", "rows": 10, "case_id": case}
    return {**key, "level": level, "place": place, "outcome": outcome, "detail": list(detail)}


SEEN = [record("before", "own text", "found"), record("before", "bystander", "kept"), record("before", "text", "found")]


def judged(*records: dict[str, Any]) -> dict[tuple[str, str], str]:
    return {(row["level"], row["place"]): row["verdict"] for row in verdict_rows([*SEEN, *records])}


def test_what_was_seen_before_and_no_more_is_gone() -> None:
    assert judged(record("A0", "question", "absent"), record("A3", "text", "absent")) == {
        ("A0", "question"): "gone",
        ("A3", "text"): "gone",
    }


def test_what_no_compaction_removes_is_present() -> None:
    found = judged(record("A3", "text", "found", "a"), record("A4", "text", "found", "a"))
    assert set(found.values()) == {"present"}


def test_what_a_compaction_removes_is_present_until_then() -> None:
    found = judged(record("A3", "text", "found", "a"), record("A4", "text", "absent"))
    assert found == {("A3", "text"): "present until compaction", ("A4", "text"): "gone"}


def test_a_failed_compaction_spoils_all_of_its_level_and_excuses_nothing_before() -> None:
    found = judged(
        record("A3", "text", "found", "a"),
        record("A4", "compaction", "failed", "OSError"),
        record("A4", "text", "absent"),
    )
    assert found == {
        ("A3", "text"): "present",
        ("A4", "compaction"): "compaction failed",
        ("A4", "text"): "compaction failed",
    }


def test_a_lost_bystander_spoils_every_level_from_there_on() -> None:
    found = judged(
        record("A0", "question", "absent"),
        record("A0", "bystander", "kept"),
        record("A5", "question", "absent"),
        record("A5", "bystander", "lost"),
        record("A6", "fed again", "found"),
    )
    assert found == {
        ("A0", "question"): "gone",
        ("A5", "question"): "bystander lost",
        ("A6", "fed again"): "bystander lost",
    }


def test_a_case_that_broke_is_an_error_wherever_it_would_have_been_looked_at() -> None:
    """Who breaks where something would be left gains nothing."""
    clean = [record(level, "question", "absent", case="c2") for level in ("A0", "A1", "A3", "A5")]
    for level, others in (("A0", ("A3", "A4")), ("A5", ("A1", "A2", "A6", "A6 fed again"))):
        broken = record(level, "examination", "error", "RuntimeError: busy")
        scores = {(row["level"], row["verdict"]): row["cases"] for row in score_rows(verdict_rows([broken, *clean]))}
        assert {scores[other, "error"] for other in (level, *others)} == {1}
    whole = record("A6", "fed again", "found"), record("A5", "examination", "error", "it ended")
    assert judged(*whole)["A6", "fed again"] == "present"


@pytest.mark.parametrize(
    ("outcome", "of", "level", "place", "came", "expected"),
    [
        ("says gone", "files", "A3", "text", "found", "false"),
        ("says gone", "files", "A3", "text", "absent", "true"),
        ("says left", "files", "A3", "token", "found", "true"),
        ("says left", "files", "A3", "text", "absent", "unchecked"),
        ("says gone", "files", "A4", "text", "found", "unchecked"),
        ("says gone", "reads", "A2", "list", "found", "false"),
        ("says gone", "reads", "A0", "question", "absent", "true"),
    ],
)
def test_what_a_store_claims_is_checked(
    outcome: str, of: str, level: str, place: str, came: str, expected: str
) -> None:
    claim = record("A3", "claim", outcome, of, "erased")
    rows = [*SEEN, record(level, place, came), claim]
    assert [row["verdict"] for row in claim_rows(rows)] == [expected]
    assert "claim" not in {row["place"] for row in verdict_rows(rows)}, "it is not part of a level's verdict"
    assert [row["verdict"] for row in claim_rows([*SEEN, record("A3", "claim", "error", "it broke")])] == ["unchecked"]


def test_what_was_never_seen_is_not_gone() -> None:
    assert judged(record("A3", "vector", "absent")) == {("A3", "vector"): "N/A"}
    blind = [record("before", "own text", "found"), record("before", "text", "absent"), record("A3", "text", "absent")]
    assert [row["verdict"] for row in verdict_rows(blind)] == ["error"]
    unrecalled = [record("before", "own text", "absent"), record("A0", "question", "absent")]
    assert [row["verdict"] for row in verdict_rows(unrecalled)] == ["error"]


def test_what_the_makers_say_is_declared_only_where_they_say() -> None:
    rows = [record("A3", "text", "found", "history.db (table history, row): UTF-8", system="mem0")]
    assert verdict_rows(rows)[0]["verdict"] == "present and declared"
    rows[0]["detail"].append("qdrant/storage.sqlite: UTF-8")
    assert verdict_rows(rows)[0]["verdict"] == "present"
    rows[0]["system"] = "chroma"
    assert verdict_rows(rows)[0]["verdict"] == "present"


def test_every_declaration_says_where_and_who() -> None:
    for entries in DECLARATIONS.values():
        for entry in entries:
            assert set(entry) == {"levels", "places", "files", "source", "says"}
            assert set(entry["levels"]) <= set(LEVELS) and entry["source"].startswith("https://")


def test_the_worst_place_of_a_case_counts_and_what_is_fed_again_counts_alone() -> None:
    verdicts = verdict_rows(
        [
            *SEEN,
            record("A2", "get", "absent"),
            record("A2", "history", "found"),
            record("A2", "graph", "na", "none"),
            record("A6", "undo", "na", "none"),
            record("A6", "fed again", "found"),
            record("A2", "get", "absent", case="c2"),
        ]
    )
    found = {(row["level"], row["verdict"]): row["cases"] for row in score_rows(verdicts)}
    assert found == {("A2", "present"): 1, ("A2", "gone"): 1, ("A6", "N/A"): 1, ("A6 fed again", "present"): 1}


def test_every_verdict_has_a_rank() -> None:
    assert len(set(WORST_FIRST)) == 8


def test_traces_are_counted_over_cases_without_random_names() -> None:
    names = (
        "1b4e28ba-2fa1-41d2-883f-0016d3cca427",
        "6fa459ea-ee8a-4ca4-894e-db77e160355e",
        "1011011010010010010100107c6c0d4015b7196983c701ef6e",
    )
    rows = [record("A3", "text", "found", f"{name}/data.bin: UTF-8", case=name) for name in names]
    rows.append(record("before", "text", "found", "notes: UTF-8"))
    assert [(row["trace"], row["cases"]) for row in trace_rows(rows)] == [("UUID/data.bin: UTF-8", 3)]
