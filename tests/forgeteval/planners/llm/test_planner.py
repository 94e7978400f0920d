"""The JSON contracts of the LLM planner, on hand-written answers, and its prompts."""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from forgeteval.planners.llm.planner import (
    NO_USABLE_ANSWER,
    NONE_NAMED,
    PROMPTS,
    TASKS,
    LlmPlanner,
    build_prompt,
    prompt_hash,
)
from forgeteval.planners.llm.rows import ROWS_TASKS
from forgeteval.planners.protocol import Decision, Meant, PlannerUnavailable, Shown, Unsure, shown_to
from tests.support.scripted_planner import Answers, candidates

BROKEN = "I am not sure."
CANDIDATES = candidates("memory zero", "memory one", "memory two")
REPLACE = Meant((0,))
NASTY = [
    '```json\n{"task": "purge_match"}\n```',
    "``` `code` ```` ~~~",
    'quotes " and \\ and \\u0060 and \\"',
    "lines\nand\r\nreturns\ttabs\u2028\u2029\x85\x0b\x0c\x00",
    "👩‍🚀 emoji, Щербакова, 欧阳静, שלום",
    "half a pair \ud83d",
    "`" * 10_000,
    "ten kilobytes " * 700,
    "{inputs} {wrong} %s $x {{}}",
    "",
]
EDIT = {"mode": "edit", "text": "merged"}


def edit(text: str) -> Meant:
    return Meant(parts=((0, text),), restated=True)


def supersede(answers: Answers) -> Decision:
    return LlmPlanner(answers).supersede("query", "new fact", candidates("memory"))


def purge(answers: Answers, as_published: bool = False) -> Decision:
    return LlmPlanner(answers, as_published).purge("target", CANDIDATES)


def release(answers: Answers, as_published: bool = False) -> Decision:
    return LlmPlanner(answers, as_published).release("target", CANDIDATES)


def block_of(prompt: str) -> dict[str, Any]:
    """The one fenced block, which must be the prompt's end."""
    assert prompt.count("```") == 2
    found = re.search(r"```json\n(.*)\n```\Z", prompt)
    assert found
    block: dict[str, Any] = json.loads(found[1])
    return block


def without_shape(decision: Decision) -> Decision:
    """A decision without the shape of the answer that it was read from, which `test_reading` tests."""
    return replace(decision, reason=None) if isinstance(decision, Meant) else decision


@pytest.mark.parametrize(
    ("answer", "decision"),
    [
        ('{"mode": "replace"}', REPLACE),
        ('{"mode": "edit", "text": "merged"}', edit("merged")),
        ('  \n{\n "text": "merged",\n "mode": "edit"\n}\n', edit("merged")),
        ('```json\n{"mode": "replace"}\n```', REPLACE),
        ('```\n{"mode": "edit", "text": "merged"}\n```', edit("merged")),
        ('Sure! The row is out of date: {"mode": "replace"}. Anything else?', REPLACE),
        ('Of {all} the rows: {"mode": "replace"} :-}', REPLACE),
        ('{"mode": "edit", "text": "a {\\"mode\\": \\"replace\\"} b"}', edit('a {"mode": "replace"} b')),
        ('{"mode": "edit", "text": "\\u0060\\ud83d\\ude00 Žilina"}', edit("`😀 Žilina")),
    ],
)
def test_usable_answers_to_supersede(answer: str, decision: Meant) -> None:
    answers = Answers([answer])
    assert without_shape(supersede(answers)) == decision
    assert answers.purposes == ["supersede"]


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        ("", "no JSON object"),
        ("   \n", "no JSON object"),
        ("replace", "no JSON object"),
        ('"replace"', "no JSON object"),
        ("null", "no JSON object"),
        ("{'mode': 'replace'}", "no JSON object"),
        ('"{\\"mode\\": \\"replace\\"}"', "no JSON object"),
        ('{"mode": "replace"} {"mode": "replace"}', "more than one"),
        ('First {"mode": "replace"}, no: {"mode": "edit", "text": "x"}', "more than one"),
        ('[{"mode": "replace"}]', "a list"),
        ('{"mode": "edit", "text": "cut o', "cut off"),
        ('{"answer": {"mode": "replace"}', "cut off"),
        ('{"mode": "replace",}', "broken"),
        ('{"mode": "replace", "mode": "edit"}', "broken"),
        ("{}", '"mode"'),
        ('{"mode": "delete"}', '"mode"'),
        ('{"mode": "Replace"}', '"mode"'),
        ('{"mode": true}', '"mode"'),
        ('{"mode": ["replace"]}', '"mode"'),
        ('{"answer": {"mode": "replace"}}', '"mode"'),
        ('{"mode": "replace", "text": "x"}', "keys"),
        ('{"mode": "replace", "reason": "x"}', "keys"),
        ('{"mode": "edit"}', "keys"),
        ('{"mode": "edit", "text": "x", "confidence": 1}', "keys"),
        ('{"mode": "edit", "text": ""}', '"text"'),
        ('{"mode": "edit", "text": " \\n"}', '"text"'),
        ('{"mode": "edit", "text": null}', '"text"'),
        ('{"mode": "edit", "text": ["x"]}', '"text"'),
        ('{"mode": "edit", "text": "half \\ud83d"}', "surrogate"),
        ('{"a":' * 100_000, "broken"),
    ],
)
def test_unusable_answers_to_supersede(answer: str, wrong: str) -> None:
    answers = Answers([answer, '{"mode": "replace"}'])
    assert supersede(answers) == REPLACE
    assert answers.purposes == ["supersede", "supersede_repair"]
    assert wrong in answers.asked[1][1]


@pytest.mark.parametrize("decide", [purge, release])
@pytest.mark.parametrize(
    ("answer", "indices"),
    [
        ('{"matching_indices": [0]}', (0,)),
        ('{"matching_indices": [2, 0, 1]}', (2, 0, 1)),
        ('The rows are:\n```json\n{"matching_indices": [1, 2]}\n```\nBoth name it.', (1, 2)),
    ],
)
def test_usable_answers_to_match(decide: Callable[[Answers], Decision], answer: str, indices: tuple[int, ...]) -> None:
    answers = Answers([answer])
    assert without_shape(decide(answers)) == Meant(indices)
    assert answers.purposes == [f"{decide.__name__}_match"]


@pytest.mark.parametrize("decide", [purge, release])
@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        ("", "no JSON object"),
        ("[0, 1]", "no JSON object"),
        ('{"matching_indices": [0, 1', "cut off"),
        ('{"matching_indices": [0]}\n{"matching_indices": [1]}', "more than one"),
        ("{}", "keys"),
        ('{"indices": [0]}', "keys"),
        ('{"matching_indices": [0], "reason": "x"}', "keys"),
        ('{"matching_indices": [3]}', "0 to 2"),
        ('{"matching_indices": [-1]}', "0 to 2"),
        ('{"matching_indices": [0, 1, 0]}', "twice"),
        ('{"matching_indices": [true]}', "whole numbers"),
        ('{"matching_indices": [false, 1]}', "whole numbers"),
        ('{"matching_indices": [1.0]}', "whole numbers"),
        ('{"matching_indices": ["1"]}', "whole numbers"),
        ('{"matching_indices": [null]}', "whole numbers"),
        ('{"matching_indices": [[0]]}', "whole numbers"),
        ('{"matching_indices": [NaN]}', "whole numbers"),
        ('{"matching_indices": 0}', "whole numbers"),
        ('{"matching_indices": null}', "whole numbers"),
        ('{"matching_indices": {"0": true}}', "whole numbers"),
        (f'{{"matching_indices": [{"9" * 5000}]}}', "broken"),
    ],
)
def test_unusable_answers_to_match(decide: Callable[[Answers], Decision], answer: str, wrong: str) -> None:
    answers = Answers([answer, '{"matching_indices": [1]}'])
    assert decide(answers) == Meant((1,))
    assert answers.purposes == [f"{decide.__name__}_match", f"{decide.__name__}_match_repair"]
    assert wrong in answers.asked[1][1]


@pytest.mark.parametrize("decide", [purge, release])
@pytest.mark.parametrize(("as_published", "decision"), [(False, Meant()), (True, Unsure(NONE_NAMED))])
def test_to_name_no_memory_is_a_decision_except_as_published_and_is_not_repaired(
    decide: Callable[[Answers, bool], Decision], as_published: bool, decision: Decision
) -> None:
    answers = Answers(['{"matching_indices": []}'])
    assert decide(answers, as_published) == decision
    assert len(answers.asked) == 1


def test_a_supersession_is_asked_of_the_best_match() -> None:
    answers = Answers(['{"mode": "replace"}'])
    planner = LlmPlanner(answers)
    assert shown_to(planner) == Shown(supersede=1)
    assert planner.supersede("query", "new fact", CANDIDATES) == REPLACE
    assert block_of(answers.asked[0][1])["memory"] == "memory zero"


@pytest.mark.parametrize("decide", [supersede, purge, release])
def test_one_repair_is_tried_and_no_second(decide: Callable[[Answers], object]) -> None:
    answers = Answers([BROKEN, BROKEN])
    assert decide(answers) == Unsure(NO_USABLE_ANSWER)
    assert len(answers.asked) == 2


@pytest.mark.parametrize("decide", [supersede, purge, release])
@pytest.mark.parametrize("before", [[], [BROKEN]], ids=["at once", "at the repair"])
def test_an_unavailable_model_is_no_decision_of_the_planner(
    decide: Callable[[Answers], object], before: list[str | Exception]
) -> None:
    answers = Answers([*before, PlannerUnavailable("down")])
    with pytest.raises(PlannerUnavailable, match="down"):
        decide(answers)
    assert len(answers.asked) == len(before) + 1


def test_the_repair_is_the_same_prompt_and_one_instruction() -> None:
    answers = Answers(['{"mode": "edit", "text": "```"', json.dumps(EDIT)])
    assert supersede(answers) == edit("merged")
    (_, first), (_, second) = answers.asked
    instructions, fence, block = first.partition("```json")
    assert second.startswith(instructions) and second.endswith(fence + block)
    added = second.removeprefix(instructions).removesuffix(fence + block)
    assert len(added.splitlines()) == 2 and "broken or cut off" in added
    assert block_of(second) == block_of(first)


@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
def test_a_prompt_ends_with_its_inputs_whatever_they_hold(text: str) -> None:
    answers = Answers(['{"mode": "replace"}'])
    LlmPlanner(answers).supersede(text, text, candidates(text))
    prompt = answers.asked[0][1]
    prompt.encode("utf-8")
    assert block_of(prompt) == {"task": "supersede", "memory": text, "query": text, "new_fact": text}
    assert len(prompt.partition("```json\n")[2].splitlines()) == 2
    for planned, task in ((LlmPlanner.purge, "purge_match"), (LlmPlanner.release, "release_match")):
        answers = Answers(['{"matching_indices": [0]}'])
        planned(LlmPlanner(answers), text, candidates(text, "x"))
        shown = [{"index": 0, "text": text}, {"index": 1, "text": "x"}]
        assert block_of(answers.asked[0][1]) == {"task": task, "target": text, "candidates": shown}


def test_the_block_is_readable_in_any_script() -> None:
    assert '"query": "欧阳静"' in build_prompt("supersede", {"query": "欧阳静"})


def test_the_supersede_prompt_has_four_examples_that_keep_the_contract() -> None:
    examples = (PROMPTS / "supersede.txt").read_text(encoding="utf-8").splitlines()
    inputs = [json.loads(line.removeprefix("inputs: ")) for line in examples if line.startswith("inputs: ")]
    answers = [line.removeprefix("answer: ") for line in examples if line.startswith("answer: ")]
    assert len(inputs) == len(answers) == 4
    decisions = [supersede(Answers([answer])) for answer in answers]
    assert sum(isinstance(decision, Meant) and decision.restated for decision in decisions) == 3
    assert [list(given) for given in inputs] == [["task", "memory", "query", "new_fact"]] * 4


@pytest.mark.parametrize("task", TASKS)
def test_prompts_are_files_known_by_their_hash(task: str) -> None:
    content = (PROMPTS / f"{task}.txt").read_bytes()
    assert prompt_hash(task) == hashlib.sha256(content).hexdigest()
    assert "`" not in content.decode("ascii")


def test_there_is_no_prompt_without_a_task() -> None:
    assert sorted(path.stem for path in PROMPTS.iterdir()) == sorted((*TASKS, *ROWS_TASKS))
