"""The paper's category heatmap: its thirteen configurations on its cases, with regimes and N/A (Figure "heatmap")."""

from collections.abc import Sequence
from math import floor
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from forgeteval.cases.case import ADVERSARIAL_CATEGORIES
from lethe import schemas
from lethe.parquet import Row
from lethe.schemas import ALL
from lethe.study.published import Published
from lethe.study.replication.thirteen import COUNTED, MEASURED, PRINTED, Shown, thirteen_shown
from lethe.study.results import SuiteResults
from lethe.tables.figures.canvas import subplots
from lethe.tables.figures.grid import draw_grid
from lethe.tables.registry import figure
from lethe.tables.sources import labelled, of_paper, published_numbers, results_if
from lethe.tables.words import words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STYLES = {MEASURED: {"weight": "bold"}, COUNTED: {}, PRINTED: {"style": "italic"}}
"""Of the figures, by where they come from."""
_COLUMNS = (*ADVERSARIAL_CATEGORIES, ALL)
_SIZE = 7.4, 5.4
"""Inches: as wide as a page shows it without making it smaller."""


@figure(
    "heatmap",
    inputs=(results_if(of_paper), labelled(schemas.RELEASED_VERDICTS), labelled(schemas.CASES), published_numbers),
)
def draw_heatmap(
    results: SuiteResults | None, verdicts: Sequence[Row], cases: Sequence[Row], published: Published
) -> "Figure":
    """Draw percent passed of the evaluable cases of each category, and say for each row where its numbers come from.

    Args:
        results: of the paper's cases; None where they are not run, and every number is a printed one.
        verdicts, cases: see `lethe.study.replication.thirteen.thirteen_shown`.
    """
    rows = thirteen_shown(results, verdicts, cases, published)
    rates = [[row.rates.get(column, np.nan) for column in _COLUMNS] for row in rows]
    percent = 100 * np.array(rates, dtype=float)
    figure, axes = subplots(figsize=_SIZE)
    texts = [[_text(row, column) for column in _COLUMNS] for row in rows]
    draw_grid(axes, percent, texts, [{"fontsize": 8, **_STYLES[row.source]} for row in rows])
    axes.set_xticks(range(len(_COLUMNS)), [words(name) for name in _COLUMNS], fontsize=8, rotation=40, ha="left")
    axes.xaxis.tick_top()
    axes.tick_params(which="both", length=0)
    axes.axvline(len(_COLUMNS) - 1.5, color="black", linewidth=1)
    axes.set_yticks(range(len(rows)), [_label(row, results) for row in rows], fontsize=8.5)
    for place, row in enumerate(rows):
        axes.text(len(_COLUMNS) - 0.4, place, f"{row.system.regime}\n{row.source}", va="center", fontsize=6.5)
    notes = [
        "Percent of evaluable cases passed, on the paper's cases. Bold: measured here. Upright: counted from the "
        "released verdicts of the printed run. Italic: as printed, where that run was not released. –: the paper "
        "gives no number. N/A: the system lacks what the category asks.",
        *_notes(rows, results),
    ]
    lines = [line for note in notes for line in wrap(note, 150)]
    axes.text(-0.2, -0.03, "\n".join(lines), fontsize=6.5, va="top", transform=axes.transAxes)
    return figure


def _text(row: Shown, column: str) -> str:
    rate = row.rates.get(column, "–")
    # Halves up, as the paper's tables have them.
    return rate if isinstance(rate, str) else "N/A" if rate is None else f"{floor(100 * rate + 0.5)}"


def _label(row: Shown, results: SuiteResults | None) -> str:
    """The system's name; of one that was measured, with its version where tables give it."""
    if results is None or row.source != MEASURED:
        return words(row.system.name)
    return results.label_of(row.system.system)


def _notes(rows: Sequence[Shown], results: SuiteResults | None) -> list[str]:
    """What is to be known of the measured rows, and of those that are not."""
    if results is None:
        return ["The paper's cases are not run: every number is a printed one."]
    return results.notes(
        [row.system.system for row in rows if not row.system.model and row.system.system in results.configurations]
    )
