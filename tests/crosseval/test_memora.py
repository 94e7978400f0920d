"""Memora: sessions become operations as in the released run, and the evidence's values are read as configured."""

import json
import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from forgeteval.cases.history import Evidence, Operation
from forgeteval.errors import UserError
from lethe.crosseval.datasets import missing_data, sources
from lethe.crosseval.evidence import READINGS, scalars, values_read
from lethe.crosseval.memora import load_memora, mutation_query
from lethe.crosseval.records import size_rows

DATA = Path(__file__).parent / "data" / "memora" / "weekly"
GARDENER = {
    "2": "[user_agent] Please put on my list: Prune the quince.",
    "3": "[user_agent] I also have to Order tulip bulbs. [user_agent] The nursery closes on Friday.",
    "4": "[user_agent] I enjoy every book by Monty Don.",
    "5": "[user_agent] These days I read Beth Chatto above all.",
}


def test_sessions_become_operations_in_the_order_of_their_files() -> None:
    gardener, sailor = load_memora(DATA, "released")
    assert (gardener.name, sailor.name) == ("gardener", "sailor")
    assert gardener.operations == (
        Operation("inscribe", None, GARDENER["2"], "2"),
        Operation("inscribe", None, GARDENER["3"], "3"),
        Operation("inscribe", None, GARDENER["4"], "4"),
        Operation("supersede", "", GARDENER["5"], "5"),
        Operation("purge", "todo_list Prune the quince", None, "6"),
    )
    assert [len(history.mutations) for history in (gardener, sailor)] == [2, 0]


def test_every_session_counts_as_a_source_and_a_fact_as_one_where_there_are_no_sessions() -> None:
    histories = load_memora(DATA, "released")
    found = sources("memora", histories, {"path": DATA})
    assert found == {"gardener": 7, "sailor": 2}
    rows = size_rows("memora", histories, found, released=False)
    assert [(row["history"], row["sources"], row["operations"]) for row in rows] == [
        ("gardener", 7, 5),
        ("sailor", 2, 2),
    ]
    assert sources("factcons", histories, {}) == {"gardener": 5, "sailor": 2}


@pytest.mark.parametrize("stray", ["__MACOSX", ".ipynb_checkpoints"])
def test_a_folder_that_a_tool_left_is_no_persona(tmp_path: Path, stray: str) -> None:
    shutil.copytree(DATA, tmp_path, dirs_exist_ok=True)
    (tmp_path / stray).mkdir()
    (tmp_path / stray / "._gardener").touch()
    histories = load_memora(tmp_path, "released")
    assert missing_data("memora", tmp_path) is None
    assert histories == load_memora(DATA, "released")
    assert sources("memora", histories, {"path": tmp_path}) == {"gardener": 7, "sailor": 2}


def test_a_folder_with_another_name_is_a_persona_that_lacks_its_files(tmp_path: Path) -> None:
    shutil.copytree(DATA, tmp_path, dirs_exist_ok=True)
    (tmp_path / "baker").mkdir()
    assert missing_data("memora", tmp_path) == tmp_path / "baker" / "conversations"


def test_questions_by_task() -> None:
    gardener, _ = load_memora(DATA, "released")
    assert [(q.part, q.required, q.forbidden) for q in gardener.questions] == [
        ("remembering", ("Order tulip bulbs",), ("Prune the quince",)),
        ("reasoning", ("70",), ()),
        ("recommending", ("Beth Chatto",), ("Monty Don",)),
    ]
    assert {question.criterion for question in gardener.questions} == {"all"}


@pytest.mark.parametrize(
    ("reading", "required"),
    [
        ("released", [("Order tulip bulbs",), ("70",), ("Beth Chatto",)]),
        ("named_values", [("Order tulip bulbs",), ("70", "12.5", "70"), ("Beth Chatto",)]),
        (
            "every_scalar",
            [
                ("Order tulip bulbs", "1"),
                ("70", "12.5", "True", "on_track", "food_expenses", "lunch", "70"),
                ("1", "Beth Chatto"),
            ],
        ),
    ],
)
def test_readings_of_the_evidence(reading: str, required: list[tuple[str, ...]]) -> None:
    gardener, _ = load_memora(DATA, reading)
    assert [question.required for question in gardener.questions] == required


def test_every_reading_holds_the_narrower_one() -> None:
    evidence = [scalar for h in load_memora(DATA, "released") for q in h.questions for scalar in q.evidence]
    found = [set(values_read(evidence, reading)) for reading in READINGS]
    assert all(narrow <= wide for narrow, wide in pairwise(found))
    assert len({len(values) for values in found}) == len(READINGS)


def test_scalars_keep_their_dotted_key() -> None:
    record = {"a": [{"value": 1, "session_id": 2}], "b": {"c": ["x", "y"]}}
    assert list(scalars(record)) == [
        Evidence("a.value", "1"),
        Evidence("a.session_id", "2"),
        Evidence("b.c", "x"),
        Evidence("b.c", "y"),
    ]
    with pytest.raises(ValueError, match=r"a\.value is null"):
        list(scalars({"a": [{"value": None}]}))


@pytest.mark.parametrize(
    ("category", "item", "query"),
    [
        (None, "email_writeup_2", ""),
        ("calendar", {"event_name": "Lecture", "date": "+19 days"}, "calendar"),
        ("todo", {"description": "Prune", "expense_type": "tools"}, "todo tools Prune"),
    ],
)
def test_the_query_of_a_mutation(category: str | None, item: object, query: str) -> None:
    assert mutation_query(category, item) == query


def test_a_file_that_is_not_as_released_is_named(tmp_path: Path) -> None:
    shutil.copytree(DATA / "sailor", tmp_path / "sailor")
    session = tmp_path / "sailor" / "conversations" / "session_0002.json"
    session.write_text(json.dumps({"session_id": 2}), encoding="utf-8")
    with pytest.raises(UserError, match=r"session_0002\.json: conversation is missing"):
        load_memora(tmp_path, "released")
    session.write_text("{", encoding="utf-8")
    with pytest.raises(UserError, match=r"session_0002\.json: cannot be read as JSON"):
        load_memora(tmp_path, "released")
    session.unlink()
    (tmp_path / "sailor" / "evaluation_questions_sailor.json").write_text("{}", encoding="utf-8")
    with pytest.raises(UserError, match=r"evaluation_questions_sailor\.json: questions is missing"):
        load_memora(tmp_path, "released")
    shutil.rmtree(tmp_path / "sailor")
    with pytest.raises(UserError, match="holds no persona"):
        load_memora(tmp_path, "released")
