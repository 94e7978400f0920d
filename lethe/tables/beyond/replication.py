"""The tables of the replication: what stands for each number that the paper printed, and whether it comes out."""

from collections.abc import Iterable, Mapping, Sequence

from lethe import schemas
from lethe.parquet import Row
from lethe.study.replication.compare import DIFFERS, RECOUNTED, STATES, UNANSWERED, VERDICTS, verdict_counts
from lethe.study.results import SuiteResults
from lethe.study.setup import Setup
from lethe.tables import cells
from lethe.tables.registry import table
from lethe.tables.sources import compared, every_results, record, rows
from lethe.tables.table import Cell, Kind, Table, numbers
from lethe.tables.words import words

_HOW = (
    "Measured: here, on the paper's cases. Recounted: from the verdicts that its authors released of the printed run. "
    "Other cases: measured here, on others of the same kind. Printed: neither can be had. A number of the same cases "
    "is equal to the printed digit or differs; it is reproduced case by case where every released verdict agrees too. "
    "On other cases it is within the 95 % interval of the difference (Newcombe) or differs."
)
_UNITS = {"percent": " %", "points": " pt", "usd": " USD", "ms": " ms", "s": " s", "min": " min"}
_ONE_DECIMAL = ("cases", "percent", "points")
_PLACES_HEADER = (
    *("Table", "Row", "Column", "published", "from", "measured", "recounted", "configuration", "suite or run"),
    *("passed only there/here", "p", "Δ", "95 %", "verdict", "note"),
)
_PLACES_KINDS: Sequence[Kind] = (
    *("label", "label", "label", "number", "label", "number", "number", "text", "text"),
    *("number", "number", "number", "number", "text", "text"),
)


@table("replication_summary", inputs=(rows(schemas.REPLICATION),))
def replication_summary_table(rows: Sequence[Row]) -> Table:
    """How many printed places have an answer, from where, and how many come out.

    Args:
        rows: rows of `lethe.schemas.REPLICATION`.
    """

    def line(title: str, own: Sequence[Row]) -> list[Cell]:
        once = [row for row in own if not row["restates"]]
        states = (sum(row["state"] == state for row in once) for state in STATES)
        return [
            cells.label(title),
            cells.count(len(own)),
            cells.count(len(own) - len(once)),
            *map(cells.count, states),
            *map(cells.count, verdict_counts(once)[:-1]),
        ]

    return Table(
        "replication_summary",
        "The paper's printed places: where the number comes from that stands for each, and whether it comes out. A "
        f"place that repeats another's number is counted with that one alone. {_HOW}",
        ("Table", "Places", "Repeats", *STATES, *VERDICTS[:-1]),
        [[line("All", rows)], [line(words(name), own) for name, own in _by_table(rows).items()]],
        groups=("", "", "", *["From"] * len(STATES), *["Comes out"] * (len(VERDICTS) - 1)),
    )


@table("replication", inputs=(rows(schemas.REPLICATION),))
def replication_table(rows: Iterable[Row]) -> Table:
    """The printed numbers that what stands for them differs from.

    Args:
        rows: rows of `lethe.schemas.REPLICATION`.
    """
    differing = [row for row in rows if row["verdict"] == DIFFERS and not row["restates"]]
    header = ("Table", "Row", "Column", "printed", "here", "from", "p", "cause, or what is known")
    lines = {
        name: [
            [
                *map(cells.named, (row["table"], row["row"], row["column"])),
                _published(row),
                _standing(row),
                cells.label(row["state"]),
                cells.BLANK if row["p"] is None else cells.p_value(row["p"]),
                cells.label(row["note"]),
            ]
            for row in own
        ]
        for name, own in _by_table(differing).items()
    }
    return Table(
        "replication",
        f"Printed numbers that differ from what stands for them. p: exact McNemar test, on the same cases. {_HOW}",
        header,
        list(lines.values()) or [[]],
        wide=True,
        long=True,
        kinds=("label", "label", "label", "number", "number", "label", "number", "text"),
        section=0,
    )


@table("replication_places", inputs=(rows(schemas.REPLICATION),), latex=False)
def replication_places_table(rows: Iterable[Row]) -> Table:
    """Every printed number with what stands for it, a section for each table of the paper.

    Args:
        rows: rows of `lethe.schemas.REPLICATION`.
    """
    return Table(
        "replication_places",
        f"Every printed number with what stands for it. {_HOW}",
        _PLACES_HEADER,
        [[_cells(row) for row in own] for own in _by_table(rows).values()] or [[]],
        wide=True,
        long=True,
        kinds=_PLACES_KINDS,
        section=0,
    )


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
        or [[cells.not_run_row(setup.release.absent or "not run", len(header))]],
        wide=True,
        kinds=("label", "label", "id", *numbers(5)),
        groups=("", "", "", *["Cases passed"] * 2, *["Cases"] * 3),
        section=0 if found else None,
    )


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


def _cells(row: Row) -> list[Cell]:
    digits = 1 if row["unit"] in _ONE_DECIMAL else None
    others = cells.BLANK if row["compared"] is None else cells.two_counts(row["only_published"], row["only_here"])
    return [
        *map(cells.named, (row["table"], row["row"], row["column"])),
        _published(row),
        cells.label(row["state"]),
        _number(row, "measured"),
        _number(row, "recounted"),
        *cells.labels(row["configuration"], row["source"] or row["recounted_run"]),
        others,
        cells.BLANK if row["p"] is None else cells.p_value(row["p"]),
        cells.signed(row["difference"], digits),
        cells.signed_interval(row["low"], row["high"], digits),
        Cell(row["verdict"], "not run") if row["verdict"] == UNANSWERED else cells.text(row["verdict"]),
        cells.label(row["note"]),
    ]


def _published(row: Row) -> Cell:
    if row["unit"] == "cases":
        return cells.published_of(row["printed"], row["published"], row["published_n"])
    return cells.published_text(f"{row['printed']}{_UNITS.get(row['unit'], '')}", row["published"], row["published_n"])


def _standing(row: Row) -> Cell:
    return _number(row, "recounted" if row["state"] == RECOUNTED else "measured")


def _number(row: Row, name: str) -> Cell:
    value, n = row[name], row[f"{name}_n"]
    if value is None:
        return cells.BLANK
    if row["unit"] == "cases" and n:
        return cells.share_of(value, n)
    return cells.significant(value, _UNITS.get(row["unit"], ""))


def _by_table(rows: Iterable[Row]) -> dict[str, list[Row]]:
    tables: dict[str, list[Row]] = {}
    for row in rows:
        tables.setdefault(row["table"], []).append(row)
    return tables
