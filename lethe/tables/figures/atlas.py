"""The figure of the atlas: leak against collateral, and by the form of the mark, what is left on disk."""

from collections.abc import Sequence
from math import ceil, floor
from typing import TYPE_CHECKING

from lethe import schemas
from lethe.parquet import Row
from lethe.study.setup import Setup
from lethe.tables.beyond.atlas import A_WORD, NO_TRACE, THE_SENTENCE, left_over, recorded_systems
from lethe.tables.figures.canvas import subplots
from lethe.tables.figures.labels import label_beside, spread
from lethe.tables.registry import figure
from lethe.tables.sources import record, rows_if

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_STYLES = {
    THE_SENTENCE: ("#D55E00", "X"),
    A_WORD: ("#E69F00", "^"),
    NO_TRACE: ("#0072B2", "o"),
    "": ("#777777", "s"),
}
"""Okabe and Ito's colours and a marker, so that either alone tells them apart, by what is left."""
_NOT_SEEN = "not known: no files, or nothing seen in them before"
_WIDTH, _LEAST_HEIGHT, _MARGINS, _LABEL_HEIGHT = 6.8, 4.0, 1.6, 0.15
"""Inches."""
_LEADER = {"color": "0.45", "linestyle": (0, (1, 2)), "relpos": (0, 0.5)}


@figure(
    "atlas",
    inputs=(
        rows_if(schemas.ATLAS_FACTS, lambda setup: setup.atlas),
        rows_if(schemas.ATLAS_ERASURE, lambda setup: setup.atlas),
        record,
    ),
)
def draw_atlas(facts: Sequence[Row], erasure: Sequence[Row], setup: Setup) -> "Figure":
    """Draw each recorded configuration as a point with its intervals; the best stand at the lower left.

    Args:
        facts: rows of `lethe.schemas.ATLAS_FACTS`.
        erasure: rows of `lethe.schemas.ATLAS_ERASURE`.
    """
    main = [row for row in facts if row["suite"] == setup.adversarial_suite]
    rates = {(row["system"], row["measure"]): row for row in main}
    shown = [
        (label, left_over([row for row in erasure if row["system"] == name], "A3"), leak, collateral)
        for name, label, _ in recorded_systems(setup)
        if (leak := rates.get((name, "leak"))) and (collateral := rates.get((name, "collateral")))
    ]
    height = max(_LEAST_HEIGHT, _MARGINS + _LABEL_HEIGHT * len(shown))
    figure, axes = subplots(figsize=(_WIDTH, height))
    if shown:
        axes.set_xlim(*_around([leak for *_, leak, _ in shown]))
        axes.set_ylim(*_around([collateral for *_, collateral in shown]))
    for _, left, leak, collateral in shown:
        _draw_point(axes, left, leak, collateral)
    _draw_labels(axes, [(label, left, _percent(one), _percent(other)) for label, left, one, other in shown], height)
    if not shown:
        axes.text(0.5, 0.5, "nothing is recorded", ha="center", va="center", transform=axes.transAxes, fontsize=9)
    for left in _STYLES if shown else ():
        colour, marker = _STYLES[left]
        axes.plot([], [], marker, color=colour, label=left or _NOT_SEEN)
    axes.set_xlabel("leak: of what was to be forgotten, there (%)")
    axes.set_ylabel("collateral: of what had to stay, gone (%)")
    axes.grid(color="0.92")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title("The atlas on the adversarial suite, with 95 % intervals", fontsize=9, loc="left")
    if shown:
        axes.legend(
            title="left in its files by its strongest deletion",
            fontsize=7,
            title_fontsize=7,
            ncols=2,
            loc="upper center",
            bbox_to_anchor=(0.5, -0.55 / (height * axes.get_position().height)),
        )
    return figure


def _draw_point(axes: "Axes", left: str, leak: Row, collateral: Row) -> None:
    colour, marker = _STYLES[left]
    x, y = _percent(leak), _percent(collateral)
    bars = [[[100 * (row["rate"] - row["low"])], [100 * (row["high"] - row["rate"])]] for row in (leak, collateral)]
    axes.errorbar(x, y, xerr=bars[0], yerr=bars[1], fmt="none", ecolor=colour, elinewidth=0.7, alpha=0.35)
    axes.plot(x, y, marker, color=colour, markersize=6, zorder=3)


def _draw_labels(axes: "Axes", points: Sequence[tuple[str, str, float, float]], height: float) -> None:
    """Write the labels in a column to the right of axes in a figure so many inches high."""
    low, high = axes.get_ylim()
    left_end, right_end = axes.get_xlim()
    edge = right_end + 0.02 * (right_end - left_end)
    gap = (high - low) * _LABEL_HEIGHT / (height * axes.get_position().height)
    order = sorted(points, key=lambda point: (point[3], -point[2]))
    wanted = spread([point[3] for point in order], gap)
    for place, ((label, left, x, y), at) in enumerate(zip(order, wanted, strict=True)):
        label_beside(axes, label, (x, y), (edge, max(at, low + gap * place)), 7.5, _STYLES[left][0], _LEADER)


def _around(rates: Sequence[Row]) -> tuple[float, float]:
    """Ends of an axis, in tens of percent, between which all intervals lie."""
    low, high = min(row["low"] for row in rates), max(row["high"] for row in rates)
    return 10.0 * floor(10 * low), 10.0 * ceil(10 * high)


def _percent(row: Row) -> float:
    return float(100 * row["rate"])
