"""`RowsPlanner`: a hook's three decisions by a contract that shows the model every row it may need, and lets it name
rows in part.

The paper's contract (`planner.py`) shows one row at a supersession, so that no model can pass a case whose old value is
another one. Only the standard library is imported here.
"""

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from forgeteval.planners.chat import Ask, ChatOptions
from forgeteval.planners.llm.contracts import rows_contract
from forgeteval.planners.llm.planner import AskingPlanner, LlmPlanner, check_indices, check_keys, check_text
from forgeteval.planners.llm.reading import UnusableAnswer
from forgeteval.planners.protocol import CANDIDATES, Candidate, Decision, Meant, Planner, Shown

ROWS_TASKS = ("rows_supersede", "rows_purge", "rows_release")


class RowsPlanner(AskingPlanner):
    """A Planner whose model names the rows that are meant, and those that are meant in part with what stays of them.

    At a supersession it is shown the best rows by the query and those by the new fact that are not among them; the new
    fact is stored once, as a row of its own. To name none is a decision.

    Args:
        ask: as for `LlmPlanner`.
        candidates: how many rows it is shown, by query and by new fact each.

    Raises:
        PlannerUnavailable: from every method, where `ask` does.
    """

    def __init__(self, ask: Ask, candidates: int = CANDIDATES) -> None:
        super().__init__(ask)
        self.is_shown = Shown(candidates, candidates, candidates)

    def supersede(self, query: str, new_fact: str, candidates: Sequence[Candidate]) -> Decision:
        """The rows that are outdated, in whole or in part; Unsure where neither answer was usable."""
        return self._rows("rows_supersede", {"query": query, "new_fact": new_fact}, candidates)

    def release(self, query: str, candidates: Sequence[Candidate]) -> Decision:
        """The rows that `query` describes, likewise."""
        return self._rows("rows_release", {"target": query}, candidates)

    def purge(self, query: str, candidates: Sequence[Candidate]) -> Decision:
        """The rows about what `query` names, likewise."""
        return self._rows("rows_purge", {"target": query}, candidates)

    def _rows(self, task: str, inputs: Mapping[str, object], candidates: Sequence[Candidate]) -> Decision:
        numbered = [{"index": index, "text": memory.text} for index, memory in enumerate(candidates)]
        read = functools.partial(read_rows, count=len(candidates))
        return self.decide(task, {**inputs, "candidates": numbered}, rows_contract(len(candidates)), read)


def hook_planner(options: ChatOptions, ask: Ask) -> Planner:
    """The planner of a chat model by the contract that its options name."""
    return RowsPlanner(ask, options.candidates) if options.contract == "rows" else LlmPlanner(ask, as_published=True)


def read_rows(answer: Mapping[str, Any], count: int) -> Meant:
    """Read `{"whole": [INDEX, ...], "in_part": [{"index": INDEX, "stays": TEXT}, ...]}`, with different indices below
    `count`.

    Raises:
        UnusableAnswer: for anything else.
    """
    check_keys(answer, {"whole", "in_part"})
    whole, in_part = answer["whole"], answer["in_part"]
    if not isinstance(in_part, list) or not all(isinstance(part, dict) for part in in_part):
        raise UnusableAnswer('"in_part" was not a list of objects')
    for part in in_part:
        check_keys(part, {"index", "stays"})
        check_text(part["stays"], "stays")
    check_indices(whole, "whole", count)
    check_indices([*whole, *(part["index"] for part in in_part)], "whole and in_part", count)
    return Meant(tuple(whole), tuple((part["index"], part["stays"]) for part in in_part))
