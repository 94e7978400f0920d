"""The figure of the long histories: what leaks against how many mutations ago it was forgotten."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lethe import schemas
from lethe.config.configurations import configuration_name
from lethe.parquet import Row
from lethe.study.long import AGES, BROKEN, JOINED
from lethe.study.setup import Setup
from lethe.tables.figures.canvas import subplots
from lethe.tables.figures.labels import label_beside, spread
from lethe.tables.registry import figure
from lethe.tables.sources import record, rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANELS = {"answered_leak": "released or purged, brought back (%)", "answered_stale": "old value brought back (%)"}
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
"""Okabe and Ito's palette without its yellow, which print loses."""
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
_LABEL_GAP = 4.8


@figure("long", inputs=(rows(schemas.LONG_SCORES), record), when=lambda setup: setup.long.configurations)
def draw_long(scores: Sequence[Row], setup: Setup) -> "Figure":
    """Draw leak and stale rate of the main configurations and `verbatim` at the middle k, with 95 % intervals, without
    those of which a question broke or was answered with several memories in one text.

    Args:
        scores: rows of `lethe.schemas.LONG_SCORES`.
    """
    k = sorted(setup.long.ks)[len(setup.long.ks) // 2]
    odd = {configuration_name(row) for row in scores if row["measure"] in (BROKEN, JOINED)}
    chosen = [
        name
        for name, entry in setup.configurations.items()
        if name in setup.long.configurations
        and name not in odd
        and not entry.extended
        and (entry.regime != "control" or name == "verbatim")
    ]
    rates = {(configuration_name(row), row["measure"], row["value"]): row for row in scores if _is_age(row, k)}
    figure, panels = subplots(1, 2, figsize=(9.6, 3.9), sharey=True)
    for axes, (measure, title) in zip(panels, _PANELS.items(), strict=True):
        _draw_panel(axes, measure, chosen, rates, setup)
        axes.set_title(title, fontsize=9, loc="left")
    panels[0].set_ylabel("share of such memories (%)")
    figure.supxlabel("mutations since it was taken away", fontsize=9)
    figure.text(
        0.02,
        -0.04,
        f"Generated histories: {setup.long.histories}; k = {k}. Bars: 95 % Wilson intervals over clusters (histories).",
        fontsize=7,
    )
    figure.subplots_adjust(wspace=0.45)
    return figure


def _is_age(row: Row, k: int) -> bool:
    return bool(row["cut"] == "age" and row["k"] == k)


def _draw_panel(
    axes: "Axes", measure: str, chosen: Sequence[str], rates: dict[tuple[str, str, str], Row], setup: Setup
) -> None:
    ages = [name for _, name in AGES]
    ends = []
    for position, name in enumerate(chosen):
        rows = [rates[name, measure, age] for age in ages if (name, measure, age) in rates]
        if not rows:
            continue
        control = setup.configurations[name].regime == "control"
        colour = "0.45" if control else _COLOURS[position % len(_COLOURS)]
        shift = 0.3 * ((position + 0.5) / len(chosen) - 0.5)
        places = [ages.index(row["value"]) + shift for row in rows]
        percent = [100 * row["rate"] for row in rows]
        bars = ([100 * (row["rate"] - row["low"]) for row in rows], [100 * (row["high"] - row["rate"]) for row in rows])
        axes.errorbar(places, percent, yerr=bars, fmt="none", ecolor=colour, elinewidth=0.8, alpha=0.5)
        style = ":" if control else "-"
        axes.plot(places, percent, style, color=colour, marker=_MARKERS[position % len(_MARKERS)], markersize=4)
        ends.append((places[-1], percent[-1], setup.configurations[name].label, colour))
    ends.sort(key=lambda end: end[1])
    heights = spread([height for _, height, _, _ in ends], _LABEL_GAP)
    for (place, height, label, colour), at in zip(ends, heights, strict=True):
        beside = (len(ages) - 0.6, at)
        label_beside(axes, label, (place, height), beside, 7, colour, {"color": colour, "alpha": 0.6})
    axes.set_xticks(range(len(ages)), ages, fontsize=8)
    axes.set_xlim(-0.4, len(ages) - 0.6)
    axes.set_ylim(-3, 103)
    axes.grid(axis="y", color="0.9")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
