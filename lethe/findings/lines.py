"""The five lines. Every number of theirs is of the analysis; words that judge are chosen by comparing numbers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from forgeteval.errors import UserError
from lethe.findings.numbers import Absent, Hooks, Lasting, Matched, Measured, Numbers, Passed, Rate, Stores, Worth

_MATCHED = {
    "held_out": "held-out cases, written in this house,",
    "external": "cases by outside authors",
    "twins": "twins, requests for what is not stored,",
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
    more = f" (beside {found.silent} that are N/A on every case)" if found.silent else ""
    shown = ", ".join(f"{control.name} {control.passed}" for control in found.adversarial)
    return (
        f"{found.systems} configurations of memory stores, with and without a hook{more}, on this project's "
        f"{found.adversarial[0].cases} adversarial cases, some of them on further suites ({len(found.controls)} in "
        f"all). Of the adversarial cases the {len(found.adversarial)} controls pass: {shown}."
    )


def _stores(found: Stores) -> str:
    cases = found.passed[0].cases
    passed = f"{_fewest_to_most(found.passed)} of {cases}"
    if found.held_out:
        passed += f", {_fewest_to_most(found.held_out)} of {found.held_out[0].cases} held-out ones"
    unlike = f" ({found.different} different rows by category)" if found.different < len(found.passed) else ""
    best = max(each.passed for each in found.passed)
    return (
        f"{'None passes' if 2 * best < cases else 'Some pass'} half of the adversarial cases: "
        f"{len(found.passed)} configurations with neither hook nor model, no case N/A and no caveat{unlike} "
        f"pass {passed}. Of what was released or purged in the adversarial cases they still recall "
        f"{_least_to_most(found.leak)}; of what had to stay they lose {_least_to_most(found.lost)} (95 % intervals in "
        "brackets)."
    )


def _hooks(found: Hooks) -> str:
    own = {store.name: store.passed for store in found.alone}
    gains = [passed.passed - own[store] for stores in found.with_model.values() for store, passed in stores.items()]
    worse, better = sum(gain < 0 for gain in gains), sum(gain > 0 for gain in gains)
    passed = ", ".join(f"{_low_to_high(stores.values())} with {size}" for size, stores in found.with_model.items())
    return (
        f"A small chat model, asked before each mutation (recorded answers), {_helps(worse, better)}: with it {worse} "
        f"of {len(gains)} pairs of store and model pass fewer cases than the store alone, {better} more. Of "
        f"{found.alone[0].cases} adversarial cases {len(found.alone)} stores pass {_low_to_high(found.alone)} without "
        f"one, {passed} parameters. A planner that asks no model, {found.matcher[0].alone.name} without and with it: "
        f"{'; '.join(map(_matched, found.matcher))}."
    )


def _helps(worse: int, better: int) -> str:
    if worse == better:
        return "harms as often as it helps"
    return "mostly harms" if worse > better else "mostly helps"


def _matched(found: Matched) -> str:
    best = found.control
    beside = "" if best is None else f" (the control {best.name}: {best.passed})"
    return f"of {found.alone.cases} {_MATCHED[found.suite]} {found.alone.passed} and {found.hooked.passed}{beside}"


def _worth(found: Worth) -> str:
    every, hard = ([100 * run.passed / run.cases for run in runs] for runs in (found.every, found.hard))
    cases, left = (max(run.cases for run in runs) for runs in (found.every, found.hard))
    return (
        f"{left} of the {cases} cases that the paper's authors released are passed by no control. On these the "
        f"{len(every)} published runs pass {min(hard):.0f} to {max(hard):.0f} %; on all {cases}, {min(every):.0f} to "
        f"{max(every):.0f} %."
    )


def _lasting(found: Lasting) -> str:
    told, held = (max(rate.facts for rate in rates) for rates in (found.leak, found.lost))
    gone = [system.name for system in found.audited if system.gone]
    named = f" ({', '.join(gone)})" if gone else ""
    return (
        f"In histories of hundreds of facts, of {told} that were released or purged {_least_to_most(found.leak)} are "
        f"recalled when asked for by their own text, and of {held} that hold {_least_to_most(found.lost)} are not, by "
        f"the {len(found.leak)} configurations of which no adversarial case is N/A. After a purge by a memory's own "
        f"words, {len(gone)} of the {len(found.audited)} systems whose files were searched{named} have nothing of it "
        f"left in them (tried on {max(system.cases for system in found.audited)} cases, among "
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
