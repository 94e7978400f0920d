"""The figure of pass rates by system and category: what each cell says, and rows that are not a measure."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from lethe.tables.figures.heatmap_all import draw_heatmap_all
from tests.support.suite_results import SYSTEMS, per_system, suite


@pytest.fixture
def drawn() -> Iterator[Figure]:
    systems = {**SYSTEMS, "mem0": {**SYSTEMS["mem0"], "hook": "matcher"}}
    rows = [
        *per_system("lethe", {"passed": 4}, {"passed": 1}),
        *per_system("mem0", {"passed": 9}, {"passed": 5}),
        *per_system("naive_sql", {"passed": 3, "na": 4}, {"passed": 0, "na": 5}),
    ]
    yield draw_heatmap_all(replace(suite(*rows, systems=systems), seen_by=["matcher"]))
    plt.close("all")


def texts_of(figure: Figure, row: int) -> list[str]:
    """The texts beside the cells of a row and in them."""
    return [text.get_text() for text in figure.axes[0].texts if text.get_position()[1] == row]


def test_a_cell_says_percent_of_the_evaluable_cases_and_whether_some_are_not(drawn: Figure) -> None:
    assert [label.get_text() for label in drawn.axes[0].get_yticklabels()] == ["Lethe", "Mem0 & Co_50%", "Naive SQL"]
    assert texts_of(drawn, 0)[:2] == ["40", "20"] and texts_of(drawn, 2)[:2] == ["50*", "N/A"]


def test_only_a_row_developed_on_the_cases_is_striped_and_says_so(drawn: Figure) -> None:
    axes = drawn.axes[0]
    striped = [each for each in axes.patches if isinstance(each, Rectangle) and not each.get_fill()]
    assert [round(each.get_y() + 0.5) for each in striped] == [1]
    assert [text.get_text() for text in axes.texts if "developed here" in text.get_text()] == texts_of(drawn, 1)[2:]
    assert [text.get_bbox_patch() is not None for text in axes.texts].count(True) == 2, "numbers stand clear of them"
