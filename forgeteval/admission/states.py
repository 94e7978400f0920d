"""Stage 1 of admission for the states of a case: anchors tell each fact from the others, and agree with `gold_rows` and
the mutations."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from forgeteval.admission.rejection import Rejection
from forgeteval.cases.case import OPERATIONS, Case
from forgeteval.cases.states import GONE, FactState
from forgeteval.scoring.scorers import identifier_contains

_DONE_BY: Mapping[str, str] = dict(zip(GONE, OPERATIONS, strict=True))
"""What makes a fact `replaced`, `released` or `purged`."""


def state_rejections(case: Case) -> Iterator[Rejection]:
    """Yield every reason against the states of a case, if it has any, and against its forbidden identifiers."""
    gold, facts = case.gold_rows, case.facts()
    for forbidden in case.forbidden_identifiers:
        if not _said(facts, [forbidden]):
            yield Rejection(case.case_id, "forbidden-never-said", f"no fact contains {forbidden!r} as a whole")
        if _said(case.must_contain, [forbidden]):
            yield Rejection(case.case_id, "forbidden-in-required", f"{forbidden!r} is inside a required string")
        if _said(gold or (), [forbidden]):
            yield Rejection(case.case_id, "self-trap", f"forbidden {forbidden!r} is in an entry of gold_rows")
    if case.states is None:
        return
    if (stated := len({state.fact for state in case.states})) != len(facts):
        yield Rejection(case.case_id, "states-count", f"states for {stated} facts, but {len(facts)} are stored")
        return
    # What stays of somebody else's is not what the asker sees.
    stays = () if case.owners else (*_what_stays(case.states, facts), *case.must_contain)
    for state in case.states:
        problems = [
            *_beside_mutations(state, {mutation.op for mutation in case.mutations}),
            *_among_facts(state, facts),
            *(_beside_the_others(state, stays) if gold is None else _beside_gold(state, facts[state.fact], gold)),
        ]
        for reason, problem in problems:
            yield Rejection(case.case_id, reason, f"states[{state.fact}]: {problem}")


def _beside_mutations(state: FactState, done: Collection[str]) -> Iterator[tuple[str, str]]:
    if state.state in GONE and _DONE_BY[state.state] not in done:
        yield "state-without-mutation", f"{state.state}, but no mutation is a {_DONE_BY[state.state]}"


def _among_facts(state: FactState, facts: Sequence[str]) -> Iterator[tuple[str, str]]:
    fact, anchor = facts[state.fact], list(state.any_of)
    others = [other for number, other in enumerate(facts) if number != state.fact]
    if not _said([fact], anchor):
        yield "anchor-not-in-fact", f"no anchor of {anchor} is in {fact!r}"
    if state.state == "stays" and _said(others, anchor):
        yield "anchor-not-distinct", f"an anchor of {anchor} is in another fact too"


def _what_stays(states: Sequence[FactState], facts: Sequence[str]) -> Iterator[str]:
    """The facts that stay as they are, and the anchors of what stays of others."""
    touched = {state.fact for state in states if state.state != "stays"}
    for state in states:
        if state.state == "stays":
            yield from state.any_of if state.fact in touched else (facts[state.fact],)


def _beside_the_others(state: FactState, stays: Sequence[str]) -> Iterator[tuple[str, str]]:
    if state.state in GONE and _said(stays, state.any_of):
        yield "anchor-not-distinct", f"an anchor of {list(state.any_of)} is in what stays too, or in what is required"


def _beside_gold(state: FactState, fact: str, gold: Sequence[str]) -> Iterator[tuple[str, str]]:
    anchor = list(state.any_of)
    if state.state in GONE:
        if _said(gold, anchor):
            yield "anchor-of-gone-in-gold", f"an anchor of {anchor} is in an entry of gold_rows"
        if fact in gold:
            yield "state-contradicts-gold", f"{fact!r} is {state.state}, but in gold_rows"
    if state.state == "stays" and not _said(gold, anchor):
        yield "anchor-not-in-gold", f"no anchor of {anchor} is in an entry of gold_rows"


def _said(texts: Sequence[str], anchor: Sequence[str]) -> bool:
    return any(identifier_contains(text, wording) for text in texts for wording in anchor)
