"""The tables about the published runs: what a pass of theirs was worth, and how the runs here compare with them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lethe import schemas
from lethe.parquet import Row
from lethe.study.published import Published
from lethe.study.released.na import READINGS
from lethe.study.released.worth import EVERY, HARD
from lethe.study.setup import Setup
from lethe.tables import cells
from lethe.tables.registry import table
from lethe.tables.sources import compared, published_numbers, record
from lethe.tables.table import Cell, Table, numbers
from lethe.tables.words import words

_NOT_COMPARED = "not run: the published cases are not run"


@table("pass_worth", inputs=(compared(schemas.PASS_WORTH), record), latex=False)
def pass_worth_table(rows: Sequence[Row], setup: Setup) -> Table:
    """Each published run and each configuration on all published cases, and on those that no control passes.

    Args:
        rows: rows of `lethe.schemas.PASS_WORTH` of the published suites.
    """
    header = ("Suite", "Run", "All cases", "No control passes", "Δ (pt)")

    def line(name: str, by_subset: Mapping[str, Row]) -> list[Cell]:
        hard = by_subset.get(HARD)
        gap = cells.BLANK if hard is None else cells.points(hard["rate"] - by_subset[EVERY]["rate"])
        label = setup.suites[by_subset[EVERY]["suite"]].label
        return [*cells.labels(label, name), *(_rate(by_subset.get(subset)) for subset in (EVERY, HARD)), gap]

    sections: dict[tuple[str, str], dict[str, dict[str, Row]]] = {}
    for row in rows:
        name = row["name"] if row["origin"] == "published" else setup.configurations[row["name"]].label
        sections.setdefault((row["suite"], row["origin"]), {}).setdefault(name, {})[row["subset"]] = row
    return Table(
        "pass_worth",
        "What a pass was worth: published runs (named as the release does) and configurations measured here, on all "
        "cases and on those that neither an empty store, nor one that empties itself, nor one that never forgets "
        "passes; 95 % Wilson intervals.",
        header,
        [[line(name, found) for name, found in section.items()] for section in sections.values()]
        or [[cells.not_run_row(_absent(setup), len(header))]],
        wide=True,
        long=True,
        groups=("", "", *["Passed (%) [95 %]"] * 2, ""),
        kinds=("label", "id", *numbers(3)),
        section=0 if sections else None,
    )


@table("claims", inputs=(compared(schemas.CLAIMS), record))
def claims_table(rows: Sequence[Row], setup: Setup) -> Table:
    """The paper's conclusions: on all cases, on those that no control passes, and on the repaired cases.

    Args:
        rows: rows of `lethe.schemas.CLAIMS` of the published suites.
    """
    places = list(dict.fromkeys((row["suite"], row["subset"]) for row in rows))
    found = {(row["claim"], row["suite"], row["subset"]): row for row in rows}
    header = ("Claim", *(f"{setup.suites[suite].label}, {subset}" for suite, subset in places))
    lines = [
        [cells.label(claim), *(_claim(found.get((claim, *place))) for place in places)]
        for claim in dict.fromkeys(row["claim"] for row in rows)
    ]
    return Table(
        "claims",
        "The paper's conclusions as comparisons of two published runs, recomputed from the released verdicts: points "
        "of pass rate between them with the paired-bootstrap interval, number of cases, and whether the conclusion "
        "stands (exact McNemar test at 5 %). The repaired cases were run by the authors with later models.",
        header if lines else ("Claim", "Published"),
        [lines or [cells.not_run_row(_absent(setup), 2)]],
        wide=True,
        kinds=["text"] * (1 + len(places)) if lines else (),
    )


@table("na_readings", inputs=(compared(schemas.NA_READINGS), record, published_numbers))
def na_readings_table(rows: Sequence[Row], setup: Setup, published: Published) -> Table:
    """The systems that the paper scores with N/A: what each reading of N/A gives.

    Args:
        rows: rows of `lethe.schemas.NA_READINGS` of the published suites.
    """
    header = ("Suite", "Run", *map(words, READINGS), "Printed, N/A left out")
    found: dict[tuple[str, str, str, str], dict[str, Row]] = {}
    for row in rows:
        key = row["suite"], row["origin"], row["system"], row["name"]
        found.setdefault(key, {})[row["reading"]] = row
    roles = {suite: role for role, suite in setup.release.suites.items()}

    def line(suite: str, origin: str, system: str, name: str, own: Mapping[str, Row]) -> list[Cell]:
        place = {"adversarial": ("text_heatmap", "evaluable"), "external": ("external_ecosystem", "evaluable")}.get(
            roles[suite]
        )
        printed = published.find(*place, system, "cases") if place else None
        label = name if origin == "published" else f"{setup.configurations[name].label} (measured here)"
        return [
            *cells.labels(setup.suites[suite].label, label),
            *(_passed(own[reading]) for reading in READINGS),
            cells.published_fraction(printed),
        ]

    return Table(
        "na_readings",
        "Systems that the paper scores with N/A, on the released cases: cases passed by what is made of N/A (in some "
        "released files it is a failure), and of the two canonicalisation categories. Named as the release does, or "
        "measured here; the last column is what the paper prints.",
        header,
        [[line(*key, own) for key, own in found.items()] or [cells.not_run_row(_absent(setup), len(header))]],
        wide=True,
        kinds=("label", "id", *numbers(len(READINGS) + 1)),
    )


def _passed(row: Row) -> Cell:
    cell = cells.passes_of(row["passed"], row["cases"])
    return replace(cell, state="published") if row["origin"] == "published" and row["cases"] else cell


@table("paired_released", inputs=(compared(schemas.PAIRED_RELEASED), record), latex=False)
def paired_released_table(rows: Sequence[Row], setup: Setup) -> Table:
    """Each configuration that ran and each published run, case by case.

    Args:
        rows: rows of `lethe.schemas.PAIRED_RELEASED` of the published suites.
    """
    header = (
        "Suite",
        "Configuration",
        "Published run",
        "Cases",
        "Only it",
        "Only the run",
        "p exact",
        "Δ (pt) [95 %]",
        "κ",
    )
    return Table(
        "paired_released",
        "Configurations measured here against published runs, case by case under the run's scorer: cases that one of "
        "the two passes, the exact McNemar test (not adjusted; the Parquet file has Holm's), the difference of pass "
        "rates with its paired-bootstrap interval, and Cohen's κ of passing. N/A and errors count as not passed.",
        header,
        [
            [
                [
                    *cells.labels(setup.suites[row["suite"]].label, setup.configurations[row["configuration"]].label),
                    cells.label(row["run"]),
                    *(cells.count(row[name]) for name in ("cases", "first_only", "second_only")),
                    cells.p_value(row["p_exact"]),
                    cells.points_with_interval(row["difference"], row["low"], row["high"]),
                    cells.number(row["kappa"], 2, row["cases"]),
                ]
                for row in rows
                if not setup.configurations[row["configuration"]].extended
            ]
            or [cells.not_run_row(_absent(setup), len(header))]
        ],
        wide=True,
        long=True,
        kinds=("label", "label", "id", *numbers(6)),
        groups=("", "", "", "", *["Passed by one"] * 2, "", "", ""),
    )


def _absent(setup: Setup) -> str:
    return setup.release.absent or _NOT_COMPARED


def _rate(row: Row | None) -> Cell:
    if row is None:
        return cells.DASH
    passed, cases = row["passed"], row["cases"]
    ends = f"[{100 * row['wilson_low']:.1f}, {100 * row['wilson_high']:.1f}]"
    shown = f"{passed}/{cases} ({100 * row['rate']:.1f}) {ends}"
    cell = Cell(shown, "measured", passed, cases, row["wilson_low"], row["wilson_high"])
    return replace(cell, state="published") if row["origin"] == "published" else cell


def _claim(row: Row | None) -> Cell:
    if row is None:
        return cells.DASH
    if row["difference"] is None:
        return cells.text(row["verdict"])
    gap = cells.points_with_interval(row["difference"], row["low"], row["high"])
    return Cell(
        f"{row['verdict']}: {gap.text}, n={row['cases']}", "published", gap.value, row["cases"], gap.low, gap.high
    )
