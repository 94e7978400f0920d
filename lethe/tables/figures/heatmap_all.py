"""Pass rate of every system by category of this project's adversarial suite, with regimes and N/A."""

from textwrap import fill, wrap
from typing import TYPE_CHECKING

import numpy as np

from lethe.study.results import SuiteResults
from lethe.tables.figures.canvas import rectangle, subplots
from lethe.tables.figures.grid import draw_grid
from lethe.tables.registry import figure
from lethe.tables.sources import main_results
from lethe.tables.words import words

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@figure("heatmap_all", inputs=(main_results,))
def draw_heatmap_all(results: SuiteResults) -> "Figure":
    """Draw percent passed of the evaluable cases of each category; whole-category N/A is hatched, not coloured.

    Rows of a planner that was developed on these cases are striped, and named so.

    Systems that did not run are named below, with the reason.
    """
    every = [*results.names(controls=False), *results.names(controls=True)]
    systems = results.ran(every)
    developed = [results.is_seen_by(system) for system in systems]
    categories = results.values("category")
    percent = np.full((len(systems), len(categories)), np.nan)
    texts = [[""] * len(categories) for _ in systems]
    for row, system in enumerate(systems):
        for column, category in enumerate(categories):
            score = results.score(system, category, "category")
            if score is None:
                texts[row][column] = "–"
            elif score["evaluable_rate"] is None:
                texts[row][column] = "N/A" if score["na"] else "error"
            else:
                percent[row, column] = 100 * score["evaluable_rate"]
                texts[row][column] = f"{percent[row, column]:.0f}" + ("*" if score["na"] or score["errors"] else "")

    figure, axes = subplots(figsize=(1.9 + 0.66 * len(categories) + 1.3, 1.5 + 0.34 * len(systems)))
    image = draw_grid(axes, percent, texts, [{"backed": seen} for seen in developed])
    axes.set_xticks(range(len(categories)), [fill(words(name), 12) for name in categories], fontsize=6.5)
    axes.set_yticks(range(len(systems)), [results.label_of(system) for system in systems], fontsize=7.5)
    for row, system in enumerate(systems):
        regime = results.configurations[system].regime
        if developed[row]:
            regime += ", developed here"
            area = (-0.5, row - 0.5), len(categories), 1
            axes.add_patch(rectangle(*area, fill=False, edgecolor="white", hatch="\\\\", lw=0))
        axes.text(len(categories) - 0.4, row, regime, ha="left", va="center", fontsize=6.5, style="italic")
    figure.colorbar(image, ax=axes, pad=0.17, fraction=0.025, label="percent of evaluable cases passed")
    title = f"{results.label} suite, {results.cases()} cases (* without those that are N/A or broke)"
    axes.set_title(title, fontsize=8, loc="left")
    notes = [line for note in results.notes(every) for line in wrap(note, 120, subsequent_indent="    ")]
    axes.annotate(
        "\n".join(notes), (0, 0), (-110, -42), "axes fraction", textcoords="offset points", fontsize=5.5, va="top"
    )
    return figure
