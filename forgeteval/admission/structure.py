"""Stage 1 of admission (paper, section "Adversarial layer"), extended by the requirement that controls behave.

A case proves something only if the perfect store passes it, while returning nothing, deleting everything, deleting
nothing and ignoring every mutation all fail it, under every scorer. Other cases are rejected with a machine-readable
reason.
"""

from collections.abc import Iterator
from itertools import repeat

from forgeteval.admission.owners import owner_rejections
from forgeteval.admission.rejection import Rejection
from forgeteval.admission.states import state_rejections
from forgeteval.cases.case import ADVERSARIAL_CATEGORIES, Case
from forgeteval.run.replay import ReplayOptions, replay
from forgeteval.scoring.scorers import Contains, identifier_contains, score, substring_contains
from forgeteval.stores.contract import Adapter
from forgeteval.stores.controls import Frozen, Nuke, Null, Oracle, Verbatim

TOP_K = 10
SETUP_FACTS = range(4, 9)
"""Allowed numbers of setup facts in an adversarial case."""

_SCORERS: dict[str, Contains] = {"substring": substring_contains, "identifier": identifier_contains}
_CONTROLS: dict[str, tuple[type[Null], bool]] = {
    "oracle": (Oracle, True),
    "null": (Null, False),
    "nuke": (Nuke, False),
    "verbatim": (Verbatim, False),
    "frozen": (Frozen, False),
}
_CONTROLS_ON_TWINS: dict[str, tuple[type[Null], bool]] = {
    "oracle": (Oracle, True),
    "null": (Null, False),
    "nuke": (Nuke, False),
    "verbatim": (Verbatim, True),
}
"""On a twin nothing may be forgotten; whether to ignore every mutation passes depends on the operation."""


def rejections(case: Case) -> Iterator[Rejection]:
    """Yield every structural reason against a case; an admitted case yields none."""

    def reject(reason: str, detail: str) -> Rejection:
        return Rejection(case.case_id, reason, detail)

    if case.gold_rows is None:
        yield reject("no-gold-rows", "gold_rows is missing; list the memories that a perfect store holds at the end")
        return
    if not case.mutations:
        yield reject("no-mutation", "a case without a mutation tests recall, not forgetting")
    if case.category in ADVERSARIAL_CATEGORIES and len(case.setup_facts) not in SETUP_FACTS:
        wanted = f"{SETUP_FACTS.start} to {SETUP_FACTS.stop - 1}"
        yield reject("setup-size", f"{len(case.setup_facts)} setup facts instead of {wanted}")
    told = list(zip(case.setup_facts, case.owners or repeat(()), strict=False))
    if len(set(told)) < len(told):
        yield reject("repeated-fact", "a setup fact occurs twice")
    if len(case.gold_rows) > TOP_K:
        yield reject("too-many-rows", f"{len(case.gold_rows)} gold_rows do not fit in the top {TOP_K}")
    yield from _string_rejections(case)
    yield from state_rejections(case)
    yield from owner_rejections(case)
    controls = _CONTROLS if case.twin_of is None else _CONTROLS_ON_TWINS
    for scorer, contains in _SCORERS.items():
        for control, (adapter, should_pass) in controls.items():
            passed = run_control(adapter(), case, contains)
            if passed != should_pass:
                verb = "passes" if passed else "fails"
                yield reject(f"{control}-{verb}", f"the {control} control {verb} under the {scorer} scorer")


def _string_rejections(case: Case) -> Iterator[Rejection]:
    gold = case.gold_rows or ()
    written = [*case.setup_facts, *(m.text for m in case.mutations if m.text is not None)]
    untouched = [fact for fact in case.setup_facts if fact in gold]

    for forbidden in case.must_not_contain:
        if any(substring_contains(memory, forbidden) for memory in gold):
            yield Rejection(case.case_id, "self-trap", f"forbidden {forbidden!r} is part of an entry of gold_rows")
        if any(substring_contains(required, forbidden) for required in case.must_contain):
            yield Rejection(case.case_id, "forbidden-in-required", f"{forbidden!r} is inside a required string")
        if not any(identifier_contains(text, forbidden) for text in written):
            yield Rejection(case.case_id, "forbidden-never-said", f"no fact contains {forbidden!r} as a whole")
    for required in case.must_contain:
        if not any(identifier_contains(memory, required) for memory in gold):
            yield Rejection(
                case.case_id, "required-not-in-gold", f"no entry of gold_rows contains {required!r} as a whole"
            )
    if not any(substring_contains(fact, required) for required in case.must_contain for fact in untouched):
        yield Rejection(case.case_id, "no-bystander", "no required string comes from a fact that no mutation touches")


def run_control(adapter: Adapter, case: Case, contains: Contains) -> bool:
    """Run one control on a case; True if it passes."""
    (answer,) = replay(adapter, case.to_history(), ReplayOptions(TOP_K)).answers
    return score(answer.recalled or [], case.must_contain, case.must_not_contain, contains).passed
