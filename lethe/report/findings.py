"""What was found, in a few sentences that are computed from the standings."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from lethe.analysis.setup import Setup
from lethe.analysis.states import MEASURES

Standing = Mapping[str, Any]
_MEANING = {
    "leak": ("Of what was released or purged", "came back"),
    "collateral": ("Of what had to stay", "was lost"),
    "stale": ("Of the replaced facts", "still answered"),
}


def findings(setup: Setup, suites: Sequence[Standing]) -> list[dict[str, str]]:
    """Sentences, each with the address of the view that shows what it says.

    Args:
        suites: `lethe.report.standings.suite_standings` of each.
    """
    by_name = {suite["name"]: suite for suite in suites if suite["rows"]}
    main = by_name.get(setup.adversarial_suite)
    if main is None:
        return []
    told = [_amount(setup, list(by_name.values())), *_best(setup, main), *_rates(setup, main), *_controls(setup, main)]
    held_out = by_name.get(setup.held_out_suite)
    return [*told, *(_unseen(setup, held_out) if held_out else ())]


def _amount(setup: Setup, suites: Sequence[Standing]) -> dict[str, str]:
    ran = {row["system"] for suite in suites for row in suite["rows"]}.difference(setup.controls())
    trials = sum(row["total"][1] for suite in suites for row in suite["rows"])
    broken = sum(row["total"][3] for suite in suites for row in suite["rows"])
    lost = f"; {broken:,} of them broke (error) and count as not passed" if broken else ""
    text = f"{len(ran)} configurations and the controls: {trials:,} trials on {_several(len(suites), 'suite')}{lost}."
    return {"text": text, "address": "#/trials"}


def _measured(setup: Setup, suite: Standing, fits: Callable[[str], bool] = lambda _: True) -> list[Standing]:
    """Rows of systems, controls and those that were developed on the cases left out."""
    rows = (row for row in suite["rows"] if setup.configurations[row["system"]].regime != "control")
    return [row for row in rows if not row["developedOn"] and fits(row["system"])]


def _best(setup: Setup, suite: Standing) -> Iterator[dict[str, str]]:
    kinds = (
        ("without a chat model", lambda name: not setup.configurations[name].asks_model),
        ("with one", lambda name: setup.configurations[name].asks_model),
    )
    best = []
    for words, fits in kinds:
        rows = _measured(setup, suite, fits)
        if rows:
            top = max(rows, key=lambda row: row["pass"][0])
            best.append(f"{words}, {_label(setup, top)} passes most, {_interval(top['pass'])}")
    if best:
        head = f"On the suite {suite['label']} ({_several(suite['cases'], 'case')})"
        yield {"text": f"{head}: {'; '.join(best)}.", "address": _standings(suite, "pass")}


def _rates(setup: Setup, suite: Standing) -> Iterator[dict[str, str]]:
    for measure in MEASURES:
        rows = [row for row in _measured(setup, suite) if row[measure] and not any(row["total"][2:])]
        if rows:
            least, most = (ends(rows, key=lambda row: row[measure][0]) for ends in (min, max))
            start, end = _MEANING[measure]
            span = f"{_percent(least[measure])} ({_label(setup, least)}) to {_percent(most[measure])}"
            text = f"{start}, {span} ({_label(setup, most)}) {end}, of systems with a verdict on every case."
            yield {"text": text, "address": _standings(suite, measure)}


def _controls(setup: Setup, suite: Standing) -> Iterator[dict[str, str]]:
    controls = {row["system"]: row for row in suite["rows"] if row["system"] in setup.controls()}
    if controls:
        passed = ", ".join(f"{_label(setup, row)} passes {row['total'][0]}" for row in controls.values())
        text = f"Controls, of {_several(suite['cases'], 'case')}: {passed}."
        yield {"text": text, "address": _standings(suite, "pass")}


def _unseen(setup: Setup, suite: Standing) -> Iterator[dict[str, str]]:
    rows = {row["system"]: row for row in _measured(setup, suite)}
    hooked = [pair for pair in setup.hook_pairs if setup.configurations[pair[1]].hook == "matcher"]
    shown = [
        f"{_label(setup, rows[hook])} {_interval(rows[hook]['pass'])}, without it {_percent(rows[plain]['pass'])}"
        for plain, hook in hooked
        if plain in rows and hook in rows
    ]
    if shown:
        head = f"On the suite {suite['label']}, whose cases no planner was developed on"
        yield {"text": f"{head}: {'; '.join(shown)}.", "address": _standings(suite, "pass")}


def _standings(suite: Standing, column: str) -> str:
    return f"#/findings?{urlencode({'suite': suite['name'], 'sort': column})}"


def _label(setup: Setup, row: Standing) -> str:
    return setup.configurations[row["system"]].label


def _percent(share: Sequence[float]) -> str:
    return f"{100 * share[0]:.1f} %"


def _interval(share: Sequence[float]) -> str:
    return f"{_percent(share)} [{100 * share[1]:.1f}, {100 * share[2]:.1f}]"


def _several(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
