"""The figure of the erasure audit: the verdict of each system at each level."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lethe import schemas
from lethe.parquet import Row
from lethe.study import erasure
from lethe.study.setup import Setup
from lethe.tables.beyond.erasure import in_words, worst_of, worst_verdicts
from lethe.tables.figures.canvas import rectangle, subplots
from lethe.tables.registry import figure
from lethe.tables.sources import record, rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS = {
    erasure.GONE: "#009E73",
    erasure.UNTIL: "#F0E442",
    erasure.DECLARED: "#E69F00",
    erasure.PRESENT: "#D55E00",
    erasure.FAILED: "#CC79A7",
    erasure.LOST: "#000000",
    erasure.ERROR: "#56B4E9",
    erasure.NA: "0.88",
}
"""Okabe and Ito's palette."""
_SIGNS = {
    erasure.GONE: "gone",
    erasure.UNTIL: "until\ncomp.",
    erasure.DECLARED: "declared",
    erasure.PRESENT: "present",
    erasure.FAILED: "comp.\nfailed",
    erasure.LOST: "bystander\nlost",
    erasure.ERROR: "error",
    erasure.NA: "N/A",
}
_ON_DARK = (erasure.LOST, erasure.PRESENT, erasure.GONE)


@figure("erasure", inputs=(rows(schemas.ERASURE_SCORES), record), when=lambda setup: setup.erasure.stores)
def draw_erasure(scores: Sequence[Row], setup: Setup) -> "Figure":
    """Draw systems by level, each in its largest store; a share of the cases below 1 stands next to the worst verdict.

    Args:
        scores: rows of `lethe.schemas.ERASURE_SCORES`.
    """
    found = worst_verdicts(scores)
    largest = {name: max(rows for other, rows in found if other == name) for name, _ in found}
    names = [name for name in setup.configurations if name in largest]
    figure, axes = subplots(figsize=(2.2 + 0.85 * len(erasure.SHOWN), 0.9 + 0.36 * len(names)))
    for row, name in enumerate(names):
        for column, level in enumerate(erasure.SHOWN):
            counts = found[name, largest[name]].get(level, {})
            worst, total = worst_of(counts), sum(counts.values())
            axes.add_patch(rectangle((column, row), 1, 1, facecolor=_COLOURS[worst], edgecolor="white"))
            part = "" if not total or counts[worst] == total else f"\n{counts[worst]}/{total}"
            colour = "white" if worst in _ON_DARK else "black"
            shown = _SIGNS[worst] + part
            axes.text(column + 0.5, row + 0.5, shown, ha="center", va="center", fontsize=6, color=colour)
    axes.set_xlim(0, len(erasure.SHOWN))
    axes.set_ylim(len(names), 0)
    titles = [level.replace("A6 fed", "A6\nfed") for level in erasure.SHOWN]
    axes.set_xticks([column + 0.5 for column in range(len(titles))], titles, fontsize=7)
    labels = [f"{setup.configurations[name].label} ({largest[name]})" for name in names]
    axes.set_yticks([row + 0.5 for row in range(len(names))], labels, fontsize=7)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    figure.text(0.02, 0.01, f"In {in_words(setup.erasure)}; in brackets, memories in the store.", fontsize=6)
    return figure
