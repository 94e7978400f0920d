"""Stage 1 of admission (paper, section "Adversarial layer"), extended by the requirement that controls behave.

A case proves something only if the perfect store passes it, while returning nothing, deleting everything, deleting
nothing and ignoring every mutation all fail it, under every scorer. Other cases are rejected with a machine-readable
reason. Anybody's cases are held to this; `forgeteval.admission.house` has what this project demands further of its own.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from forgeteval.admission.house import TOP_K, house_rejections
from forgeteval.admission.owners import owner_rejections
from forgeteval.admission.rejection import Rejection
from forgeteval.admission.states import state_rejections
from forgeteval.cases.case import Case
from forgeteval.run.replay import ReplayOptions, replay
from forgeteval.scoring.scorers import Contains, as_seen, identifier_contains, score, substring_contains
from forgeteval.stores.contract import Adapter
from forgeteval.stores.controls import Frozen, Nuke, Null, Oracle, Verbatim

_AROUND_WORDS = ".,;:!?()\"'"
_RUN = 4
"""Letters that are compared at once where a memory is in other words than the facts that it comes from."""
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


def rejections(case: Case, strict: bool = False) -> Iterator[Rejection]:
    """Yield every structural reason against a case; an admitted case yields none.

    What a perfect store holds is asked where the case says it, in `gold_rows`.

    Args:
        strict: demand `gold_rows`, and what else this project demands of its own cases.
    """
    if strict and case.gold_rows is None:
        detail = "gold_rows is missing; list the memories that a perfect store holds at the end"
        yield Rejection(case.case_id, "no-gold-rows", detail)
        return
    if not case.mutations:
        detail = "a case without a mutation tests recall, not forgetting"
        yield Rejection(case.case_id, "no-mutation", detail)
    if strict:
        yield from house_rejections(case)
    yield from _forbidden_rejections(case)
    yield from _last_rejections(case)
    yield from _required_rejections(case)
    yield from _gold_rejections(case)
    yield from state_rejections(case)
    yield from owner_rejections(case)
    yield from _control_rejections(case)


def _forbidden_rejections(case: Case) -> Iterator[Rejection]:
    for forbidden in case.must_not_contain:
        if any(substring_contains(memory, forbidden) for memory in case.gold_rows or ()):
            yield Rejection(case.case_id, "self-trap", f"forbidden {forbidden!r} is part of an entry of gold_rows")
        if any(substring_contains(required, forbidden) for required in case.must_contain):
            yield Rejection(case.case_id, "forbidden-in-required", f"{forbidden!r} is inside a required string")
        if problem := _unseen(forbidden, case.facts()):
            yield Rejection(case.case_id, "forbidden-never-said", f"no fact contains {forbidden!r} {problem}")


def _last_rejections(case: Case) -> Iterator[Rejection]:
    """Against forbidden strings in what the last mutation tells, since none follows that could take it away."""
    of_others = case.asked_by and case.asked_by[-1] != case.asker
    told = case.mutations[-1].text if case.mutations and not of_others else None
    if told is None or told in (case.gold_rows or ()):
        return
    for contains, strings in (
        (substring_contains, case.must_not_contain),
        (identifier_contains, case.forbidden_identifiers),
    ):
        for forbidden in strings:
            if contains(told, forbidden):
                detail = f"the last mutation tells {told!r}, which contains forbidden {forbidden!r}"
                yield Rejection(case.case_id, "forbidden-told-last", detail)


def _required_rejections(case: Case) -> Iterator[Rejection]:
    if case.gold_rows is None:
        for required in case.must_contain:
            if problem := _unseen(required, case.facts()):
                yield Rejection(case.case_id, "required-never-said", f"no fact contains {required!r} {problem}")
        return
    for required in case.must_contain:
        if problem := _unseen(required, case.gold_rows):
            detail = f"no entry of gold_rows contains {required!r} {problem}"
            yield Rejection(case.case_id, "required-not-in-gold", detail)
        elif not any(_is_told(text, required) for text in case.facts()):
            yield Rejection(case.case_id, "required-never-said", f"no fact contains the words of {required!r}")
    untouched = [fact for fact in case.setup_facts if fact in case.gold_rows]
    if not any(substring_contains(fact, required) for required in case.must_contain for fact in untouched):
        yield Rejection(case.case_id, "no-bystander", "no required string comes from a fact that no mutation touches")


def _unseen(wording: str, texts: Sequence[str]) -> str:
    """How no text has a wording, which each scorer has to find in one; empty where both do."""
    if not any(identifier_contains(text, wording) for text in texts):
        return "as a whole"
    return "" if any(substring_contains(text, wording) for text in texts) else "letter by letter"


def _gold_rejections(case: Case) -> Iterator[Rejection]:
    """Against memories of a perfect store that nobody told it: gold rows may be a fact's rest, but not an invention."""
    told = Counter(case.facts())
    for memory, times in Counter(case.gold_rows or ()).items():
        if times > max(1, told[memory]):
            yield Rejection(case.case_id, "repeated-gold-row", f"gold_rows has {memory!r} {times} times")
        if not told[memory] and _share_told(memory, case.facts()) < 1 / 2:
            detail = f"gold_rows has {memory!r}, which is not in the words of any fact or new text"
            yield Rejection(case.case_id, "gold-never-told", detail)


def _share_told(memory: str, facts: Sequence[str]) -> float:
    """The share of a memory's runs of letters that facts have."""
    shown, text = as_seen(memory), as_seen("\n".join(facts))
    runs = [shown[start : start + _RUN] for start in range(max(1, len(shown) - _RUN + 1))]
    return sum(run in text for run in runs) / len(runs)


def _is_told(text: str, required: str) -> bool:
    """Whether a fact has a string, or its words further apart: what stays where a part goes."""
    words = (word.strip(_AROUND_WORDS) for word in required.split())
    return identifier_contains(text, required) or all(identifier_contains(text, word) for word in words if word)


def _control_rejections(case: Case) -> Iterator[Rejection]:
    controls = _CONTROLS if case.twin_of is None else _CONTROLS_ON_TWINS
    for scorer, contains in _SCORERS.items():
        for control, (adapter, should_pass) in controls.items():
            if adapter is Oracle and case.gold_rows is None:
                continue
            passed = run_control(adapter(), case, contains)
            if passed != should_pass:
                verb = "passes" if passed else "fails"
                detail = f"the {control} control {verb} under the {scorer} scorer"
                yield Rejection(case.case_id, f"{control}-{verb}", detail)


def run_control(adapter: Adapter, case: Case, contains: Contains) -> bool:
    """Run one control on a case; True if it passes."""
    (answer,) = replay(adapter, case.to_history(), ReplayOptions(TOP_K)).answers
    return score(answer.recalled or [], case.must_contain, case.must_not_contain, contains).passed
