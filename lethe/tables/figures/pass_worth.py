"""The figure of what a pass was worth: published runs on all cases and on those that no control passes."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from lethe import schemas
from lethe.parquet import Row
from lethe.study.released.worth import EVERY, HARD
from lethe.study.setup import Setup
from lethe.tables.figures.canvas import subplots
from lethe.tables.registry import figure
from lethe.tables.sources import compared, record
from lethe.tables.words import words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_STYLES = {EVERY: ("#0072B2", "o", 0.14), HARD: ("#D55E00", "s", -0.14)}
"""Okabe and Ito's colours, a marker, and how far above the run's line it stands."""
_LINE = 0.27
"""Height of a run, inches."""


@figure("pass_worth", inputs=(compared(schemas.PASS_WORTH), record))
def draw_pass_worth(rows: Sequence[Row], setup: Setup) -> "Figure":
    """Draw percent passed with 95 % Wilson intervals, a panel for each suite, best run on all cases first.

    Args:
        rows: rows of `lethe.schemas.PASS_WORTH` of the published suites.
    """
    panels: dict[str, dict[str, dict[str, Row]]] = {}
    for row in rows:
        if row["origin"] == "published":
            panels.setdefault(row["suite"], {}).setdefault(row["name"], {})[row["subset"]] = row
    heights = [len(runs) for runs in panels.values()]
    size = (7.6, 1.4 + _LINE * sum(heights) + 0.7 * len(heights))
    figure, found = subplots(
        max(1, len(panels)), figsize=size, squeeze=False, height_ratios=heights or [1], sharex=True
    )
    for axes, (suite, runs) in zip(found[:, 0], panels.items(), strict=False):
        _draw_suite(axes, runs, setup.suites[suite].label)
    last: Axes = found[-1, 0]
    if panels:
        last.set_xlabel("published verdicts: cases passed (%), 95 % Wilson intervals")
        last.legend(loc="upper center", bbox_to_anchor=(0.5, -0.55 / (_LINE * heights[-1])), ncols=2, fontsize=8)
    else:
        reason = setup.release.absent or "not run"
        last.text(0.5, 0.5, reason, ha="center", va="center", transform=last.transAxes, fontsize=9)
    figure.subplots_adjust(hspace=0.12)
    return figure


def _draw_suite(axes: "Axes", runs: Mapping[str, Mapping[str, Row]], label: str) -> None:
    order = sorted(runs, key=lambda name: runs[name][EVERY]["rate"])
    for subset, (colour, marker, shift) in _STYLES.items():
        drawn = [(place, runs[name][subset]) for place, name in enumerate(order) if subset in runs[name]]
        rates = [100 * row["rate"] for _, row in drawn]
        low = [100 * (row["rate"] - row["wilson_low"]) for _, row in drawn]
        high = [100 * (row["wilson_high"] - row["rate"]) for _, row in drawn]
        cases = max((row["cases"] for _, row in drawn), default=0)
        places = [place + shift for place, _ in drawn]
        axes.errorbar(
            rates, places, xerr=(low, high), fmt=marker, color=colour, markersize=4.5, elinewidth=0.8, label=subset
        )
        axes.text(1.01, 0.98 if subset == EVERY else 0.98 - 0.16 / (_LINE * len(order)), f"n = {cases} {subset}",
                  transform=axes.transAxes, color=colour, fontsize=7, va="top")  # fmt: skip
    axes.set_yticks(range(len(order)), [_run_label(name) for name in order], fontsize=7)
    axes.set_ylim(-0.6, len(order) - 0.4)
    axes.set_xlim(-2, 102)
    axes.grid(axis="x", color="0.9")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(label, fontsize=9, loc="left")


def _run_label(name: str) -> str:
    """The name of a published run, its system in words."""
    system, opening, described = name.partition(" (")
    return f"{words(system)}{opening}{described}"
