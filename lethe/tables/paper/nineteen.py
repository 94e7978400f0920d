"""The nineteen tables of the paper: its rows and columns, on its cases, with what was printed where that differs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from forgeteval.cases.case import ADVERSARIAL_CATEGORIES
from forgeteval.yaml_data import read_yaml_data
from lethe.config.configurations import configuration_name
from lethe.parquet import Row
from lethe.schemas import ALL, HOOK_VARIANCE, REPLICATION
from lethe.study.inputs import given
from lethe.study.published import Published
from lethe.study.replication.compare import COUNTED, MEASURED, PRINTED, RECOUNTED
from lethe.study.results import SuiteResults, run_again
from lethe.study.setup import Setup
from lethe.tables import cells
from lethe.tables.paper.places import LEGEND, MARKS, Places
from lethe.tables.registry import table
from lethe.tables.sources import Source, benchmark, labelled, published_numbers, record, results_if, rows
from lethe.tables.table import Cell, Table
from lethe.tables.words import words

DATA_FILES = ("layouts.yaml",)
_CATEGORIES = "CATEGORIES"
_WILSON, _AS_PRINTED, _LATER = "wilson", ", printed", ", later run"
_TOTALS = ("without_compound_fact", "all", "evaluable", "total")


@dataclass(frozen=True, slots=True)
class Layout:
    """What stands in one table; see layouts.yaml."""

    name: str
    title: str
    role: str = ""
    benchmark: str = ""
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()
    wide: bool = False
    note: str = ""
    hooked: bool = False
    heads: Mapping[str, str] = field(default_factory=dict)

    def head(self, name: str) -> str:
        """The words for a row or column."""
        known, comma, more = name.partition(", ")
        return (self.heads.get(known) or words(known)) + comma + more


LAYOUTS = [Layout(**entry) for entry in read_yaml_data(Path(__file__).with_name(DATA_FILES[0]))]


def paper_table(
    layout: Layout,
    replication: Sequence[Row],
    published: Published,
    results: SuiteResults | None,
    answered: Sequence[Row],
    repeats: Sequence[Row],
    setup: Setup,
) -> Table:
    """One table of the paper.

    Args:
        replication: rows of `lethe.schemas.REPLICATION`.
        results: scores of the suite whose controls a note names.
        answered: rows of `lethe.schemas.CROSSEVAL_SCORES` of the benchmark whose controls a note names.
        repeats: rows of `lethe.schemas.HOOK_VARIANCE`; none without the release.
    """
    places, own = Places.of(replication, published), [row for row in replication if row["table"] == layout.name]
    columns = list(_columns(layout, published, own))
    names = list(_rows(layout, published))
    end = next((place for place, name in enumerate(names) if name in _TOTALS), len(names))
    lines = [
        [_row_head(layout, places, columns, row), *(_cell(layout, places, row, column) for column in columns)]
        for row in names
    ]
    return Table(
        layout.name,
        f"{layout.title}. {_legend(own, lines)}",
        ("", *map(layout.head, columns)),
        [section for section in (lines[:end], lines[end:]) if section],
        [
            *filter(None, [layout.note]),
            *_controls(results, setup),
            *_controls_answering(answered, setup),
            *(_variation(repeats) if layout.hooked else ()),
            *_reasons(own),
            *_totals(layout, own),
            *_notes(layout, own),
        ],
        wide=layout.wide,
        compact=True,
    )


def _legend(own: Sequence[Row], lines: Sequence[Sequence[Cell]]) -> str:
    """The marks that occur in a table."""
    shown = "".join(cell.text for line in lines for cell in line)
    known = {row["state"] for row in own if row["state"] == MEASURED}
    marks = "; ".join(
        told for state, told in LEGEND.items() if state in known or (MARKS[state] and MARKS[state] in shown)
    )
    return f"{marks[:1].upper()}{marks[1:]}. In brackets: what was printed, where it differs."


def _columns(layout: Layout, published: Published, own: Sequence[Row]) -> Iterator[str]:
    """The columns, each with one of what was printed of an interval, or of a later run, where there is one."""
    later = {row["column"] for row in own if row["state"] == PRINTED and row["later"] is not None}
    for column in layout.columns or published.columns(layout.name):
        yield column
        if column.endswith(_WILSON):
            yield column + _AS_PRINTED
        if column in later:
            yield column + _LATER


def _rows(layout: Layout, published: Published) -> Iterator[str]:
    for row in layout.rows or published.rows(layout.name):
        yield from ADVERSARIAL_CATEGORIES if row == _CATEGORIES else (row,)
        if row.endswith(_WILSON):
            yield row + _AS_PRINTED


def _row_head(layout: Layout, places: Places, columns: Sequence[str], row: str) -> Cell:
    size = "" if "n" in columns else places.cell(layout.name, row, "n").text.removesuffix(MARKS[COUNTED])
    return cells.label(f"{layout.head(row)} (n={size})" if size else layout.head(row))


def _cell(layout: Layout, places: Places, row: str, column: str) -> Cell:
    if column.endswith(_LATER):
        return places.later(layout.name, row, column.removesuffix(_LATER))
    for name, fixed in ((row, {"column": column}), (column, {"row": row})):
        end = name.removesuffix(_AS_PRINTED)
        if end.endswith(_WILSON):
            return places.interval(layout.name, fixed, end, printed=end != name)
    return places.cell(layout.name, row, column)


def _controls(results: SuiteResults | None, setup: Setup) -> Iterator[str]:
    """What the controls pass of the cases."""
    if results is None:
        return
    names = results.ran(setup.controls())
    scores = {results.label_of(name): results.scores[name, results.scorer, "overall", ALL] for name in names}
    passed = ", ".join(
        f"{label} {score['passed']}" if score["na"] < score["cases"] else f"{label} N/A"
        for label, score in scores.items()
    )
    if passed:
        yield f"Controls, of {max(score['cases'] for score in scores.values())}: {passed}."
    yield from run_again({results.label_of(name): setup.repetitions_of(name) for name in names})


def _controls_answering(answered: Sequence[Row], setup: Setup) -> Iterator[str]:
    """What the controls pass of a benchmark's questions."""
    whole = {configuration_name(score): score for score in answered if score["cut"] == "overall"}
    known = {setup.configurations[name].label: whole[name] for name in setup.controls() if name in whole}
    passed = ", ".join(
        f"{label} {score['passed']}" if score["na"] < score["questions"] else f"{label} N/A"
        for label, score in known.items()
    )
    for questions in dict.fromkeys(score["questions"] for score in known.values()):
        yield f"Controls, of {questions}: {passed}."


def _variation(repeats: Sequence[Row]) -> Iterator[str]:
    """How much the passes of a hook with a chat model vary from run to run."""
    for row in repeats:
        if row["category"] == ALL and row["lowest"] is not None:
            yield (
                f"From run to run: {row['runs']} repeats of a later hook pass {row['lowest']} to {row['highest']} of "
                f"{row['cases']}; 95 % of runs lie within {row['margin']:.1f} cases of its mean (hook_run_variance)."
            )


def _reasons(own: Sequence[Row]) -> Iterator[str]:
    """Why numbers stand as printed, each reason once."""
    reasons = dict.fromkeys(row["note"] for row in own if row["state"] == PRINTED)
    if reasons:
        yield f"As printed: {'; '.join(filter(None, reasons))}."
    later = dict.fromkeys(row["later_run"] for row in own if row["state"] == PRINTED and row["later_run"])
    if later:
        yield f"Later: what the authors released of another run, N/A as failures ({'; '.join(later)})."


def _notes(layout: Layout, own: Sequence[Row]) -> Iterator[str]:
    """What else is known of the numbers, each note once, with the columns or the rows that it is of."""
    places: dict[str, list[Row]] = {}
    for row in own:
        if row["state"] != PRINTED and row["note"]:
            places.setdefault(row["note"], []).append(row)
    for note, noted in places.items():
        yield f"{_where(layout, noted)}: {note}."


def _totals(layout: Layout, own: Sequence[Row]) -> Iterator[str]:
    """Which numbers were counted from totals that were released in place of verdicts."""
    files: dict[str, list[Row]] = {}
    for row in own:
        if row["state"] == RECOUNTED and row["recounted_run"].endswith(".json"):
            files.setdefault(row["recounted_run"], []).append(row)
    for file, counted in files.items():
        yield f"Counted from released totals, not verdicts ({file}): {_where(layout, counted)}."


def _where(layout: Layout, places: Sequence[Row]) -> str:
    """A cell's row and column, or of several the columns or the rows that they stand in, whichever are fewer."""
    rows, columns = (
        list(dict.fromkeys(layout.head(_whole(row[name])) for row in places)) for name in ("row", "column")
    )
    if len(places) == 1:
        return ", ".join(rows + columns)
    return ", ".join(columns if len(columns) < len(rows) else rows)


def _whole(name: str) -> str:
    """A name without the end of an interval that it says."""
    joined = name.removesuffix("_low").removesuffix("_high")
    return joined if joined.endswith(_WILSON) else name


def _benchmark(name: str) -> Source:
    return benchmark(name) if name else lambda _: given([])


for _layout in LAYOUTS:
    _suite = partial(lambda role, setup: setup.release.suites.get(role, ""), _layout.role)
    _scores = (results_if(_suite), _benchmark(_layout.benchmark))
    _inputs = (rows(REPLICATION), published_numbers, *_scores, labelled(HOOK_VARIANCE), record)
    table(_layout.name, inputs=_inputs)(partial(paper_table, _layout))
