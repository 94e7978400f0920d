"""LongMemEval-S: the cleaned and the original form, and what a haystack's rows and gold rows are."""

import json
from pathlib import Path

import pytest

from forgeteval.cases.history import History, Operation
from forgeteval.errors import UserError
from lethe.crosseval.longmemeval import load_longmemeval

DATA = Path(__file__).parent / "data" / "longmemeval"


@pytest.fixture(params=["longmemeval_s_cleaned.json", "longmemeval_s.json"])
def histories(request: pytest.FixtureRequest) -> list[History]:
    return load_longmemeval(DATA / request.param)


def test_a_row_is_a_sessions_user_turns(histories: list[History]) -> None:
    assert [history.name for history in histories] == ["1a2b3c4d", "9f8e7d6c_abs"]
    assert histories[0].operations == (
        Operation("inscribe", None, "My bicycle is a green Mercia from 1978.", "answer_1a2b_1"),
        Operation("inscribe", None, "How long do lentils take?", "sharegpt_1"),
        Operation("inscribe", None, "I sold the Mercia last week.\nIt did, to my niece.", "answer_1a2b_2"),
    )


def test_gold_rows_are_those_that_the_haystack_holds(histories: list[History]) -> None:
    (first,), (second,) = (history.questions for history in histories)
    assert (first.part, first.criterion, first.gold_rows) == (
        "knowledge-update",
        "rows",
        ("answer_1a2b_1", "answer_1a2b_2"),
    )
    assert (second.part, second.gold_rows) == ("single-session-user", ())


def test_a_turn_without_content_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "longmemeval_s.json"
    entries = json.loads((DATA / "longmemeval_s.json").read_text(encoding="utf-8"))
    before = load_longmemeval(DATA / "longmemeval_s.json")
    turns = [{"role": "user", "content": content} for content in ("\u200b\ufeff", None)]
    entries[0]["haystack_sessions"][0] += turns
    # Windows tools begin a file with a byte order mark.
    path.write_text(json.dumps(entries), encoding="utf-8-sig")
    assert load_longmemeval(path) == before
    entries[0]["haystack_sessions"][0][-1]["content"] = 7
    path.write_text(json.dumps(entries), encoding="utf-8")
    with pytest.raises(UserError, match=r"\[0\]\.haystack_sessions\[0\]\[\d\]\.content: should be a valid string"):
        load_longmemeval(path)


def test_a_file_that_is_not_as_released(tmp_path: Path) -> None:
    path = tmp_path / "longmemeval_s.json"
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(UserError, match=r"longmemeval_s\.json: the file: should be a valid list"):
        load_longmemeval(path)
    entries = json.loads((DATA / "longmemeval_s.json").read_text(encoding="utf-8"))
    entries[1]["haystack_sessions"].pop()
    path.write_text(json.dumps(entries), encoding="utf-8")
    with pytest.raises(UserError, match=r"\[1\]: haystack_session_ids and haystack_sessions differ"):
        load_longmemeval(path)
