"""What a store is told: nothing of what its answers are judged by, before they are in."""

import json
from dataclasses import asdict
from typing import Any

import pytest

from forgeteval.cases.history import Anchor, Evidence, History, Operation, Question
from forgeteval.run.replay import Conversation, Look, Looked, ReplayOptions, Step, Stepped, conduct

FACT = "Ann's gate code is 4711."
QUESTION = Question(
    "q1",
    "part-of-the-suite",
    "what is the code?",
    required=("REQUIRED",),
    forbidden=("FORBIDDEN",),
    gold_rows=("GOLD-ROW",),
    evidence=(Evidence("key", "EVIDENCE"),),
    probes=("PROBE",),
    gold_texts=("GOLD",),
    anchors=(Anchor(FACT, ("ANCHOR",)),),
)
SECRETS = ("REQUIRED", "FORBIDDEN", "GOLD-ROW", "EVIDENCE", "PROBE", "GOLD", "ANCHOR", "ROW-ID", "part-of-the-suite")
HISTORY = History(
    "h", (Operation("inscribe", None, FACT, "ROW-ID"), Operation("purge", "the code", None), QUESTION, QUESTION)
)


def told_until_the_recall(options: ReplayOptions) -> tuple[Step, Conversation]:
    conversation = conduct(HISTORY, options)
    step = next(conversation)
    assert isinstance(step, Step)
    return step, conversation


def test_a_step_holds_nothing_of_the_solution() -> None:
    step, _ = told_until_the_recall(ReplayOptions(10))
    sent = json.dumps(asdict(step)) + " ".join(step.texts())
    assert FACT in sent and QUESTION.text in sent
    assert [secret for secret in SECRETS if secret in sent] == []


def test_the_oracle_alone_is_told_the_gold_memories() -> None:
    step, _ = told_until_the_recall(ReplayOptions(10, gold=True))
    assert step.question is not None and step.question.gold == ("GOLD",)


def test_probes_go_out_when_the_recall_is_in_and_before_the_next_question() -> None:
    _, conversation = told_until_the_recall(ReplayOptions(10))
    assert conversation.send(Stepped(asked=True, recalled=["ANCHOR"])) == Look(("PROBE",), (), None)
    assert isinstance(conversation.send(Looked([["a PROBE"]], None, [])), Step)
    assert conversation.send(Stepped(asked=True, recalled=[])) == Look(("PROBE",), (FACT,), None)
    with pytest.raises(StopIteration) as ended:
        conversation.send(Looked([[]], 1, [["ANCHOR"]]))
    first, second = ended.value.value.answers
    assert (first.reached, first.present, second.reached, second.residue, second.present) == (
        True, [True], False, 1, [True],
    )  # fmt: skip


@pytest.mark.parametrize("anchored", [[], [["a"], ["b"]]])
def test_another_number_of_memories_than_were_asked_for_is_refused(anchored: Any) -> None:
    _, conversation = told_until_the_recall(ReplayOptions(10))
    conversation.send(Stepped(asked=True, recalled=[]))
    with pytest.raises(ValueError, match="another number of memories"):
        conversation.send(Looked([[]], None, anchored))


@pytest.mark.parametrize("looked", [Looked(), Looked(question_error=""), Looked([[]]), Looked(None, 0, [["ANCHOR"]])])
def test_a_look_without_an_answer_has_a_reason(looked: Looked) -> None:
    _, conversation = told_until_the_recall(ReplayOptions(10))
    conversation.send(Stepped(asked=True, recalled=[]))
    with pytest.raises(ValueError, match="what was looked for, and no reason"):
        conversation.send(looked)


@pytest.mark.parametrize("residue", [-1, 2])
def test_a_residue_of_more_than_was_looked_for_is_refused(residue: int) -> None:
    _, conversation = told_until_the_recall(ReplayOptions(10))
    conversation.send(Stepped(asked=True, recalled=[]))
    with pytest.raises(ValueError, match="another number of probes"):
        conversation.send(Looked([[]], residue, [["ANCHOR"]]))


def test_more_texts_than_were_asked_for_are_refused_of_a_process_too() -> None:
    _, conversation = told_until_the_recall(ReplayOptions(2))
    with pytest.raises(ValueError, match="more texts than the 2 that were asked for"):
        conversation.send(Stepped(asked=True, recalled=["a", "b", "c"]))
    for looked in (Looked([["a", "b", "c"]], None, [["a"]]), Looked([[]], None, [["a", "b", "c"]])):
        _, conversation = told_until_the_recall(ReplayOptions(2))
        conversation.send(Stepped(asked=True, recalled=[]))
        with pytest.raises(ValueError, match="more texts than the 2 that were asked for"):
            conversation.send(looked)


@pytest.mark.parametrize(
    ("strict", "came"),
    [
        (True, Stepped(asked=True, question_error="x")),
        (True, Looked(question_error="x")),
        (False, Stepped(asked=True, refused="x")),
        (False, Looked(refused="x")),
    ],
)
def test_a_reason_of_the_other_kind_of_replay_is_refused(strict: bool, came: Stepped | Looked) -> None:
    _, conversation = told_until_the_recall(ReplayOptions(10, strict))
    if isinstance(came, Looked):
        conversation.send(Stepped(asked=True, recalled=[]))
    with pytest.raises(ValueError, match="no replay of this kind has"):
        conversation.send(came)


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize(
    "came", [[Stepped(asked=True, error="x")], [Stepped(asked=True, recalled=[]), Looked(error="x")]]
)
def test_a_question_in_which_a_replay_ended_is_an_error(strict: bool, came: list[Stepped | Looked]) -> None:
    _, conversation = told_until_the_recall(ReplayOptions(10, strict))
    with pytest.raises(StopIteration) as ended:
        for each in came:
            conversation.send(each)
    assert ended.value.value.answers[0].error == ended.value.value.error == "x"
