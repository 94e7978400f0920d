"""`LlmPlanner`: the three decisions asked of a language model through narrow JSON contracts (paper, "LLM prompts").

Nothing but the standard library is imported here: the hook runs in the environments of third-party systems.
"""

import functools
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from forgeteval.planners.chat import Ask, Contract
from forgeteval.planners.llm.contracts import matches_contract, supersede_contract
from forgeteval.planners.llm.reading import UnusableAnswer, only_object
from forgeteval.planners.protocol import Candidate, Decision, Meant, Shown, Unsure

DATA_FILES = ("prompts",)
PROMPTS = Path(__file__).with_name(DATA_FILES[0])
TASKS = ("supersede", "purge_match", "release_match")
_REPAIR = (
    "An earlier answer to this message could not be used: {wrong}. "
    "Answer again with the one JSON object described above, complete and with nothing around it."
)
_MUST_BE_ESCAPED = re.compile("[`\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Characters that could close the fence, break the block's line, or not be written as UTF-8."""


NO_USABLE_ANSWER, NONE_NAMED = "no answer could be used", "no memory was named"
"""Why there is no decision, for the trial."""


class AskingPlanner:
    """What every planner with a model does: it asks, says once what was wrong with an unusable answer, then gives up.

    Args:
        ask: sends a prompt under a purpose, the task's name, followed by "_repair" for the second attempt.
    """

    def __init__(self, ask: Ask) -> None:
        self.ask = ask

    def decide(
        self, task: str, inputs: Mapping[str, object], contract: Contract, read: Callable[[dict[str, Any]], Meant]
    ) -> Decision:
        """What the model decides on a task; Unsure where neither answer was usable."""
        try:
            return _read(self.ask(task, build_prompt(task, inputs), contract), read)
        except UnusableAnswer as reason:
            wrong = str(reason)
        try:
            return _read(self.ask(f"{task}_repair", build_prompt(task, inputs, wrong), contract), read)
        except UnusableAnswer:
            return Unsure(NO_USABLE_ANSWER)


class LlmPlanner(AskingPlanner):
    """A Planner by the paper's contract: a supersession is decided on the best match alone.

    Args:
        ask: as for `AskingPlanner`.
        as_published: a purge or release for which the model names no memory is no decision, as in the published runs,
            which then let the store's own policy delete (docs/systems.md, "Exactness"); otherwise, none is meant.

    Raises:
        PlannerUnavailable: from every method, where `ask` does.
    """

    is_shown = Shown(supersede=1)

    def __init__(self, ask: Ask, as_published: bool = False) -> None:
        super().__init__(ask)
        self._as_published = as_published

    def supersede(self, query: str, new_fact: str, candidates: Sequence[Candidate]) -> Decision:
        """The best match, whole, or in part with the new fact in the text; Unsure where neither answer was usable."""
        inputs = {"memory": candidates[0].text, "query": query, "new_fact": new_fact}
        return self.decide("supersede", inputs, supersede_contract(), read_supersede)

    def release(self, query: str, candidates: Sequence[Candidate]) -> Decision:
        """The memories that `query` describes; Unsure as for `purge`."""
        return self._match("release_match", query, candidates)

    def purge(self, query: str, candidates: Sequence[Candidate]) -> Decision:
        """The memories about `query`; Unsure where neither answer was usable."""
        return self._match("purge_match", query, candidates)

    def _match(self, task: str, target: str, candidates: Sequence[Candidate]) -> Decision:
        """The candidates that the model names; to name none is valid, so it is not repaired."""
        numbered = [{"index": index, "text": memory.text} for index, memory in enumerate(candidates)]
        read = functools.partial(read_matches, count=len(candidates))
        inputs = {"target": target, "candidates": numbered}
        decision = self.decide(task, inputs, matches_contract(len(candidates)), read)
        none = isinstance(decision, Meant) and not decision.named
        return Unsure(NONE_NAMED) if self._as_published and none else decision


def _read(answer: str, read: Callable[[dict[str, Any]], Meant]) -> Meant:
    """The decision in an answer, with the answer's shape as its reason where that is not the bare object."""
    found = only_object(answer)
    return replace(read(found.value), reason=f"answer: {found.shape}" if found.shape else None)


def prompt_hash(name: str) -> str:
    """SHA-256, in hexadecimal, of the prompt file of a task."""
    return hashlib.sha256((PROMPTS / f"{name}.txt").read_bytes()).hexdigest()


def build_prompt(task: str, inputs: Mapping[str, object], wrong: str | None = None) -> str:
    """The task's prompt file, followed by one fenced JSON block of one line with the inputs.

    No input can close the block: backticks are escaped.

    Args:
        wrong: what an earlier answer broke; it stands before the block.
    """
    block = json.dumps({"task": task, **inputs}, ensure_ascii=False)
    block = _MUST_BE_ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", block)
    note = "" if wrong is None else _REPAIR.format(wrong=wrong) + "\n\n"
    return f"{_instructions(task)}\n\n{note}```json\n{block}\n```"


@functools.cache
def _instructions(task: str) -> str:
    return (PROMPTS / f"{task}.txt").read_text(encoding="utf-8").strip()


def read_supersede(answer: Mapping[str, Any]) -> Meant:
    """Read `{"mode": "replace"}`, with or without a null `text`, or `{"mode": "edit", "text": TEXT}`.

    Raises:
        UnusableAnswer: for anything else.
    """
    mode = answer.get("mode")
    if mode == "replace":
        # A strict schema has every key in every answer.
        check_keys({name: value for name, value in answer.items() if (name, value) != ("text", None)}, {"mode"})
        return Meant(whole=(0,))
    if mode != "edit":
        raise UnusableAnswer('"mode" was neither "replace" nor "edit"')
    check_keys(answer, {"mode", "text"})
    check_text(answer["text"], "text")
    return Meant(parts=((0, answer["text"]),), restated=True)


def read_matches(answer: Mapping[str, Any], count: int) -> Meant:
    """Read `{"matching_indices": [INDEX, ...]}` with different indices below `count`.

    Raises:
        UnusableAnswer: for anything else.
    """
    check_keys(answer, {"matching_indices"})
    indices = answer["matching_indices"]
    check_indices(indices, "matching_indices", count)
    return Meant(tuple(indices))


def check_text(text: object, key: str) -> None:
    """Raise UnusableAnswer for what is not text that can be stored."""
    if not isinstance(text, str) or not text.strip():
        raise UnusableAnswer(f'"{key}" was not a string with something in it')
    if re.search("[\ud800-\udfff]", text):
        raise UnusableAnswer(f'"{key}" held half a surrogate pair')


def check_indices(indices: object, key: str, count: int) -> None:
    """Raise UnusableAnswer for what is not a list of different indices below `count`."""
    # `type`, because True and False are ints to `isinstance`.
    if not isinstance(indices, list) or any(type(index) is not int for index in indices):
        raise UnusableAnswer(f'"{key}" was not a list of whole numbers')
    if any(not 0 <= index < count for index in indices):
        raise UnusableAnswer(f"an index lay outside of 0 to {count - 1}")
    if len(set(indices)) < len(indices):
        raise UnusableAnswer("an index was given twice")


def check_keys(answer: Mapping[str, Any], expected: set[str]) -> None:
    """Raise UnusableAnswer for other keys than these."""
    if answer.keys() != expected:
        names = " and ".join(f'"{name}"' for name in sorted(expected))
        raise UnusableAnswer(f"the keys were not exactly {names}")
