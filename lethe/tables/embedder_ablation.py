"""The embedder ablation (paper, section "Embedder ablation"): cross-lingual cases by embedder."""

from collections.abc import Sequence

from lethe.analysis.published import Published
from lethe.analysis.results import SuiteResults
from lethe.tables.cells import PaperTable
from lethe.tables.tables import pass_cell

_CATEGORY = "cross_lingual_identifier"


def embedder_ablation_table(
    results: SuiteResults, embedder: str, systems: Sequence[str], published: Published
) -> PaperTable:
    """Passes on the cross-lingual cases and overall with the configured embedder; another one is not run.

    Args:
        embedder: name of the configured embedder.
        systems: rows that take vectors, in the order to show.
    """
    used = embedder.rsplit("/", 1)[-1]
    others = [name for name in published.columns("text_embedder") if name != used]

    def measured(system: str) -> list[str]:
        scores = (results.score(system, _CATEGORY, "category"), results.score(system))
        return [results.label_of(system), used, *("not run" if score is None else pass_cell(score) for score in scores)]

    def printed(system: str) -> list[list[str]]:
        label = results.label_of(system) if system in results.systems else system
        return [
            [f"published: {label}", name, f"{number.value} of {number.n}", ""]
            for name in published.columns("text_embedder")
            if (number := published.find("text_embedder", system, name)) is not None
        ]

    return PaperTable(
        "embedder_ablation",
        f"Embedders, {results.label.lower()} suite, measured here, {results.scorer} scorer: cases passed (percent). "
        "Below, what the paper published, on 16 cases of its own.",
        ("System", "embedder", f"{_CATEGORY} (n={results.cases(_CATEGORY, 'category')})", f"all (n={results.cases()})"),
        [
            [measured(system) for system in systems],
            [["all", name, "not run: no other embedder configured", ""] for name in others],
            [line for system in published.rows("text_embedder") for line in printed(system)],
        ],
        results.notes(systems),
        wide=True,
    )
