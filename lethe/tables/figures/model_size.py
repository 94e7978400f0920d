"""The figure of what a hook gains by the size of its chat model: a line for each store, a panel for each suite."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lethe.study.published import Published
from lethe.study.results import SuiteResults
from lethe.study.setup import Setup
from lethe.tables.beyond.model_size import PUBLISHED_MODELS, PUBLISHED_STORES, families, parameters_text
from lethe.tables.beyond.models import reason_no_run
from lethe.tables.figures.canvas import subplots
from lethe.tables.registry import figure
from lethe.tables.sources import every_results, published_numbers, record

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_STYLES = (("#0072B2", "o"), ("#D55E00", "s"), ("#009E73", "^"), ("#CC79A7", "D"), ("#000000", "v"), ("#E69F00", "P"))
"""Okabe and Ito's colours, and a marker, by store."""
_NO_HOOK, _NO_MODEL = "no\nhook", "hook,\nno\nmodel"
Point = tuple[str, float, float, float]
"""Place on the axis, percent passed, and the ends of its 95 % Wilson interval."""


@figure("model_size", inputs=(every_results, record, published_numbers))
def draw_model_size(suites: Mapping[str, SuiteResults], setup: Setup, published: Published) -> "Figure":
    """Draw percent passed, from the store without a hook to the largest model; the paper's models stand hollow.

    A planner without a model stands by itself, and where it was developed on the cases, that is said.
    """
    panels = {suite: lines for suite, results in suites.items() if (lines := _lines(results, setup))}
    figure, found = subplots(1, max(1, len(panels)), figsize=(1.6 + 2.3 * max(1, len(panels)), 3.9), squeeze=False)
    if not panels:
        found[0, 0].text(
            0.5, 0.5, reason_no_run(setup), ha="center", va="center", transform=found[0, 0].transAxes, fontsize=9
        )
        return figure
    paper = setup.compared_suites().get("adversarial")
    stores = list(dict.fromkeys(store for lines in panels.values() for store in lines))
    for axes, (suite, lines) in zip(found[0], panels.items(), strict=True):
        sizes = sorted({size for name in setup.parameters if (size := setup.parameters[name])})
        places = [_NO_HOOK, _NO_MODEL, *map(parameters_text, sizes)]
        if suite == paper:
            places += [parameters_text(size) for _, size in PUBLISHED_MODELS.values()]
            _draw_published(axes, places, stores, published)
        for store, points in lines.items():
            _draw_line(axes, places, points, stores.index(store), store)
        if "matcher" in suites[suite].seen_by:
            note = "developed on\nthese cases"
            axes.text(places.index(_NO_MODEL), 101, note, fontsize=7, ha="center", va="top", color="0.4")
        axes.set_xticks(range(len(places)), places, fontsize=7)
        axes.set_title(f"{suites[suite].label}, {suites[suite].cases()} cases", fontsize=9, loc="left")
        axes.set_ylim(-2, 102)
        axes.grid(axis="y", color="0.9")
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_xlabel("parameters of the hook's model", fontsize=8)
    found[0, 0].set_ylabel("cases passed (%), 95 % Wilson intervals", fontsize=8)
    drawn = [axes.get_legend_handles_labels() for axes in found[0]]
    handles = {label: handle for pair in drawn for handle, label in zip(*pair, strict=True)}
    found[0, -1].legend(
        handles.values(), handles, fontsize=7, loc="upper left", bbox_to_anchor=(1.02, 1), frameon=False
    )
    figure.tight_layout()
    return figure


def _lines(results: SuiteResults, setup: Setup) -> dict[str, list[Point]]:
    """Points by the label of the store without a hook; only where a chat model ran."""
    lines: dict[str, list[Point]] = {}
    for plain, *hooked in families(setup):
        points: list[Point] = []
        for name in (plain, *hooked):
            score, entry = results.score(name), setup.configurations[name]
            size = setup.parameters.get(entry.model)
            if score is None or (entry.model and size is None):
                continue
            place = parameters_text(size) if size else _NO_MODEL if entry.hook else _NO_HOOK
            points.append((place, 100 * score["rate"], 100 * score["wilson_low"], 100 * score["wilson_high"]))
        if any(place not in (_NO_HOOK, _NO_MODEL) for place, *_ in points):
            lines[setup.configurations[plain].label] = points
    return lines


def _draw_line(axes: "Axes", places: Sequence[str], points: Sequence[Point], number: int, label: str) -> None:
    """The store without a hook and with each model, joined; the hook without a model stands by itself."""
    colour, marker = _STYLES[number % len(_STYLES)]
    joined = [point for point in points if point[0] != _NO_MODEL]
    alone = [point for point in points if point[0] == _NO_MODEL]
    for part, line, shown in ((joined, "-", label), (alone, "none", None)):
        _draw_points(axes, places, part, 0.07 * number, color=colour, marker=marker, linestyle=line, label=shown)


def _draw_points(axes: "Axes", places: Sequence[str], points: Sequence[Point], shift: float, **style: Any) -> None:
    at = [places.index(place) + shift for place, *_ in points]
    rates = [rate for _, rate, _, _ in points]
    bars = [[rate - low for _, rate, low, _ in points], [high - rate for _, rate, _, high in points]]
    axes.errorbar(at, rates, yerr=bars, markersize=4.5, linewidth=1, elinewidth=0.7, **style)


def _draw_published(axes: "Axes", places: Sequence[str], stores: Sequence[str], published: Published) -> None:
    for system, store in PUBLISHED_STORES.items():
        colour, marker = _STYLES[stores.index(store) % len(_STYLES)] if store in stores else ("0.4", "o")
        for model, (_, size) in PUBLISHED_MODELS.items():
            share = published.value("cross_llm", system, model, "percent")
            label = f"{store}, as published" if model == next(iter(PUBLISHED_MODELS)) else None
            if share is not None:
                axes.plot(
                    places.index(parameters_text(size)),
                    float(share),
                    marker,
                    color=colour,
                    fillstyle="none",
                    label=label,
                )
