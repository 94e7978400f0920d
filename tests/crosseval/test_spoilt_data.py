"""Data of others with wrong types, blanks, repetitions or gaps: one line that names the file and the place.

The comments say what such data came to before.
"""

import copy
import functools
import json
from pathlib import Path
from typing import Any

import pytest

from forgeteval.errors import UserError
from lethe.crosseval.datasets import load_histories

LONE = "\ud800"
HAYSTACK = {
    "question_id": "q1",
    "question_type": "t",
    "question": "Who?",
    "haystack_session_ids": ["s1"],
    "haystack_sessions": [[{"role": "user", "content": "It is Ann."}]],
    "answer_session_ids": ["s1"],
}
BUCKET: dict[str, Any] = {
    "metadata": {"source": "factconsolidation_sh_6k", "qa_pair_ids": ["a"]},
    "context": "Facts:\n0. x is y\n1. z is w\n",
    "questions": ["who?"],
    "answers": [["y"]],
}
OTHER_BUCKET = {**BUCKET, "metadata": {"source": "factconsolidation_mh_6k", "qa_pair_ids": ["b"]}}
CONVERSATION = {
    "sample_id": "conv-30",
    "conversation": {"speaker_a": "A", "session_1": [{"dia_id": "D1:1", "speaker": "A", "text": "hi"}]},
    "qa": [{"question": "q?", "category": 4, "evidence": ["D1:1"]}],
}
SESSION = {
    "session_id": 1,
    "conversation": [{"speaker": "u", "message": "m", "share_memory": True}],
    "operation": "add",
    "operation_details": {"item": {"name": "x"}, "category": "c"},
}
ASKED = {
    "question_id": "q",
    "question": "q?",
    "memory_evidence": {"value": "v"},
    "forgetting_evidence": {"forgotten_items": [{"session_id": 1}], "total_forgotten_items": 1},
}
GOOD: dict[str, dict[str, Any]] = {
    "longmemeval": {"data.json": [HAYSTACK]},
    "factcons": {"data.json": [BUCKET, OTHER_BUCKET]},
    "locomo": {"data.json": [CONVERSATION]},
    "memora": {
        "ann/conversations/session_0001.json": SESSION,
        "ann/evaluation_questions_ann.json": {
            "questions": {"remembering": [ASKED], "reasoning": [], "recommending": []}
        },
    },
}
ONLY = {"evidence": "released", "lengths": ["6k"], "conversations": ["conv-30"]}
EVALUATION = "ann/evaluation_questions_ann.json"
SESSION_FILE = "ann/conversations/session_0001.json"
Place = tuple[str | int, ...]


def spoilt(data_set: str, place: Place, value: Any) -> Any:
    """The good files of a data set with a value put at a place, which begins with the file's name."""
    files: Any = copy.deepcopy(GOOD[data_set])
    *way, last = place
    functools.reduce(lambda inside, key: inside[key], way, files)[last] = value
    return files


def write(folder: Path, files: dict[str, Any]) -> Path:
    """Write the files; the path that a data set has in the configuration."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder if len(files) > 1 else folder / next(iter(files))


@pytest.mark.parametrize("data_set", GOOD)
def test_good_data_are_read(data_set: str, tmp_path: Path) -> None:
    (history,) = load_histories(data_set, {"path": write(tmp_path, GOOD[data_set]), **ONLY})
    assert len(history.operations) in (1, 2)
    assert len(history.questions) in (1, 2)


TRIED: dict[str, list[tuple[Place, Any, str]]] = {
    "longmemeval": [
        # Refused when the Parquet file was written, whose name alone was said.
        (("data.json", 0, "question"), None, "[0].question: should be a valid string, not None"),
        (("data.json", 0, "question"), 5, "[0].question: should be a valid string, not 5"),
        (("data.json", 0, "question_id"), [1], "[0].question_id: should be a valid string"),
        (("data.json", 0, "haystack_session_ids"), [1], "[0].haystack_session_ids[0]: should be a valid string"),
        (("data.json",), [HAYSTACK, HAYSTACK], "the history 'q1' is given twice"),
        # A traceback.
        (("data.json", 0, "question"), LONE, r"a lone surrogate, '\ud800'"),
        (("data.json", 0, "haystack_sessions", 0, 0, "content"), f"{LONE} x", "a lone surrogate"),
        (("data.json", 0, LONE), 1, "a lone surrogate"),
        # A question without gold.
        (("data.json", 0, "answer_session_ids"), "s1", "[0].answer_session_ids: should be a valid list, not 's1'"),
        (("data.json", 0, "answer_session_ids"), {"s1": 1}, "[0].answer_session_ids: should be a valid list"),
        (("data.json", 0, "answer_session_ids"), ["S1"], "no question has gold: a memory or a value"),
        # Taken as they are; a history without memories was lost with its question.
        (("data.json",), [], "holds no question"),
        (("data.json", 0, "question"), " ", "[0].question: is empty or blank"),
        (("data.json", 0, "haystack_sessions", 0), [], "'q1' has no memory"),
        (("data.json", 0, "haystack_sessions", 0, 0, "role"), None, "[0].haystack_sessions[0][0].role: should be"),
        (("data.json", 0, "haystack_sessions", 0, 0, "role"), "human", "[0].haystack_sessions[0][0].role: should be"),
    ],
    "factcons": [
        (("data.json", 0, "questions"), [None], "[0].questions[0]: should be a valid string, not None"),
        (("data.json", 0, "metadata", "qa_pair_ids"), [3], "[0].metadata.qa_pair_ids[0]: should be a valid string"),
        (("data.json", 0, "questions"), ["who?", "x"], "sh_6k: questions, answers and metadata.qa_pair_ids differ"),
        (("data.json",), [BUCKET, BUCKET, OTHER_BUCKET], "'6k': the question 'a' is given twice"),
        (("data.json", 0, "context"), LONE, "a lone surrogate"),
        (("data.json",), [], "no bucket of the length '6k'"),
        (("data.json", 0, "context"), "0. \n1. z\n", "the fact 0 of sh_6k is empty or blank"),
        (("data.json", 0, "context"), "\u0660. x\n", "not numbered from 0"),
        (("data.json", 0, "questions"), [""], "[0].questions[0]: is empty or blank"),
        (("data.json", 0, "questions"), ["\u200b\u3164" * 200], "[0].questions[0]: is empty or blank"),
        (("data.json", 0, "answers"), [["\ufeff"]], "[0].answers[0][0]: is empty or blank"),
        # Half of a length's questions was taken for all of them.
        (("data.json",), [BUCKET], "no question of the bucket mh_6k"),
        (("data.json", 1, "metadata", "source"), "factconsolidation_sh_6k", "no question of the bucket mh_6k"),
        # One memory with several facts, or a fact without its end.
        (("data.json", 0, "context"), "0. x is y\u20281. z is w", "the fact 0 of sh_6k holds a line break"),
        (("data.json", 0, "context"), "0. x is y\\n1. z is w", "the fact 0 of sh_6k holds a line break"),
        (("data.json", 0, "context"), "0. x is y\r1. z is w", "the fact 0 of sh_6k holds a line break"),
        (("data.json", 0, "context"), "0. x is\ny\n1. z is w", "behind the fact 0 of sh_6k stands a line without"),
    ],
    "locomo": [
        # Refused when the Parquet file was written.
        (("data.json", 0, "conversation", "session_1", 0, "dia_id"), 1, "[0].conversation.session_1[0].dia_id: should"),
        (("data.json", 0, "qa", 0, "question"), None, "[0].qa[0].question: should be a valid string, not None"),
        # The memories "A: None" and "A: ".
        (("data.json", 0, "conversation", "session_1", 0, "text"), None, "[0].conversation.session_1[0].text: should"),
        (("data.json", 0, "conversation", "session_1", 0, "text"), "", "[0].conversation.session_1[0].text: is empty"),
        (("data.json", 0, "conversation", "session_1", 0, "speaker"), 7, "session_1[0].speaker: should be a valid str"),
        (("data.json", 0, "conversation", "session_1", 0, "blip_caption"), [1], "session_1[0].blip_caption: should be"),
        # Passed over.
        (("data.json", 0, "conversation", "session_2"), "x", "[0].conversation.session_2: should be a valid list"),
        (("data.json", 0, "conversation", "session_2"), None, "[0].conversation.session_2: should be a valid list"),
        (("data.json", 0, "conversation"), {}, "conv-30-0: the evidence 'D1:1' names no turn there"),
        (("data.json", 0, "conversation", "session_2"), [], "[0].conversation.session_2: List should have at least 1"),
        (("data.json", 0, "conversation", "session_2 "), [], "[0].conversation: has the unknown key 'session_2 '"),
        (("data.json", 0, "conversation", "Session_2"), [], "[0].conversation: has the unknown key 'Session_2'"),
        (("data.json", 0, "conversation", "session_2_old"), [], "has the unknown key 'session_2_old'"),
        (("data.json", 0, "conversation", "session_3"), [], "has session_3 where session_2 should be"),
        # A question without gold.
        (("data.json", 0, "qa", 0, "evidence"), "D1:1", "[0].qa[0].evidence: should be a valid list, not 'D1:1'"),
        *(
            (("data.json", 0, "qa", 0, "evidence"), ["D1:1", name], f"conv-30-0: the evidence '{said}' names no turn")
            for name, said in {
                "d1:1": "d1:1",
                "D1-1": "D1-1",
                "D1\uff1a1": "D1\uff1a1",
                "D\u0661:\u0661": "D\u0661:\u0661",
                "D1:1; D1:2": "D1:2",
                "D2:1": "D2:1",
                "D": "D",
                " ": "",
            }.items()
        ),
        (("data.json", 0, "qa", 0, "evidence"), [], "conv-30: no question has evidence"),
        *(
            (
                ("data.json", 0, "conversation", "session_1", 0, "dia_id"),
                name,
                f"session_1 has the turn '{name}' where D1:1",
            )
            for name in ("D01:01", "d1:1", "D1:1 ", "E1:1", "D2:1", "D1:0", "D1:2")
        ),
        # What the conversation has no longer.
        (
            ("data.json", 0, "session_summary"),
            {"session_1_summary": "", "session_2_summary": ""},
            "1 sessions, and 2 in",
        ),
        (("data.json", 0, "qa", 0, "category"), True, "[0].qa[0].category: should be"),
        (("data.json", 0, "qa", 0, "category"), 6, "[0].qa[0].category: should be less than or equal to 5, not 6"),
        (("data.json", 0, "qa"), [], "'conv-30' has no question"),
        # The last one was taken.
        (("data.json",), [CONVERSATION, CONVERSATION], "the history 'conv-30' is given twice"),
        (
            ("data.json", 0, "conversation", "session_2"),
            [{"dia_id": "D1:1", "speaker": "A", "text": "no"}],
            "conv-30: session_2 has the turn 'D1:1' where D2:1 should be",
        ),
        (("data.json", 0, "qa", 0, "question"), LONE, "a lone surrogate"),
    ],
    "memora": [
        ((EVALUATION, "questions", "remembering", 0, "question"), None, "questions.remembering[0].question: should be"),
        ((EVALUATION, "questions", "remembering", 0, "question_id"), 3, "questions.remembering[0].question_id: should"),
        ((EVALUATION, "questions", "remembering"), [ASKED, ASKED], "'ann': the question 'q' is given twice"),
        # A string that every recall holds, or a question without any.
        ((EVALUATION, "questions", "remembering", 0, "memory_evidence", "value"), "", "evidence: value is null, empty"),
        ((EVALUATION, "questions", "remembering", 0, "memory_evidence", "value"), None, "evidence: value is null"),
        ((EVALUATION, "questions", "remembering", 0, "memory_evidence"), None, "[0].memory_evidence: is not a record"),
        ((EVALUATION, "questions", "remembering", 0, "memory_evidence"), ["v"], "[0].memory_evidence: is not a record"),
        (
            (EVALUATION, "questions", "remembering", 0, "forgetting_evidence"),
            {"value": " "},
            "questions.remembering[0].forgetting_evidence: value is null, empty or blank",
        ),
        ((EVALUATION, "questions", "remembering"), [], "'ann' has no question"),
        # Passed by everybody.
        ((EVALUATION, "questions", "remembering", 0, "memory_evidence"), {"note": "v"}, "no question has gold: a mem"),
        ((EVALUATION, "questions", "remembering", 0, "question"), LONE, "a lone surrogate"),
        # Inscribed, the first two as they are, then as "[u] None".
        ((SESSION_FILE, "operation"), "explode", "operation: should be 'add', 'update' or 'delete', not 'explode'"),
        ((SESSION_FILE, "operation"), None, "operation: should be 'add', 'update' or 'delete', not None"),
        ((SESSION_FILE, "conversation", 0, "message"), None, "conversation[0].message: should be a valid string"),
        ((SESSION_FILE, "conversation", 0, "message"), " ", "conversation[0].message: is empty or blank"),
        ((SESSION_FILE, "conversation", 0, "share_memory"), "false", "conversation[0].share_memory: should be a valid"),
        ((SESSION_FILE, "operation_details"), {}, "operation_details.item is missing"),
        ((SESSION_FILE, "operation_details", "item"), None, "operation_details.item: is not a record, a text or a num"),
        (
            (SESSION_FILE, "operation_details", "item", "name"),
            ["x"],
            "operation_details.item: has a name that is not t",
        ),
        ((SESSION_FILE, "operation_details", "category"), 5, "operation_details.category: should be a valid string"),
        ((SESSION_FILE, "conversation", 0, "share_memory"), False, "'ann' has no memory"),
        (("ann/conversations/session_0002.json",), SESSION, "holds the session 1 where the session 2 should be"),
        # A session that was lost was not missed.
        (("ann/conversations/session_0003.json",), {**SESSION, "session_id": 3}, "session 3 where the session 2"),
        (("ann/conversations/session_0002.JSON",), {**SESSION, "session_id": 2}, "is not named as a session"),
        (("ann/conversations/session_0002.json.txt",), {**SESSION, "session_id": 2}, "is not named as a session"),
        (("ann/conversations/Session_0002.json",), {**SESSION, "session_id": 2}, "is not named as a session"),
        (
            (EVALUATION, "questions", "remembering", 0, "memory_evidence", "goal_session"),
            {"session_id": 2},
            "'q' is about the session 2, which no file holds",
        ),
        (
            (EVALUATION, "questions", "remembering", 0, "memory_evidence", "session_history"),
            [1, 2],
            "'q' is about the session 2, which no file holds",
        ),
        (
            (EVALUATION, "questions", "remembering", 0, "forgetting_evidence"),
            {"forgotten_items": [{"value": "w", "session_id": 2}], "total_forgotten_items": 1},
            "'q' is about the session 2, which no file holds",
        ),
        (
            (EVALUATION, "questions", "remembering", 0, "memory_evidence", "value"),
            "\u200b",
            "value is null, empty or bl",
        ),
        # Nothing was forbidden, or less was required.
        (
            (EVALUATION, "questions", "remembering", 0),
            {name: value for name, value in ASKED.items() if name != "forgetting_evidence"},
            "questions.remembering[0].forgetting_evidence is missing",
        ),
        *(
            (
                (EVALUATION, "questions", "recommending"),
                [{**ASKED, "question_id": "r", "forgetting_evidence": evidence}],
                f"questions.recommending[0].forgetting_evidence: {said}",
            )
            for evidence, said in (
                (None, "is not a record"),
                ({"items": [{"value": "w"}], "total_forgotten_items": 1}, "does not have as many forgotten_items"),
                ({"forgotten_items": [{"value": "w"}], "total_forgotten_items": 2}, "does not have as many forgotten"),
                ({"forgotten_items": [{"val": "w"}], "total_forgotten_items": 1}, "forgotten_items lacks its 'value'"),
                ({"forgotten_items": ["w"], "total_forgotten_items": 1}, "forgotten_items lacks its 'value'"),
            )
        ),
        *(
            (
                (EVALUATION, "questions", "remembering", 0, "memory_evidence"),
                evidence,
                f"questions.remembering[0].memory_evidence: {said}",
            )
            for evidence, said in (
                ({"remaining_tasks": [{"session_id": 1}], "task_count": 1}, "remaining_tasks lacks its 'value'"),
                ({"goal_data": {"val": 70}}, "goal_data lacks its 'value'"),
                ({"goal_data": {"value": []}}, "goal_data has a 'value' that is not a text or a number"),
                ({"goal_data": {"value": True}}, "goal_data has a 'value' that is not a text or a number"),
                ({"memory_items": {"books": {"likes": [{"thing": "x"}]}}}, "likes lacks its 'item'"),
            )
        ),
    ],
}


@pytest.mark.parametrize(
    ("data_set", "place", "value", "said"),
    [
        pytest.param(name, *tried, id=f"{name}{number}")
        for name, all_ in TRIED.items()
        for number, tried in enumerate(all_)
    ],
)
def test_the_file_and_the_place_are_named(data_set: str, place: Place, value: Any, said: str, tmp_path: Path) -> None:
    path = write(tmp_path, spoilt(data_set, place, value))
    with pytest.raises(UserError) as caught:
        load_histories(data_set, {"path": path, **ONLY})
    message = str(caught.value)
    assert said in message
    assert str(path) in message
    assert len(message.splitlines()) == 1
    if "." in said.partition(":")[0] and data_set == "memora":
        assert str(path / str(place[0])) in message, "the file among those of a persona"


def test_facts_are_the_same_whatever_their_lines_end_in(tmp_path: Path) -> None:
    context = BUCKET["context"].replace("\n", "\r\n")
    files = {"data.json": [{**bucket, "context": context} for bucket in (BUCKET, OTHER_BUCKET)]}
    (history,) = load_histories("factcons", {"path": write(tmp_path, files), **ONLY})
    assert [operation.text for operation in history.operations] == ["x is y", "z is w"]


def test_a_long_id_is_not_told_whole(tmp_path: Path) -> None:
    entry = {**HAYSTACK, "question_id": "q" * 100_000}
    with pytest.raises(UserError, match="the history 'qqq") as caught:
        load_histories("longmemeval", {"path": write(tmp_path, {"data.json": [entry, entry]}), **ONLY})
    assert len(str(caught.value)) < 1000


def test_a_text_behind_many_blanks_is_not_blank(tmp_path: Path) -> None:
    entry = {**HAYSTACK, "question": "\u3000" * 150 + "Who is Élodie?"}
    (history,) = load_histories("longmemeval", {"path": write(tmp_path, {"data.json": [entry]}), **ONLY})
    assert history.questions[0].text == entry["question"]
