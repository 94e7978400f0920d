"""Labels next to the axes, moved apart so that none covers another and each joined to its point."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def label_beside(
    axes: "Axes", text: str, point: tuple[float, float], place: tuple[float, float], size: float, colour: str, line: Any
) -> None:
    """Write a label at `place`, joined to its point by a line in the given style."""
    arrow = {"arrowstyle": "-", "linewidth": 0.5, **line}
    axes.annotate(text, point, place, va="center", fontsize=size, color=colour, annotation_clip=False, arrowprops=arrow)


def spread(wanted: Sequence[float], gap: float) -> list[float]:
    """Heights at least `gap` apart, in the ascending order of `wanted` and as near to it as groups of them can be."""
    groups: list[list[float]] = []
    for height in wanted:
        groups.append([height])
        while len(groups) > 1 and _bottom(groups[-1], gap) - _top(groups[-2], gap) < gap:
            last = groups.pop()
            groups[-1].extend(last)
    return [_bottom(group, gap) + gap * place for group in groups for place in range(len(group))]


def _bottom(group: Sequence[float], gap: float) -> float:
    return sum(group) / len(group) - gap * (len(group) - 1) / 2


def _top(group: Sequence[float], gap: float) -> float:
    return sum(group) / len(group) + gap * (len(group) - 1) / 2
