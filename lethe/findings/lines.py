"""What was measured, and five findings: each number is of the analysis, and judging words follow from numbers."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from forgeteval.errors import UserError
from lethe.findings.numbers import (
    Absent,
    Hooks,
    Lasting,
    Matched,
    Measured,
    Numbers,
    Passed,
    Rate,
    Recorded,
    Stores,
    Worth,
)
from lethe.tables.beyond.atlas import NO_TRACE, THE_SENTENCE

_MATCHED = {
    "held_out": "held-out cases",
    "external": "cases by outside authors",
    "twins": "requests for what is not stored",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was found.

    Attributes:
        claim: a sentence that a reader can repeat.
        details: what it rests on, with suites, numbers and what speaks against it.
        figure: the name of the figure that goes with it; empty for none.
        tables: names of those that show its numbers.
    """

    topic: str
    claim: str
    details: Sequence[str]
    figure: str
    tables: Sequence[str]


def findings(numbers: Numbers, *, partial: bool = False) -> list[Finding]:
    """What was measured, then the findings: stores, the atlas, hooks, what published passes are worth, what lasts.

    Args:
        partial: let a finding whose part of the study was not run say so, in place of an error.

    Raises:
        UserError: where a number is lacking.
    """
    return [finding(topic, numbers, partial=partial) for topic in TOPICS]


def finding(topic: str, numbers: Numbers, *, partial: bool = False) -> Finding:
    """One of them; errors as of `findings`."""
    field, tell, figure, tables = _FINDINGS[topic]
    found = getattr(numbers, field)
    if not isinstance(found, Absent):
        claim, *details = tell(found)
        return Finding(topic, claim, details, figure, tables)
    if partial and found.not_run:
        return Finding(topic, found.reason, [], "", tables)
    remedy = "; run it, or let the line say so by --partial" if found.not_run else ""
    raise UserError(f"{topic}: {found.reason}{remedy}")


def _measured(found: Measured) -> list[str]:
    knowing = max(found.adversarial, key=lambda control: control.passed)
    blind = [control for control in found.adversarial if control is not knowing]
    passed = (
        ", ".join(f"{control.name} {control.passed}" for control in blind)
        if any(control.passed for control in blind)
        else "none"
    )
    silent = [f"{found.silent} more {'is' if found.silent == 1 else 'are'} N/A on every case."] if found.silent else []
    return [
        f"{found.systems} configurations of memory stores ran on {knowing.cases} adversarial cases; controls that know "
        f"no answer pass {passed}.",
        f"The control {knowing.name}, which is told the answers, passes {knowing.passed}.",
        f"Some ran on further suites, {len(found.controls)} in all.",
        *silent,
    ]


def _stores(found: Stores) -> list[str]:
    best = max(found.passed, key=lambda each: each.passed)
    lead = "No store" if 2 * best.passed < best.cases else "Some store"
    alike = (
        [
            f"Only {found.different} of the {len(found.passed)} stores differ: each of the others passes as many cases "
            "of every category as one of these."
        ]
        if found.different < len(found.passed)
        else []
    )
    held_out = (
        [f"On {found.held_out[0].cases} held-out cases they pass {_fewest_to_most(found.held_out)}."]
        if found.held_out
        else []
    )
    return [
        f"{lead} passes half of the {best.cases} adversarial cases; the best, "
        f"{_names(each.name for each in found.passed if each.passed == best.passed)}, passes {best.passed}.",
        f"{len(found.passed)} stores without hook or model pass {_fewest_to_most(found.passed)}.",
        *held_out,
        f"They still recall {_least_to_most(found.leak)} of what was released or purged (95 % intervals in brackets).",
        f"They lose {_least_to_most(found.lost)} of what had to stay.",
        *alike,
    ]


def _recorded(found: Recorded) -> list[str]:
    clean = [name for name, what in found.left.items() if what == NO_TRACE]
    whole = sum(what == THE_SENTENCE for what in found.left.values())
    hidden = len(found.passed) - len(found.left)
    lost = [f"Of what they were told they lose {_least_to_most(found.lost)} on writing."] if found.lost else []
    return [
        f"Of {len(found.left)} packages that promise to forget, {len(found.left) - len(clean)} still hold words of an "
        "erased memory in their files after a restart.",
        f"The whole sentence is still held by {whole} of them.",
        *([f"Nothing is left by {', '.join(clean)}."] if clean else []),
        *(
            [f"Of {hidden} more the files cannot tell: there are none, or nothing was seen in them before."]
            if hidden
            else []
        ),
        f"{found.claiming} say of an erasure that nothing is left, {found.wrongly} of them while something is.",
        f"Of {found.passed[0].cases} adversarial cases they pass {_fewest_to_most(found.passed)}.",
        *lost,
    ]


def _hooks(found: Hooks) -> list[str]:
    own = {store.name: store.passed for store in found.alone}
    gains = [passed.passed - own[store] for stores in found.with_model.values() for store, passed in stores.items()]
    worse, better = sum(gain < 0 for gain in gains), sum(gain > 0 for gain in gains)
    return [
        f"A small chat model before each mutation {_helps(worse, better, len(gains))}.",
        f"Of {found.alone[0].cases} adversarial cases {len(own)} stores pass {_low_to_high(found.alone)} alone.",
        *(
            f"With a model of {size} parameters (recorded answers) {len(stores)} pass {_low_to_high(stores.values())}."
            for size, stores in found.with_model.items()
        ),
        *map(_matched, found.matcher),
    ]


def _helps(worse: int, better: int, pairs: int) -> str:
    if not worse and not better:
        return f"changes nothing: each of {pairs} pairs passes as many cases as the store alone"
    if worse == better:
        return (
            f"harms as often as it helps: {worse} of {pairs} pairs pass fewer cases than the store alone, as many more"
        )
    if worse > better:
        often = "mostly harms" if 2 * worse > pairs else "harms more often than it helps"
        return f"{often}: {worse} of {pairs} pairs of store and model pass fewer cases than the store alone"
    often = "mostly helps" if 2 * better > pairs else "helps more often than it harms"
    return f"{often}: {better} of {pairs} pairs of store and model pass more cases than the store alone"


def _matched(found: Matched) -> str:
    best = found.control
    control = "" if best is None else f" (the control {best.name}: {best.passed})"
    return (
        f"The matcher, a hook without a model, takes {found.alone.name} from {found.alone.passed} to "
        f"{found.hooked.passed} of {found.alone.cases} {_MATCHED[found.suite]}{control}."
    )


def _worth(found: Worth) -> list[str]:
    every, hard = ([100 * run.passed / run.cases for run in runs] for runs in (found.every, found.hard))
    cases, left = (max(run.cases for run in runs) for runs in (found.every, found.hard))
    return [
        f"Controls that know no answer pass {cases - left} of the {cases} cases that the paper's authors released.",
        f"On the other {left}, the {len(every)} published runs pass {min(hard):.0f} to {max(hard):.0f} %.",
        f"On all {cases} they pass {min(every):.0f} to {max(every):.0f} %.",
    ]


def _lasting(found: Lasting) -> list[str]:
    told, held = (max(rate.facts for rate in rates) for rates in (found.leak, found.lost))
    gone = [system.name for system in found.audited if system.gone]
    named = [f"Nothing is left by {', '.join(gone)}."] if gone else []
    return [
        f"After a purge, {len(gone)} of {len(found.audited)} stores leave nothing of the memory in their files.",
        *named,
        f"Each was tried {max(system.cases for system in found.audited)} times: it had to erase one of "
        f"{found.audited[0].memories} memories, asked for by its exact text.",
        f"In histories of hundreds of facts, {len(found.leak)} stores still recall {_least_to_most(found.leak)} of "
        f"{told} memories that were released or purged.",
        f"They lose {_least_to_most(found.lost)} of {held} that hold.",
    ]


def _least_to_most(rates: Sequence[Rate]) -> str:
    """The least and the most of rates, with their 95 % intervals and the systems they are of."""
    ends = (choose(rates, key=lambda each: each.rate) for choose in (min, max))
    return " to ".join(
        f"{100 * end.rate:.0f} % [{100 * end.low:.0f}, {100 * end.high:.0f}] "
        f"({_names(each.name for each in rates if each.rate == end.rate)})"
        for end in ends
    )


def _fewest_to_most(passed: Sequence[Passed]) -> str:
    ends = (choose(passed, key=lambda each: each.passed) for choose in (min, max))
    return " to ".join(
        f"{end.passed} ({_names(each.name for each in passed if each.passed == end.passed)})" for end in ends
    )


def _names(systems: Iterable[str]) -> str:
    """The names of systems that are alike; of more than three, how many they are."""
    first, *others = systems
    return f"each of {1 + len(others)}" if len(others) > 2 else " and ".join([first, *others])


def _low_to_high(found: Iterable[Passed]) -> str:
    passed = [each.passed for each in found]
    low, high = min(passed), max(passed)
    return str(low) if low == high else f"{low} to {high}"


_FINDINGS: dict[str, tuple[str, Callable[[Any], list[str]], str, Sequence[str]]] = {
    "What was measured": ("measured", _measured, "", ("controls", "states")),
    "Stores alone": ("stores", _stores, "stores", ("states", "own_adversarial")),
    "The atlas": ("recorded", _recorded, "atlas", ("atlas", "atlas_promises", "atlas_erasure")),
    "Hooks": ("hooks", _hooks, "model_size", ("model_size", "states", "suites_by_category", "twins")),
    "What published passes are worth": ("worth", _worth, "pass_worth", ("pass_worth",)),
    "What lasts": ("lasting", _lasting, "erasure", ("long", "erasure", "states")),
}
"""By topic: the field of `Numbers`, what tells it (the claim first), its figure, its tables."""
TOPICS = tuple(_FINDINGS)
FIGURES = {
    "stores": "What stores still recall of what was to be forgotten, and what they lose of what had to stay",
    "atlas": "What packages of the atlas still recall of what was to be forgotten, against what they lose",
    "model_size": "What a hook gains, by the size of its chat model",
    "pass_worth": "Published runs on all cases, and on those that no control passes",
    "erasure": "What is left of a purged memory in each system's files, level by level",
}
"""What each figure shows, by name."""
