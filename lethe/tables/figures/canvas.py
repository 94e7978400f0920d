"""Where figures are drawn; Matplotlib is slow to import, and the rules read the modules of the figures."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def subplots(*shape: int, **options: Any) -> tuple["Figure", Any]:
    """A figure and its axes, as `matplotlib.pyplot.subplots` has them, drawn without a screen."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(*shape, **options)
    return figure, axes


def rectangle(*arguments: Any, **style: Any) -> Any:
    """A rectangle to be added to axes, as `matplotlib.patches.Rectangle`."""
    from matplotlib.patches import Rectangle

    return Rectangle(*arguments, **style)
