"""LoCoMo: a turn is a memory, evidence is written in several ways, and a share of it is recalled."""

import json
from pathlib import Path

import numpy as np
import pytest

from forgeteval.cases.history import History, Operation
from forgeteval.errors import UserError
from lethe.crosseval.locomo import load_locomo
from lethe.crosseval.records import operation_rows, question_rows
from lethe.study.evidence import mode_answers, score_evidence
from tests.support.hash_embedder import hash_embed

FILE = Path(__file__).parent / "data" / "locomo" / "locomo10.json"


@pytest.fixture
def histories() -> list[History]:
    return load_locomo(FILE, ["conv-49", "conv-30"])


def test_a_memory_is_a_turn(histories: list[History]) -> None:
    assert [history.name for history in histories] == ["conv-30", "conv-49"], "in the order of the file"
    assert histories[0].operations[:2] == (
        Operation("inscribe", None, "Ann: I bought a green bicycle.", "D1:1"),
        Operation("inscribe", None, "Bo: Nice, where? [shares a photo of a shop]", "D1:2"),
    )


def test_evidence_names_turns_that_the_conversation_has(histories: list[History]) -> None:
    assert [(question.part, question.gold_rows) for history in histories for question in history.questions] == [
        ("single-hop", ("D1:1",)),
        ("temporal", ("D2:2", "D1:2")),
        ("adversarial", ("D1:1",)),
        ("multi-hop", ("D1:1",)),
        ("open-domain", ()),
    ]


def test_evidence_of_the_released_file_that_names_no_turn_is_known(tmp_path: Path) -> None:
    entries = json.loads(FILE.read_text(encoding="utf-8"))
    path = tmp_path / "locomo.json"

    def gold(conversation: str, evidence: str) -> tuple[str, ...]:
        entries[0]["sample_id"] = conversation
        entries[0]["qa"][0]["evidence"] = ["D1:2 ", evidence]
        path.write_text(json.dumps(entries), encoding="utf-8")
        (history,) = load_locomo(path, [conversation])
        return history.questions[0].gold_rows

    assert {gold("conv-42", "D"), gold("conv-42", "D10:19"), gold("conv-47", "D4:36")} == {("D1:2",)}
    with pytest.raises(UserError, match="conv-47-0: the evidence 'D10:19' names no turn"):
        gold("conv-47", "D10:19")


def test_the_share_of_the_evidence_is_counted_by_turn_and_session(histories: list[History]) -> None:
    answers = [
        {"system": "x", "model": "", "history": "conv-30", "question_id": f"conv-30-{number}", **rest}
        for number, rest in enumerate(
            (
                {"recalled": ["D2:1", "", "D1:2", "D2:2", "D2:2", "D1:1"], "error": None},
                {"recalled": ["D1:1", "D2:2"], "error": None},
                {"recalled": [], "error": "it broke"},
            )
        )
    ]
    answers.append(
        {"system": "x", "model": "", "history": "conv-49", "question_id": "conv-49-1", "recalled": [], "error": None}
    )
    rows = score_evidence("locomo", answers, question_rows("locomo", histories))
    every = next(row for row in rows if row["category"] == "all")
    assert {row["half"] for row in rows} == {"first five"}, "a question without evidence counts nowhere"
    assert (every["questions"], every["errors"]) == (3, 1)
    assert every["turns_at_5"] == pytest.approx((0 + 1 / 2 + 0) / 3)
    assert every["turns_at_10"] == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert every["sessions_at_5"] == pytest.approx((1 + 1 + 0) / 3)


def test_lethe_is_asked_in_each_mode(histories: list[History]) -> None:
    operations, questions = operation_rows("locomo", histories), question_rows("locomo", histories)
    texts = list({row[name] for rows, name in ((operations, "text"), (questions, "question")) for row in rows})
    vectors = [{"text": text, "vector": vector} for text, vector in zip(texts, hash_embed(texts), strict=True)]
    answers = list(mode_answers(operations, questions, vectors))
    assert np.unique([answer["mode"] for answer in answers], return_counts=True)[1].tolist() == [5, 5, 5]
    (words,) = [a for a in answers if a["mode"] == "lexical" and a["question_id"] == "conv-30-0"]
    assert words["recalled"][0] == "D1:1"
    rows = score_evidence("locomo", answers, questions)
    assert {(row["mode"], row["half"]) for row in rows} == {
        (mode, half) for mode in ("hybrid", "vector", "lexical") for half in ("first five", "other five")
    }


def test_a_file_that_is_not_as_released(tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"no conversation 'conv-1' \(crosseval\.locomo_conversations\); it has conv-.+, conv-"
    ):
        load_locomo(FILE, ["conv-1"])
    path = tmp_path / "locomo.json"
    entries = json.loads(FILE.read_text(encoding="utf-8"))
    del entries[0]["qa"][0]["evidence"]
    path.write_text(json.dumps(entries), encoding="utf-8")
    with pytest.raises(UserError, match=r"\[0\]\.qa\[0\]\.evidence is missing"):
        load_locomo(path, ["conv-30"])
