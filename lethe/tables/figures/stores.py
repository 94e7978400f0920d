"""The figure of what stores alone leak and lose: a line for all that do alike."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lethe import schemas
from lethe.parquet import Row
from lethe.study.alone import Alike, alike, fact_rates, stores_alone
from lethe.study.results import SuiteResults
from lethe.study.setup import Setup
from lethe.tables.figures.canvas import subplots
from lethe.tables.registry import figure
from lethe.tables.sources import main, main_results, record

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MARKS = (
    ("leak", "told to forget, still recalled", "#D55E00", "o"),
    ("collateral", "had to stay, lost", "#0072B2", "s"),
)
"""Measure, what it says, one of Okabe and Ito's colours, and a marker."""
_SIZE = 10
"""Points: the figure is read at half its width."""
_WIDTH, _LINE, _MARGINS = 7.0, 0.34, 1.5
"""Inches."""
_FEWEST = 3
"""Lines that the figure has room for at least: its title and legend need their height."""


@figure("stores", inputs=(main_results, main(schemas.FACT_STATES), record))
def draw_stores(results: SuiteResults, rows: Sequence[Row], setup: Setup) -> "Figure":
    """Draw leak and collateral with 95 % intervals, the store that loses least at the top.

    Args:
        rows: rows of `lethe.schemas.FACT_STATES` of the adversarial suite.
    """
    rates = fact_rates(rows)
    groups = sorted(
        alike(stores_alone(setup, results, rates), rates), key=lambda each: -each.leak["rate"] - each.collateral["rate"]
    )
    figure, axes = subplots(figsize=(_WIDTH, _MARGINS + _height(len(groups))))
    for measure, said, colour, marker in _MARKS:
        found = [getattr(group, measure) for group in groups]
        rate = [100 * row["rate"] for row in found]
        ends = [
            [100 * (row["rate"] - row["low"]) for row in found],
            [100 * (row["high"] - row["rate"]) for row in found],
        ]
        axes.errorbar(
            rate, range(len(groups)), xerr=ends, fmt=marker, color=colour, markersize=7, elinewidth=1.6, label=said
        )
    axes.set_yticks(range(len(groups)), [_label(group, setup) for group in groups], fontsize=_SIZE)
    _finish(axes, results)
    figure.tight_layout()
    return figure


def _finish(axes: "Axes", results: SuiteResults) -> None:
    axes.set_xlim(0, 100)
    axes.set_xlabel("facts (%), 95 % intervals", fontsize=_SIZE)
    axes.grid(axis="x", color="0.9")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(
        f"What stores do when told to forget\n{results.label}, {results.cases()} cases", fontsize=11, loc="left"
    )
    if axes.get_yticks().size:
        below = -0.62 / _height(axes.get_yticks().size)
        axes.legend(loc="upper center", bbox_to_anchor=(0.4, below), ncols=2, fontsize=_SIZE, frameon=False)
    else:
        axes.text(0.5, 0.5, "no store alone ran", ha="center", va="center", transform=axes.transAxes, fontsize=_SIZE)


def _height(lines: int) -> float:
    """Of the axes, inches."""
    return _LINE * max(_FEWEST, lines)


def _label(group: Alike, setup: Setup) -> str:
    """The name of the first, and how many do as it does."""
    first, *others = (setup.configurations[name].label for name in group.names)
    return first if not others else f"{first}, {others[0]}" if len(others) == 1 else f"{first} and {len(others)} others"
