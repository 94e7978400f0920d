"""Twins: a case of another suite with a request for something that is not stored, so that nothing may be forgotten.

A system that deletes its best match whatever is asked passes many a case and falls on its twin.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from forgeteval.cases.case import Case
from forgeteval.cases.interchange import CaseError, checked_text, checked_texts, mutations_from_json
from forgeteval.cases.states import GONE, FactState
from forgeteval.scoring.scorers import identifier_contains

_FIELDS = ("id", "twin_of", "mutations", "anchors")


def twin_from_json(record: Any, suite: str, cases: Mapping[str, Case], where: str) -> Case:
    """The twin that a record describes: its `mutations` in place of those of the case that `twin_of` names.

    Every fact stays, and every new text; what the case forbids is required. The `anchors` are those of the new texts.

    Raises:
        CaseError: naming `where`, the field and what is expected.
    """
    if not isinstance(record, dict):
        raise CaseError(where, "case", "must be a mapping")
    for key in record:
        if key not in _FIELDS:
            raise CaseError(where, str(key), f"unknown field; known fields of a twin: {', '.join(_FIELDS)}")
    case_id, twin_of = (checked_text(record.get(name), name, where) for name in ("id", "twin_of"))
    case = cases.get(twin_of)
    if case is None or case.states is None:
        raise CaseError(where, "twin_of", f"{twin_of} is not a case with states of the suite that `twins_of` names")
    mutations = mutations_from_json(record.get("mutations"), where)
    new = [mutation.text for mutation in mutations if mutation.text is not None]
    anchors = checked_texts(record.get("anchors", []), "anchors", where)
    if len(anchors) != len(new):
        raise CaseError(where, "anchors", f"{len(anchors)} anchors for {len(new)} new texts; give one for each")
    told = len(case.setup_facts)
    stored = [state for state in case.states if state.fact < told]
    touched = {state.fact for state in stored if state.state != "stays"}
    facts = [*case.setup_facts, *new]
    anchor = {state: _distinct(state, facts) for state in stored}
    changed = [anchor[state] for state in stored if state.state in GONE]
    kept = [fact for number, fact in enumerate(case.setup_facts) if number not in touched]
    return replace(
        case,
        case_id=case_id,
        suite=suite,
        twin_of=twin_of,
        mutations=mutations,
        must_contain=(*changed, *(text for text in case.must_contain if any(text in fact for fact in kept))),
        must_not_contain=(),
        forbidden_identifiers=(),
        gold_rows=(*case.setup_facts, *new),
        states=(
            *(FactState(state.fact, "stays", (anchor[state],)) for state in stored if state.state in GONE),
            *(state for state in stored if state.state == "stays" and state.fact not in touched),
            *(state for state in stored if state.state == "either"),
            *(FactState(told + number, "stays", (anchor,)) for number, anchor in enumerate(anchors)),
        ),
    )


def _distinct(state: FactState, facts: Sequence[str]) -> str:
    """The first wording of an anchor that is in no other fact; the first of all, if there is none."""
    others = [fact for number, fact in enumerate(facts) if number != state.fact]
    found = (wording for wording in state.any_of if not any(identifier_contains(other, wording) for other in others))
    return next(found, state.any_of[0])
