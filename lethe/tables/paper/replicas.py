"""The configurations that replicate a published run, and the cases on which they come to another verdict."""

from collections.abc import Mapping, Sequence

from lethe import schemas
from lethe.parquet import Row
from lethe.study.results import SuiteResults
from lethe.study.setup import Setup
from lethe.tables import cells
from lethe.tables.registry import table
from lethe.tables.sources import compared, every_results, record
from lethe.tables.table import Cell, Table, numbers


@table("replicas", inputs=(compared(schemas.REPLICAS), every_results, record))
def replicas_table(replicas: Sequence[Row], results: Mapping[str, SuiteResults], setup: Setup) -> Table:
    """The configurations that replicate a published run: how many of its released verdicts come back.

    Args:
        replicas: rows of `lethe.schemas.REPLICAS` of all suites.
        results: scores of the suites by name.
    """
    compared = ("Agree", "N/A in one", "Only published", "Only here")
    header = ("Suite", "Configuration", "Run", "Published", "Measured", *compared)

    def line(suite: str, name: str, own: Sequence[Row]) -> list[Cell]:
        published, here = ([row[side] == "pass" for row in own] for side in ("published", "measured"))
        pairs = list(zip(published, here, strict=True))
        return [
            *cells.labels(results[suite].label, setup.configurations[name].label, own[0]["run"]),
            cells.published_of(str(sum(published)), sum(published), len(own)),
            cells.share_of(sum(here), len(own)),
            cells.fraction(sum(row["agree"] for row in own), len(own)),
            cells.count(sum(row["agree"] and _na_in_one(row) for row in own)),
            cells.count(pairs.count((True, False))),
            cells.count(pairs.count((False, True))),
        ]

    found: dict[tuple[str, str], list[Row]] = {}
    for row in replicas:
        found.setdefault((row["suite"], row["configuration"]), []).append(row)
    return Table(
        "replicas",
        "Configurations that run what a published run ran, on the released cases, under its scorer: cases passed, and "
        "cases on which both pass or both do not, of which so many are N/A in one and failed in the other. Another "
        "table lists the others.",
        header,
        [
            [line(suite, name, own) for (place, name), own in found.items() if place == suite]
            for suite in results
            if any(place == suite for place, _ in found)
        ]
        or [[cells.not_run_row(setup.release.absent or "not run", len(header))]],
        wide=True,
        kinds=("label", "label", "id", *numbers(6)),
        groups=("", "", "", *["Cases passed"] * 2, *["Cases"] * 4),
        section=0 if found else None,
    )


def _na_in_one(row: Row) -> bool:
    return [row["published"], row["measured"]].count("na") == 1


@table("replica_differences", inputs=(compared(schemas.REPLICAS), record), latex=False)
def replica_differences_table(replicas: Sequence[Row], setup: Setup) -> Table:
    """Each case on which a replica and the published run differ, with what the replica recalled.

    Args:
        replicas: rows of `lethe.schemas.REPLICAS` of all suites.
    """
    header = ("Suite", "Configuration", "Case", "Published", "Measured", "Missing", "Leaked", "Recalled")
    rows = [
        [
            *cells.labels(setup.suites[row["suite"]].label, setup.configurations[row["configuration"]].label),
            cells.label(row["case_id"]),
            cells.published_text(row["published"]),
            cells.text(row["measured"]),
            *(cells.text(" | ".join(row[name])) for name in ("missing", "leaked", "recalled")),
        ]
        for row in replicas
        if not row["agree"]
    ]
    return Table(
        "replica_differences",
        "Cases on which a replica of a published run comes to another verdict, and what it recalled.",
        header,
        [rows or [cells.not_run_row(setup.release.absent or "none", len(header))]],
        wide=True,
        long=True,
        kinds=("label", "label", "id", "number", "number", "text", "text", "text"),
    )
