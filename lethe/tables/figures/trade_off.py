"""The recall-forgetting figure: pass rates on Memora and on the paper's cases (paper, Figure "pareto")."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

from forgeteval.scoring.intervals import wilson
from lethe import schemas
from lethe.config.configurations import configuration_name
from lethe.parquet import Row
from lethe.study.joining import SAID
from lethe.study.released.recount import printed_runs
from lethe.study.released.runs import runs_of
from lethe.study.remarks import joined_in_benchmarks
from lethe.study.replication.printed_systems import THIRTEEN
from lethe.study.replication.thirteen import COUNTED, SUITE, passed_of
from lethe.study.results import Score, SuiteResults
from lethe.study.setup import Setup
from lethe.tables.figures.canvas import subplots
from lethe.tables.figures.labels import label_beside, spread
from lethe.tables.registry import figure
from lethe.tables.sources import benchmark, labelled, of_paper, record, results_of
from lethe.tables.words import words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COUNTED = f"mutation hook, {COUNTED}"
_STYLES = {
    "deterministic": ("#0072B2", "o"),
    _COUNTED: ("#D55E00", "s"),
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
_LEGEND = {"matcher": "matcher, developed on this project's cases"}
"""What the legend says about a regime next to its name."""
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
    """One configuration, in percent: value and ends of its 95 % Wilson interval on both axes.

    Attributes:
        store: the configuration without a hook whose recall stands for its own, which was not measured; empty for none.
    """

    row: str
    label: str
    regime: str
    recall: tuple[float, float, float]
    forgetting: tuple[float, float, float]
    store: str = ""


def trade_off_points(forgetting: SuiteResults, recall: Sequence[Row]) -> list[Point]:
    """The primary systems and controls that were measured on both axes, without who joins memories in one text.

    Args:
        forgetting: the paper's cases, or this project's own.
        recall: rows of `lethe.schemas.CROSSEVAL_SCORES` of Memora.
    """
    joining = {remark.name for remark in joined_in_benchmarks(recall)}
    overall = {configuration_name(row): row for row in recall if row["cut"] == "overall" and row["rate"] is not None}
    points = []
    for row in [*forgetting.main_names(), *forgetting.names(controls=True)]:
        score, other = forgetting.score(row), overall.get(row)
        if score is not None and other is not None and row not in joining:
            regime = forgetting.configurations[row].regime
            points.append(Point(row, forgetting.label_of(row), regime, _percent(other), _percent(score)))
    return points


def counted_points(points: Sequence[Point], verdicts: Iterable[Row]) -> list[Point]:
    """The paper's hooks, by the released verdicts, each at the recall of its store.

    Args:
        points: see `trade_off_points`.
        verdicts: rows of `lethe.schemas.RELEASED_VERDICTS`; none without the release.
    """
    by_row = {point.row: point for point in points}
    runs, printed, found = runs_of(verdicts, SUITE), printed_runs(SUITE), list[Point]()
    for name in (system.name for system in THIRTEEN if system.regime == "mutation hook"):
        run, store = printed[name], by_row.get(name.removesuffix("+llm"))
        if store is not None and run in runs:
            passed, cases = passed_of(runs[run])
            low, high = wilson(passed, cases)
            forgetting = (100 * passed / cases, 100 * low, 100 * high)
            label = f"{words(name)} ({run.model.rpartition('/')[2]})"
            found.append(Point(name, label, _COUNTED, store.recall, forgetting, store.row))
    return found


def dominated(point: Point, points: Sequence[Point]) -> bool:
    """True where another point is at least as good on both axes and better on one."""
    return any(
        other.recall[0] >= point.recall[0]
        and other.forgetting[0] >= point.forgetting[0]
        and (other.recall[0], other.forgetting[0]) != (point.recall[0], point.forgetting[0])
        for other in points
    )


@figure(
    "trade_off",
    inputs=(
        results_of(lambda setup: of_paper(setup) or setup.adversarial_suite),
        benchmark("memora"),
        labelled(schemas.RELEASED_VERDICTS),
        record,
    ),
)
def draw_trade_off(forgetting: SuiteResults, recall: Sequence[Row], verdicts: Sequence[Row], setup: Setup) -> "Figure":
    """Draw each primary system as a point with its intervals; rings mark those that no other dominates.

    Args:
        forgetting: the paper's cases; this project's own where those are not run.
        recall: rows of `lethe.schemas.CROSSEVAL_SCORES` of Memora; none where it was not run.
        verdicts: rows of `lethe.schemas.RELEASED_VERDICTS`; none without the release.
    """
    points = trade_off_points(forgetting, recall)
    points += counted_points(points, verdicts)
    height = max(_LEAST_HEIGHT, _MARGINS + _LABEL_HEIGHT * len(points))
    figure, axes = subplots(figsize=(_WIDTH, height))
    inches = height * axes.get_position().height
    lifts = [*setup.hook_pairs, *([point.store, point.row] for point in points if point.store)]
    if points:
        _draw_points(axes, points, lifts, inches)
    else:
        reason = setup.benchmarks["memora"].absent or "not run"
        axes.text(0.5, 0.5, reason, ha="center", va="center", transform=axes.transAxes, fontsize=9)
        axes.axis((0, 100, 0, 100))
    whose = "the paper's" if forgetting.suite == of_paper(setup) else "this project's"
    axes.set_xlabel("recall: Memora weekly, questions passed (%)")
    axes.set_ylabel(f"forgetting: passed of {whose} {forgetting.cases()} cases (%)")
    axes.grid(color="0.92")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(f"Recall, and forgetting on {whose} adversarial cases", fontsize=9, loc="left")
    notes = [
        "Bars: 95 % Wilson intervals. Rings: not dominated by another system measured here; controls do not count."
    ]
    drawn = {point.row for point in points}
    if any(drawn.issuperset(pair) for pair in lifts):
        notes.append("Arrows: the same store with a hook.")
    if any(point.store for point in points):
        notes.append(
            "Recall with a counted hook was not released: it is taken for the store's own, as the paper takes it."
        )
    if joining := [forgetting.label_of(remark.name) for remark in joined_in_benchmarks(recall)]:
        notes.append(f"Not drawn: {', '.join(joining)}, whose recalls {SAID}.")
    lines = [line for note in notes for line in wrap(note, _NOTES_WIDTH, subsequent_indent="    ")]
    axes.text(-0.13, -_NOTES_GAP / inches, "\n".join(lines), fontsize=7, va="top", transform=axes.transAxes)
    return figure


def _draw_points(axes: "Axes", points: Sequence[Point], lifts: Iterable[Sequence[str]], inches: float) -> None:
    regimes = list(dict.fromkeys(point.regime for point in points))
    spare = iter(_OTHER * len(regimes))
    styles = {regime: _STYLES.get(regime) or next(spare) for regime in regimes}
    filled = {regime: "none" if regime == _COUNTED else "full" for regime in regimes}
    competing = [point for point in points if point.regime not in ("control", _COUNTED)]
    for point in points:
        (x, x_low, x_high), (y, y_low, y_high) = point.recall, point.forgetting
        colour, marker = styles[point.regime]
        across = None if point.store else [[x - x_low], [x_high - x]]
        along = [[y - y_low], [y_high - y]]
        axes.errorbar(x, y, yerr=along, xerr=across, fmt="none", ecolor=colour, elinewidth=0.7, alpha=0.35)
        axes.plot(x, y, marker, color=colour, markersize=6, zorder=3, fillstyle=filled[point.regime])
        if point in competing and not dominated(point, competing):
            axes.plot(x, y, "o", markersize=12, markerfacecolor="none", markeredgecolor="0.25", zorder=2)
    for regime, (colour, marker) in styles.items():
        axes.plot([], [], marker, color=colour, fillstyle=filled[regime], label=_LEGEND.get(regime, regime))
    below = (0.5, -_LEGEND_GAP / inches)
    axes.legend(title="regime", fontsize=7, title_fontsize=7, ncols=3, loc="upper center", bbox_to_anchor=below)
    by_row = {point.row: point for point in points}
    for plain, hooked in lifts:
        if plain in by_row and hooked in by_row:
            start, end = ((by_row[name].recall[0], by_row[name].forgetting[0]) for name in (plain, hooked))
            dashes = "--" if by_row[hooked].store else "-"
            axes.annotate(
                "", end, start, arrowprops={"arrowstyle": "->", "color": "0.4", "linewidth": 0.9, "linestyle": dashes}
            )
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
