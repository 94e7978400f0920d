"""The tables of the replication: published numbers beside those measured here, like with like first."""

from collections.abc import Iterable, Mapping, Sequence

from lethe import schemas
from lethe.parquet import Row
from lethe.study.replication.compare import DIFFERS, NOT_RUN, VERDICTS, WITHIN, like_with_like, verdict_counts
from lethe.study.results import SuiteResults
from lethe.study.setup import Setup
from lethe.tables import cells
from lethe.tables.registry import table
from lethe.tables.sources import compared, every_results, record, rows
from lethe.tables.table import Cell, Kind, Table, numbers
from lethe.tables.words import words

HEADER = (
    "Table", "Row", "Column", "published", "measured", "cases that agree", "configuration", "suite", "Δ", "95 %",
    "verdict", "note",
)  # fmt: skip
_KINDS: Sequence[Kind] = (
    "label", "label", "label", "number", "number", "number", "text", "text", "number", "number", "text", "text",
)  # fmt: skip
_HOW = (
    "Δ is measured minus published: percentage points for shares and differences, else the unit. Reproduced case by "
    "case: equal to the printed digit, and every verdict that the authors released of these cases agrees. Equal: to "
    "the printed digit, where they released none, or not all agree. Within the interval: the 95 % interval of the "
    "difference (Newcombe) holds 0, or another number lies in the measured interval."
)
_UNITS = {"percent": " %", "points": " pt", "usd": " USD", "ms": " ms", "s": " s", "min": " min"}
_ONE_DECIMAL = ("cases", "percent", "points")


@table("replication_summary", inputs=(rows(schemas.REPLICATION),))
def replication_summary_table(rows: Sequence[Row]) -> Table:
    """How many published numbers come out, and for how many of those that do not the cause is known.

    Args:
        rows: rows of `lethe.schemas.REPLICATION`.
    """

    def line(title: str, own: Iterable[Row]) -> list[Cell]:
        own = list(own)
        without = sum(row["verdict"] in (WITHIN, DIFFERS) and not row["note"] for row in own if row["same_data"])
        return [cells.label(title), *map(cells.count, verdict_counts(own)), cells.count(without)]

    alike = [row for row in rows if like_with_like(row)]
    others = [row for row in rows if not like_with_like(row)]
    return Table(
        "replication_summary",
        "Published numbers measured again on the paper's own cases and data, and what came of them; the last line is "
        f"of this project's suites, which are other cases (appendix). {_HOW}",
        ("Table", *VERDICTS, "of these without a cause"),
        [
            [line("all, on the published cases", alike)],
            [line(words(name), own) for name, own in _by_table(alike).items()],
            [line("all, on other suites", others)],
        ],
    )


@table("replication", inputs=(rows(schemas.REPLICATION),))
def replication_table(rows: Iterable[Row]) -> Table:
    """Every published number with what was measured on the same cases, a section for each table of the paper.

    Args:
        rows: rows of `lethe.schemas.REPLICATION`.
    """
    sections = [[_cells(row) for row in own] for own in _by_table(filter(like_with_like, rows)).values()]
    return _numbers("replication", _HOW, sections)


@table("replication_other_suites", inputs=(rows(schemas.REPLICATION),))
def other_suites_table(rows: Iterable[Row]) -> Table:
    """The published numbers beside what was measured on suites of this project's making: an appendix.

    Args:
        rows: rows of `lethe.schemas.REPLICATION`.
    """
    others = _by_table(row for row in rows if not like_with_like(row))
    return _numbers(
        "replication_other_suites",
        f"Published numbers beside those measured on this project's suites, which are other cases. {_HOW}",
        [[_cells(row) for row in own] for own in others.values()],
    )


def _numbers(name: str, caption: str, sections: Sequence[Sequence[Sequence[Cell]]]) -> Table:
    return Table(name, caption, HEADER, sections or [[]], wide=True, long=True, kinds=_KINDS, section=0)


@table("replicas", inputs=(compared(schemas.REPLICAS), every_results, record))
def replicas_table(replicas: Sequence[Row], results: Mapping[str, SuiteResults], setup: Setup) -> Table:
    """The configurations that replicate a published run: how many of its released verdicts come back.

    Args:
        replicas: rows of `lethe.schemas.REPLICAS` of all suites.
        results: scores of the suites by name.
    """
    header = ("Suite", "Configuration", "Run", "Published", "Measured", "Agree", "Only published", "Only here")

    def line(suite: str, name: str, own: Sequence[Row]) -> list[Cell]:
        published, here = ([row[side] == "pass" for row in own] for side in ("published", "measured"))
        pairs = list(zip(published, here, strict=True))
        return [
            *cells.labels(results[suite].label, setup.configurations[name].label, own[0]["run"]),
            cells.published_of(str(sum(published)), sum(published), len(own)),
            cells.share_of(sum(here), len(own)),
            cells.fraction(sum(row["agree"] for row in own), len(own)),
            cells.count(pairs.count((True, False))),
            cells.count(pairs.count((False, True))),
        ]

    found: dict[tuple[str, str], list[Row]] = {}
    for row in replicas:
        found.setdefault((row["suite"], row["configuration"]), []).append(row)
    return Table(
        "replicas",
        "Configurations that run what a published run ran, on the released cases, under its scorer: cases passed, and "
        "cases on which both pass or both do not. Another table lists the others.",
        header,
        [
            [line(suite, name, own) for (place, name), own in found.items() if place == suite]
            for suite in results
            if any(place == suite for place, _ in found)
        ]
        or [[cells.not_run_row(setup.release.absent or NOT_RUN, len(header))]],
        wide=True,
        kinds=("label", "label", "id", *numbers(5)),
        groups=("", "", "", *["Cases passed"] * 2, *["Cases"] * 3),
        section=0 if found else None,
    )


@table("replica_differences", inputs=(compared(schemas.REPLICAS), record))
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


def _cells(row: Row) -> list[Cell]:
    digits = 1 if row["unit"] in _ONE_DECIMAL else None
    compared = cells.BLANK if row["compared"] is None else cells.fraction(row["agree"], row["compared"])
    return [
        *map(cells.named, (row["table"], row["row"], row["column"])),
        _published(row),
        _measured(row),
        compared,
        *cells.labels(row["configuration"], row["source"]),
        cells.signed(row["difference"], digits),
        cells.signed_interval(row["low"], row["high"], digits),
        Cell(row["verdict"], "not run") if row["measured"] is None else cells.text(row["verdict"]),
        cells.label(row["note"]),
    ]


def _published(row: Row) -> Cell:
    if row["unit"] == "cases":
        return cells.published_of(row["printed"], row["published"], row["published_n"])
    return cells.published_text(f"{row['printed']}{_UNITS.get(row['unit'], '')}", row["published"], row["published_n"])


def _measured(row: Row) -> Cell:
    if row["measured"] is None:
        return cells.BLANK
    if row["unit"] in ("cases", "percent") and row["measured_n"]:
        return cells.share_of(row["measured"], row["measured_n"])
    return cells.significant(row["measured"], _UNITS.get(row["unit"], ""))


def _by_table(rows: Iterable[Row]) -> dict[str, list[Row]]:
    tables: dict[str, list[Row]] = {}
    for row in rows:
        tables.setdefault(row["table"], []).append(row)
    return tables
