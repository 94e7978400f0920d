"""Histories: what a case is as one, which texts it holds, and what of it reaches a worker."""

from forgeteval.cases.history import Evidence, History, Operation, Question
from tests.support.bench import make_case

FIRST = Operation("inscribe", None, "one", "row-1")
ASKED = Question("q1", "p", "what?", "any", ("one",), evidence=(Evidence("a.value", "1"),), k=3)
PROBED = Question("q2", "p", "and now?", probes=("two", "one"), gold_texts=("three",))
HISTORY = History("h", (FIRST, ASKED, Operation("supersede", "two", "three"), Operation("purge", "one", None), PROBED))


def test_operations_mutations_and_questions_keep_their_order() -> None:
    assert [operation.op for operation in HISTORY.operations] == ["inscribe", "supersede", "purge"]
    assert [mutation.op for mutation in HISTORY.mutations] == ["supersede", "purge"]
    assert HISTORY.questions == (ASKED, PROBED)


def test_texts_are_distinct_and_in_order() -> None:
    assert HISTORY.texts() == ["one", "what?", "two", "three", "and now?"]


def test_a_case_is_a_history_with_one_question() -> None:
    mutations = [("supersede", "a", "c"), ("release", "b")]
    history = make_case("c1", ["a", "b"], "which?", ["c"], ["a", "d"], mutations).to_history()
    assert history.name == "c1"
    assert history.operations == (
        Operation("inscribe", None, "a"),
        Operation("inscribe", None, "b"),
        Operation("supersede", "a", "c"),
        Operation("release", "b", None),
    )
    (question,) = history.questions
    assert (question.text, question.required, question.forbidden) == ("which?", ("c",), ("a", "d"))
    assert (question.probes, question.gold_texts, history.events[-1]) == (("a", "d"), None, question)
