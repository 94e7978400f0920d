"""The figure of stores: however few they are, what stands around them has room."""

import warnings
from typing import Any

import pytest
from matplotlib import pyplot as plt

from lethe.schemas import ALL
from lethe.tables.figures.stores import draw_stores
from tests.support.tables import configuration, results, score, setup


def rate(system: str, measure: str, value: float) -> dict[str, Any]:
    whole = {"cut": "overall", "value": ALL, "facts": 10, "low": value - 0.1, "high": value + 0.1}
    return {"system": system, "model": "", "measure": measure, "rate": value, **whole}


@pytest.mark.parametrize("count", [0, 1, 2, 3, 8])
def test_the_layout_fits_however_few_stores_there_are(count: int) -> None:
    systems = {f"s{number}": configuration(f"Store {number}") for number in range(count)}
    rows = [
        rate(name, measure, 0.2 + number / 20)
        for number, name in enumerate(systems)
        for measure in ("leak", "collateral")
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = draw_stores(results([score(name, "all", 5, 10) for name in systems], systems), rows, setup(systems))
    (axes,) = figure.axes
    assert len(axes.get_yticklabels()) == count
    plt.close(figure)
