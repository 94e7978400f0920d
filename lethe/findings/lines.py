"""The five lines. Every number of theirs is of the analysis; words that judge are chosen by comparing numbers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from forgeteval.errors import UserError
from lethe.findings.numbers import Absent, Hooks, Lasting, Matched, Measured, Numbers, Passed, Rate, Stores, Worth

_MATCHED = {
    "held_out": "held-out cases",
    "external": "cases by outside authors",
    "twins": "requests for what is not stored",
}


def five_lines(numbers: Numbers, *, partial: bool = False) -> list[str]:
    """What was measured, what stores lose, what hooks do, what published passes are worth, what lasts.

    Args:
        partial: let a line whose part of the study was not run say so, in place of an error.

    Raises:
        UserError: where a number is lacking.
    """
    return [f"**{topic}.** {line_of(topic, numbers, partial=partial)}" for topic in TOPICS]


def line_of(topic: str, numbers: Numbers, *, partial: bool = False) -> str:
    """One of the lines, without its topic; errors as of `five_lines`."""
    field, line, _ = _LINES[topic]
    found = getattr(numbers, field)
    if not isinstance(found, Absent):
        return line(found)
    if partial and found.not_run:
        return found.reason
    remedy = "; run it, or let the line say so by --partial" if found.not_run else ""
    raise UserError(f"{topic}: {found.reason}{remedy}")


def _measured(found: Measured) -> str:
    more = f" {found.silent} more {'is' if found.silent == 1 else 'are'} N/A on every case." if found.silent else ""
    shown = ", ".join(f"{control.name} {control.passed}" for control in found.adversarial)
    return (
        f"{found.systems} configurations of memory stores ran on this project's {found.adversarial[0].cases} "
        f"adversarial cases, some also on further suites ({len(found.controls)} in all).{more} Of these cases the "
        f"{len(found.adversarial)} controls pass: {shown}."
    )


def _stores(found: Stores) -> str:
    cases = found.passed[0].cases
    best = max(each.passed for each in found.passed)
    alike = (
        f" Many are alike: by category they come to {found.different} different results."
        if found.different < len(found.passed)
        else ""
    )
    held_out = (
        f" Of {found.held_out[0].cases} held-out cases they pass {_fewest_to_most(found.held_out)}."
        if found.held_out
        else ""
    )
    return (
        f"{'No store' if 2 * best < cases else 'Some store'} alone passes half of the adversarial cases. "
        f"{len(found.passed)} configurations without hook, model, N/A or caveat pass {_fewest_to_most(found.passed)} "
        f"of {cases}.{alike}{held_out} Of what was released or purged they still recall "
        f"{_least_to_most(found.leak)}. Of what had to stay they lose {_least_to_most(found.lost)} (95 % intervals in "
        "brackets)."
    )


def _hooks(found: Hooks) -> str:
    own = {store.name: store.passed for store in found.alone}
    gains = [passed.passed - own[store] for stores in found.with_model.values() for store, passed in stores.items()]
    worse, better = sum(gain < 0 for gain in gains), sum(gain > 0 for gain in gains)
    passed = ", ".join(f"{_low_to_high(stores.values())} with {size}" for size, stores in found.with_model.items())
    return (
        f"A small chat model before each mutation {_helps(worse, better)}: {worse} of {len(gains)} pairs of store and "
        f"model pass fewer cases than the store alone, {better} more. Of {found.alone[0].cases} adversarial cases "
        f"{len(found.alone)} stores pass {_low_to_high(found.alone)} alone, {passed} parameters (recorded answers). "
        f"The matcher is a hook without a model. {' '.join(map(_matched, found.matcher))}"
    )


def _helps(worse: int, better: int) -> str:
    if worse == better:
        return "harms as often as it helps"
    return "mostly harms" if worse > better else "mostly helps"


def _matched(found: Matched) -> str:
    best = found.control
    beside = "" if best is None else f" (the control {best.name} {best.passed})"
    return (
        f"Of {found.alone.cases} {_MATCHED[found.suite]} {found.alone.name} passes {found.alone.passed} alone and "
        f"{found.hooked.passed} with it{beside}."
    )


def _worth(found: Worth) -> str:
    every, hard = ([100 * run.passed / run.cases for run in runs] for runs in (found.every, found.hard))
    cases, left = (max(run.cases for run in runs) for runs in (found.every, found.hard))
    return (
        f"Controls that know no answer pass {cases - left} of the {cases} cases that the paper's authors released. On "
        f"the other {left} the {len(every)} published runs pass {min(hard):.0f} to {max(hard):.0f} %. On all {cases} "
        f"they pass {min(every):.0f} to {max(every):.0f} %."
    )


def _lasting(found: Lasting) -> str:
    told, held = (max(rate.facts for rate in rates) for rates in (found.leak, found.lost))
    gone = [system.name for system in found.audited if system.gone]
    named = f": {', '.join(gone)}" if gone else ""
    return (
        f"In histories of hundreds of facts, {len(found.leak)} stores still recall {_least_to_most(found.leak)} of "
        f"{told} memories that were released or purged. They lose {_least_to_most(found.lost)} of {held} that hold. "
        f"After a purge by a memory's own words, {len(gone)} of {len(found.audited)} stores leave nothing of it in "
        f"their files{named} ({max(system.cases for system in found.audited)} cases, among "
        f"{found.audited[0].memories} memories each)."
    )


def _least_to_most(rates: Sequence[Rate]) -> str:
    """The least and the most of rates, with their intervals and the systems they are of."""
    ends = (choose(rates, key=lambda each: each.rate) for choose in (min, max))
    return " to ".join(
        f"{100 * end.rate:.0f} % [{100 * end.low:.0f}, {100 * end.high:.0f}] ({end.name})" for end in ends
    )


def _fewest_to_most(passed: Sequence[Passed]) -> str:
    ends = (choose(passed, key=lambda each: each.passed) for choose in (min, max))
    return " to ".join(f"{end.passed} ({end.name})" for end in ends)


def _low_to_high(found: Iterable[Passed]) -> str:
    passed = [each.passed for each in found]
    low, high = min(passed), max(passed)
    return str(low) if low == high else f"{low} to {high}"


_LINES: dict[str, tuple[str, Callable[[Any], str], Sequence[str]]] = {
    "What was measured": ("measured", _measured, ("controls", "states")),
    "Stores alone": ("stores", _stores, ("states", "own_adversarial")),
    "Hooks": ("hooks", _hooks, ("model_size", "states", "suites_by_category", "twins")),
    "What published passes are worth": ("worth", _worth, ("pass_worth",)),
    "What lasts": ("lasting", _lasting, ("long", "erasure", "states")),
}
TOPICS: Mapping[str, Sequence[str]] = {topic: shown for topic, (_, _, shown) in _LINES.items()}
"""The tables that show the numbers of each line."""
