"""The store-size figure: pass rate against the number of unrelated memories in the store, one line for each system."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lethe import schemas
from lethe.config.configurations import Configuration
from lethe.parquet import Row
from lethe.study.joining import SAID
from lethe.study.results import run_again
from lethe.study.setup import Setup
from lethe.study.steps.score_store_size import counts_of_system, joined_of_system
from lethe.tables.figures.canvas import subplots
from lethe.tables.figures.labels import label_beside, spread
from lethe.tables.registry import figure
from lethe.tables.sources import record, rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
"""Okabe and Ito's palette without its yellow, which print loses."""
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
_LINES = ("-", "--", "-.", (0, (1, 1.2)), (0, (5, 1, 1, 1, 1, 1)))
_CONTROL = {"color": "0.45", "marker": "*", "linestyle": ":"}
_BAR_SPREAD = 0.3
"""Width, in steps of the x axis, over which the systems' intervals stand side by side."""
_LABEL_GAP = 4.6
"""Percent between two labels at the lines' ends, so that none covers another."""


@figure(
    "store_size",
    inputs=(rows(schemas.STORE_SIZE), record),
    when=lambda setup: setup.store_size.enabled and bool(setup.store_size.configurations),
)
def draw_store_size(scores: Sequence[Row], setup: Setup) -> "Figure":
    """Draw percent passed with 95 % Wilson intervals; a system that is N/A on every case, or joins memories in a text,
    is named under the figure.

    Args:
        scores: rows of `lethe.schemas.STORE_SIZE`.
    """
    axis = setup.store_size
    systems = {name: setup.configurations[name] for name in axis.configurations}
    by_place = {(score["system"], score["size"]): score for score in scores}
    sizes = sorted({score["size"] for score in scores})
    drawn = [
        name
        for name in systems
        if any(s["system"] == name and s["na"] < s["cases"] for s in scores) and not joined_of_system(scores, name)
    ]
    figure, axes = subplots(figsize=(6.6, 4.0))
    ends = []
    for position, name in enumerate(drawn):
        shift = _BAR_SPREAD * ((position + 0.5) / len(drawn) - 0.5)
        style = _style(position, systems[name].regime)
        ends.append(_draw_system(axes, [by_place[name, size] for size in sizes], shift, style))
    _label_ends(axes, ends, [systems[name].label for name in drawn], len(sizes) - 1 + _BAR_SPREAD / 2)

    axes.set_xticks(range(len(sizes)), [f"{size:,}".replace(",", "\u2009") for size in sizes])
    axes.set_xlim(-0.3, len(sizes) - 0.7)
    axes.set_ylim(-3, 103)
    axes.set_xlabel("unrelated memories in the store before the case's own facts")
    axes.set_ylabel("cases passed (%)")
    axes.grid(axis="y", color="0.9")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    cases = max(score["cases"] // setup.repetitions_of(score["system"]) for score in scores)
    counted = f"{axis.suite_label} suite, n = {cases} cases a point"
    title = f"Pass rate by store size: {counted}, top {setup.k} memories recalled"
    axes.set_title(title, fontsize=9, loc="left")
    notes = ["Bars: 95 % Wilson intervals, set side by side. N/A and errors count as not passed."]
    notes.extend(_notes(scores, systems))
    notes.extend(run_again({entry.label: setup.repetitions_of(name) for name, entry in systems.items()}))
    figure.text(0.02, -0.01, "\n".join(notes), fontsize=7, va="top")
    return figure


def _style(position: int, regime: str) -> dict[str, Any]:
    if regime == "control":
        return _CONTROL
    return {
        "color": _COLOURS[position % len(_COLOURS)],
        "marker": _MARKERS[position % len(_MARKERS)],
        "linestyle": _LINES[position % len(_LINES)],
    }


def _draw_system(axes: "Axes", scores: Sequence[Row], shift: float, style: Mapping[str, Any]) -> Any:
    places = [position + shift for position in range(len(scores))]
    percent = [100 * score["rate"] for score in scores]
    below = [100 * (score["rate"] - score["wilson_low"]) for score in scores]
    above = [100 * (score["wilson_high"] - score["rate"]) for score in scores]
    axes.errorbar(places, percent, yerr=(below, above), fmt="none", ecolor=style["color"], elinewidth=0.8, alpha=0.55)
    (line,) = axes.plot(places, percent, markersize=5, linewidth=1.5, **style)
    return line


def _label_ends(axes: "Axes", lines: Sequence[Any], labels: Sequence[str], edge: float) -> None:
    """Write each line's label to the right of its last point, moved up or down where two would touch."""
    order = sorted(range(len(lines)), key=lambda position: lines[position].get_ydata()[-1])
    wanted = [float(lines[position].get_ydata()[-1]) for position in order]
    for position, height in zip(order, spread(wanted, _LABEL_GAP), strict=True):
        line = lines[position]
        last, colour = (line.get_xdata()[-1], line.get_ydata()[-1]), line.get_color()
        label_beside(axes, labels[position], last, (edge + 0.15, height), 8, colour, {"color": colour, "alpha": 0.6})


def _notes(scores: Sequence[Row], systems: Mapping[str, Configuration]) -> list[str]:
    """A line for each system with N/A or errors: one that is N/A on every case has no line in the figure."""
    notes = []
    for name, entry in systems.items():
        cases, na, errors = counts_of_system(scores, name)
        if cases and na == cases:
            notes.append(f"{entry.label} is not drawn: N/A on every case.")
        elif joined := joined_of_system(scores, name):
            notes.append(f"{entry.label} is not drawn: {joined} of {cases} recalls {SAID}.")
        elif na:
            notes.append(f"{entry.label}: {na} of {cases} trials N/A.")
        if errors:
            notes.append(f"{entry.label}: {errors} of {cases} trials broke (error).")
    return notes
