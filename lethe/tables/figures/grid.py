"""A grid of percents: a row for each system, a column for each category, in colours and in figures."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lethe.tables.figures.canvas import rectangle

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DARK_BELOW = 47.0
"""Percent below which a cell of the colour map is dark enough to want white figures."""


def draw_grid(
    axes: "Axes", percent: NDArray[np.float64], texts: Sequence[Sequence[str]], styles: Sequence[Mapping[str, Any]]
) -> Any:
    """Colour each cell by its percent, hatch those without one unless they are a dash, and write a text into each.

    Args:
        percent: of (row, column); NaN for none.
        texts: of each cell.
        styles: of a row's texts.

    Returns:
        The image, for a colour bar.
    """
    image = axes.imshow(percent, cmap="cividis", vmin=0, vmax=100, aspect="auto")
    for (row, column), value in np.ndenumerate(percent):
        if np.isnan(value):
            corner = column - 0.5, row - 0.5
            hatch = "" if texts[row][column] == "–" else "///"
            axes.add_patch(rectangle(corner, 1, 1, facecolor="0.93", edgecolor="0.7", hatch=hatch, lw=0))
        style = {"fontsize": 7, "color": "white" if value < _DARK_BELOW else "black", **styles[row]}
        if style.pop("backed", False) and not np.isnan(value):
            style["bbox"] = {"facecolor": image.to_rgba(percent[row, column]), "edgecolor": "none", "pad": 1.2}
        axes.text(column, row, texts[row][column], ha="center", va="center", **style)
    rows, columns = percent.shape
    axes.set_xticks(np.arange(0.5, columns - 1), minor=True)
    axes.set_yticks(np.arange(0.5, rows - 1), minor=True)
    axes.grid(which="minor", color="white", linewidth=1)
    axes.tick_params(which="both", length=0)
    return image
