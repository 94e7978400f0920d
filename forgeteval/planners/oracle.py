"""`OraclePlanner`: the control for hooks. It knows what has to become of each memory, and answers within a contract.

It reads the prompts that a model reads, and its answers are read as a model's are; what it passes is passed by answers
that a model could have given. Only the standard library is imported here.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from forgeteval.cases.case import Case
from forgeteval.cases.states import FactState, State
from forgeteval.errors import UserError
from forgeteval.planners.chat import ChatOptions, Contract, HookContract
from forgeteval.planners.protocol import CANDIDATES, Candidate, Decision, shown_to
from forgeteval.scoring.scorers import identifier_contains

CHOSEN_MODULES = ("forgeteval.planners.llm",)
_TAKES: Mapping[str, State] = {"supersede": "replaced", "release": "released", "purge": "purged"}
"""The state of what each operation takes away."""


class OraclePlanner:
    """A Planner that decides each mutation from the states of the case.

    >>> OraclePlanner("paper").is_shown
    Shown(supersede=1, new_fact=0, forget=20)

    Args:
        contract: what it is shown and may answer: as a model by this contract.
        candidates: how many rows the contract `rows` shows.
    """

    def __init__(self, contract: HookContract = "rows", candidates: int = CANDIDATES) -> None:
        # Only a run whose hook this is depends on the prompts.
        from forgeteval.planners.llm.rows import hook_planner

        options = ChatOptions("oracle", 0.0, 1, contract=contract, candidates=candidates)
        self._asking = hook_planner(options, self._answer)
        self.is_shown = shown_to(self._asking)
        self._case: Case | None = None
        self._facts: dict[str, set[int]] = {}

    def begin(self, case: Case) -> None:
        """From here on mutations are those of this case.

        Raises:
            UserError: where it has no states.
        """
        if case.states is None:
            raise UserError(f"{case.case_id}: it has no states, so that no oracle can decide; leave the oracle out")
        self._case, self._facts = case, {}
        for number, fact in enumerate(case.facts()):
            self._facts.setdefault(fact, set()).add(number)

    def supersede(self, query: str, new_fact: str, candidates: Sequence[Candidate]) -> Decision:
        """What has to be replaced; by the paper's contract the best match alone, with the new fact after what stays."""
        return self._asking.supersede(query, new_fact, candidates)

    def release(self, query: str, candidates: Sequence[Candidate]) -> Decision:
        """What has to be released; by the paper's contract whole rows alone."""
        return self._asking.release(query, candidates)

    def purge(self, query: str, candidates: Sequence[Candidate]) -> Decision:
        """What has to be purged, likewise."""
        return self._asking.purge(query, candidates)

    def _answer(self, purpose: str, prompt: str, contract: Contract | None = None) -> str:
        """What a model would have to say to a prompt."""
        told: Mapping[str, Any] = json.loads(prompt.rpartition("```json\n")[2].removesuffix("```"))
        task = str(told["task"])
        operation = task.removeprefix("rows_").removesuffix("_match")
        if task == "supersede":
            return json.dumps(self._one_text(told["memory"], told["new_fact"]))
        fates = {row["index"]: self._stays_of(operation, row["text"]) for row in told["candidates"]}
        whole = [index for index, fate in fates.items() if fate == ""]
        if task.endswith("_match"):
            return json.dumps({"matching_indices": whole})
        in_part = [{"index": index, "stays": fate} for index, fate in fates.items() if fate]
        return json.dumps({"whole": whole, "in_part": in_part})

    def _one_text(self, row: str, new_fact: str) -> dict[str, str]:
        fate = self._stays_of("supersede", row)
        if fate == "":
            return {"mode": "replace"}
        text = f"{row if fate is None else fate} {new_fact}"
        self._facts[text] = self._facts.get(row, set()) | self._facts.get(new_fact, set())
        return {"mode": "edit", "text": text}

    def _stays_of(self, operation: str, row: str) -> str | None:
        """What stays of a row: nothing where it is meant whole; None where it is not meant."""
        case, facts = self._begun(), self._facts.get(row, set())
        there = [state for state in case.states or () if state.fact in facts and _says(row, state)]
        taken = [state for state in there if state.state == _TAKES[operation]]
        if not taken:
            return None
        if all(state in taken or state.state == "either" for state in there):
            return ""
        stays = row
        for wording in (*(wording for state in taken for wording in state.any_of), *case.must_not_contain):
            stays = re.sub(re.escape(wording), "", stays, flags=re.IGNORECASE)
        stays = " ".join(stays.split())
        self._facts[stays] = set(facts)
        return stays

    def _begun(self) -> Case:
        if self._case is None:
            raise UserError("the oracle was told no case; it decides where cases are run one after another")
        return self._case


def _says(row: str, state: FactState) -> bool:
    return any(identifier_contains(row, wording) for wording in state.any_of)
