"""The recall-forgetting figure: pass rates on Memora and on the adversarial suite (paper, Figure "pareto")."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

from lethe.config.configurations import configuration_name
from lethe.parquet import Row
from lethe.study.results import Score, SuiteResults
from lethe.study.setup import Setup
from lethe.tables.figures.canvas import subplots
from lethe.tables.figures.labels import label_beside, spread
from lethe.tables.registry import figure
from lethe.tables.sources import benchmark, main_results, record

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_STYLES = {
    "deterministic": ("#0072B2", "o"),
    "mutation hook": ("#D55E00", "s"),
    "vec-only": ("#CC79A7", "^"),
    "inscribe-time LLM": ("#E69F00", "v"),
    "KG abstraction": ("#56B4E9", "P"),
    "joint": ("#009E73", "D"),
    "no deletion": ("#000000", "X"),
    "control": ("#777777", "*"),
}
_OTHER = (("#882255", "<"), ("#44AA99", ">"), ("#332288", "h"))
"""Okabe and Ito's palette, a colour and a marker a regime, so that either alone tells them apart; then Tol's."""
_WIDTH, _LEAST_HEIGHT, _MARGINS = 6.8, 4.4, 2.0
"""Inches; the figure is as high as its column of labels."""
_LABEL_HEIGHT = 0.145
"""Inches."""
_LEADER = {"color": "0.45", "linestyle": (0, (1, 2)), "relpos": (0, 0.5)}
_LEGEND_GAP, _NOTES_GAP = 0.5, 1.15
"""Inches from the axis down to the legend and to the notes."""
_NOTES_WIDTH = 125
"""Signs of a line of notes."""


@dataclass(frozen=True, slots=True)
class Point:
    """One configuration, in percent: value and ends of its 95 % Wilson interval on both axes."""

    row: str
    label: str
    regime: str
    recall: tuple[float, float, float]
    forgetting: tuple[float, float, float]


def trade_off_points(forgetting: SuiteResults, recall: Sequence[Row]) -> tuple[list[Point], list[str]]:
    """The configurations measured on both axes, and the labels of those measured on one alone.

    Args:
        forgetting: the adversarial suite.
        recall: rows of `lethe.schemas.CROSSEVAL_SCORES` of Memora.
    """
    overall = {configuration_name(row): row for row in recall if row["cut"] == "overall" and row["rate"] is not None}
    points, left_out = [], []
    for row in forgetting.configurations:
        score, other = forgetting.score(row), overall.get(row)
        if score is not None and other is not None:
            regime = forgetting.configurations[row].regime
            points.append(Point(row, forgetting.label_of(row), regime, _percent(other), _percent(score)))
        elif (score is None) is not (other is None):
            left_out.append(forgetting.label_of(row))
    return points, left_out


def dominated(point: Point, points: Sequence[Point]) -> bool:
    """True where another point is at least as good on both axes and better on one."""
    return any(
        other.recall[0] >= point.recall[0]
        and other.forgetting[0] >= point.forgetting[0]
        and (other.recall[0], other.forgetting[0]) != (point.recall[0], point.forgetting[0])
        for other in points
    )


@figure("trade_off", inputs=(main_results, benchmark("memora"), record))
def draw_trade_off(forgetting: SuiteResults, recall: Sequence[Row], setup: Setup) -> "Figure":
    """Draw each configuration as a point with its intervals; rings mark those that no other dominates.

    Args:
        forgetting: the adversarial suite.
        recall: rows of `lethe.schemas.CROSSEVAL_SCORES` of Memora; none where it was not run.
    """
    points, left_out = trade_off_points(forgetting, recall)
    height = max(_LEAST_HEIGHT, _MARGINS + _LABEL_HEIGHT * len(points))
    figure, axes = subplots(figsize=(_WIDTH, height))
    inches = height * axes.get_position().height
    if points:
        _draw_points(axes, points, setup.hook_pairs, inches)
    else:
        reason = setup.benchmarks["memora"].absent or "not run"
        axes.text(0.5, 0.5, reason, ha="center", va="center", transform=axes.transAxes, fontsize=9)
        axes.axis((0, 100, 0, 100))
    axes.set_xlabel("recall: Memora weekly, questions passed (%)")
    axes.set_ylabel("forgetting: adversarial suite, cases passed (%)")
    axes.grid(color="0.92")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title("Recall and forgetting of the same systems, measured here", fontsize=9, loc="left")
    notes = ["Bars: 95 % Wilson intervals. Rings: not dominated by another system; controls do not count."]
    drawn = {point.row for point in points}
    if any(drawn.issuperset(pair) for pair in setup.hook_pairs):
        notes.append("Arrows: the same store with a hook.")
    if recall and left_out:
        notes.append(f"Not drawn, measured on one axis alone: {', '.join(left_out)}.")
    lines = [line for note in notes for line in wrap(note, _NOTES_WIDTH, subsequent_indent="    ")]
    axes.text(-0.13, -_NOTES_GAP / inches, "\n".join(lines), fontsize=7, va="top", transform=axes.transAxes)
    return figure


def _draw_points(axes: "Axes", points: Sequence[Point], lifts: Sequence[Sequence[str]], inches: float) -> None:
    regimes = list(dict.fromkeys(point.regime for point in points))
    spare = iter(_OTHER * len(regimes))
    styles = {regime: _STYLES.get(regime) or next(spare) for regime in regimes}
    measured = [point for point in points if point.regime != "control"]
    for point in points:
        (x, x_low, x_high), (y, y_low, y_high) = point.recall, point.forgetting
        colour, marker = styles[point.regime]
        across, along = [[x - x_low], [x_high - x]], [[y - y_low], [y_high - y]]
        axes.errorbar(x, y, yerr=along, xerr=across, fmt="none", ecolor=colour, elinewidth=0.7, alpha=0.35)
        axes.plot(x, y, marker, color=colour, markersize=6, zorder=3)
        if point in measured and not dominated(point, measured):
            axes.plot(x, y, "o", markersize=12, markerfacecolor="none", markeredgecolor="0.25", zorder=2)
    for regime, (colour, marker) in styles.items():
        axes.plot([], [], marker, color=colour, label=regime)
    below = (0.5, -_LEGEND_GAP / inches)
    axes.legend(title="regime", fontsize=7, title_fontsize=7, ncols=4, loc="upper center", bbox_to_anchor=below)
    by_row = {point.row: point for point in points}
    for plain, hooked in lifts:
        if plain in by_row and hooked in by_row:
            start, end = ((by_row[name].recall[0], by_row[name].forgetting[0]) for name in (plain, hooked))
            axes.annotate("", end, start, arrowprops={"arrowstyle": "->", "color": "0.4", "linewidth": 0.9})
    _label(axes, points, styles, inches)


def _label(axes: "Axes", points: Sequence[Point], styles: Mapping[str, tuple[str, str]], inches: float) -> None:
    """Write the labels in a column to the right of axes so many inches high, each joined to its point."""
    low, high = axes.get_ylim()
    edge = axes.get_xlim()[1]
    order = sorted(points, key=lambda point: (point.forgetting[0], -point.recall[0]))
    gap = (high - low) * _LABEL_HEIGHT / inches
    wanted = spread([point.forgetting[0] for point in order], gap)
    # Many systems at zero would have their labels below the axis.
    heights = [max(height, low + gap * place) for place, height in enumerate(wanted)]
    for point, height in zip(order, heights, strict=True):
        place = edge + 0.02 * (edge - axes.get_xlim()[0]), height
        colour, at = styles[point.regime][0], (point.recall[0], point.forgetting[0])
        label_beside(axes, point.label, at, place, 7.5, colour, _LEADER)
    axes.set_ylim(low, high)
    axes.set_xlim(right=edge)


def _percent(score: Row | Score) -> tuple[float, float, float]:
    rate, low, high = (100 * float(score[name]) for name in ("rate", "wilson_low", "wilson_high"))
    return rate, low, high
