"""The table of embedders: what each is, and the adversarial suite with each."""

from collections.abc import Sequence

from forgeteval.cases.case import in_known_order
from lethe import schemas
from lethe.parquet import Row
from lethe.schemas import ALL
from lethe.study.published import Published
from lethe.study.results import developed_on, run_again
from lethe.study.setup import Setup
from lethe.tables import cells
from lethe.tables.registry import table
from lethe.tables.sources import main, published_numbers, record
from lethe.tables.table import Cell, Table
from lethe.tables.words import words

_PRINTED = "text_embedder"
_CROSS_LINGUAL = "cross_lingual_identifier"
_MEGABYTE = 1_000_000
_NO_SYSTEM = "not run: none of embedder_ablation.systems runs"


@table(
    "embedder_ablation", inputs=(main(schemas.EMBEDDER_ABLATION), main(schemas.EMBEDDERS), record, published_numbers)
)
def embedder_ablation_table(
    ablation: Sequence[Row], embedders: Sequence[Row], setup: Setup, published: Published
) -> Table:
    """Passes by category with each embedder (paper, section "Embedder ablation"), and what the embedders are.

    Args:
        ablation: rows of `lethe.schemas.EMBEDDER_ABLATION`.
        embedders: rows of `lethe.schemas.EMBEDDERS`.
    """
    reasons = setup.embedder_ablation.embedders
    described = {row["embedder"]: row for row in embedders}
    names = [setup.embedder, *reasons]
    names += [name for name in published.columns(_PRINTED) if name not in names]
    by_place = {(row["embedder"], row["configuration"], row["category"]): row for row in ablation}
    categories = in_known_order(row["category"] for row in ablation if row["category"] != ALL)
    systems = setup.embedder_ablation.configurations

    def property_row(title: str, column: str, divisor: int = 1) -> list[Cell]:
        def cell(name: str) -> Cell:
            if name not in described:
                return cells.NOT_RUN
            value = described[name][column]
            return cells.text(value) if isinstance(value, str) else cells.count(round(value / divisor))

        return [*cells.labels("", title), *map(cell, names)]

    def passes(name: str, system: str, category: str) -> Cell:
        found = by_place.get((name, system, category))
        return cells.NOT_RUN if found is None else cells.part_passed(found["passed"], found["cases"], found["na"])

    def changes(name: str, system: str) -> Cell:
        found = by_place.get((name, system, ALL))
        if found is None or name == setup.embedder:
            return cells.DASH
        return cells.two_counts(found["gained"], found["lost"])

    def section(system: str) -> list[list[Cell]]:
        label = setup.configurations[system].label
        parts = [*categories, ALL]
        return [
            *(
                [cells.label(label), cells.named(part), *(passes(name, system, part) for name in names)]
                for part in parts
            ),
            [*cells.labels(label, "Gained/lost"), *(changes(name, system) for name in names)],
        ]

    def printed(system: str) -> list[Cell]:
        numbers = (published.find(_PRINTED, system, name) for name in names)
        entry = setup.configurations.get(system)
        return [
            cells.label(f"published: {entry.label if entry else words(system)}"),
            cells.named(_CROSS_LINGUAL),
            *(cells.published_fraction(found, " of ") for found in numbers),
        ]

    label, ran = setup.suite_labels[setup.adversarial_suite].lower(), setup.suites.get(setup.adversarial_suite)
    seen_by = ran.seen_by if ran else ()
    seen = [setup.configurations[name].label for name in systems if setup.configurations[name].hook in seen_by]
    errors = sum(row["errors"] for row in ablation if row["category"] == ALL)
    sources = [f"{name}: {row['source']}." for name, row in described.items()]
    return Table(
        "embedder_ablation",
        f"Embedders, {label} suite, measured here, substring scorer: "
        f"cases passed (percent) by category, and cases that pass here and not with {setup.embedder}, or the reverse "
        "(gained/lost). Every other table is made with the first. Below, what the paper published, on 16 cases of its "
        "own.",
        ("System", "Category", *names),
        [
            [
                property_row("Dimension", "dim"),
                property_row("Languages", "languages"),
                property_row("Graph (MB)", "bytes", _MEGABYTE),
            ],
            *(map(section, systems) if systems else [[cells.not_run_row(_NO_SYSTEM, len(names) + 2)]]),
            list(map(printed, published.rows(_PRINTED))),
        ],
        [
            *sources,
            *(f"{name}: {reason}." for name, reason in reasons.items() if reason),
            *([f"{errors} trials broke (error) and count as not passed."] if errors else []),
            *run_again({setup.configurations[name].label: setup.repetitions_of(name) for name in systems}),
            *developed_on(seen),
        ],
        wide=True,
    )
