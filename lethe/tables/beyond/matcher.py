"""The tables about the matcher: developed on against held out, and each kind of evidence left out."""

from collections.abc import Mapping, Sequence

from forgeteval.cases.case import in_known_order
from lethe import schemas
from lethe.parquet import Row
from lethe.schemas import ALL
from lethe.study.results import SuiteResults, run_again
from lethe.study.setup import ABLATED, Setup
from lethe.tables import cells
from lethe.tables.registry import table
from lethe.tables.sources import main_results, record, results_if, rows_if
from lethe.tables.table import Cell, Rows, Table
from lethe.tables.words import words

_SCORER = "substring"
_LEFT_OUT = "not run: left out by run.systems"


@table("matcher_held_out", inputs=(main_results, results_if(lambda setup: setup.held_out_suite), record))
def held_out_table(developed_on: SuiteResults, held_out: SuiteResults | None, setup: Setup) -> Table:
    """Passes by category on the cases that the matcher was developed on and on those that were held out.

    Args:
        held_out: None where that suite is not run.
    """
    names = setup.compared_with_matcher()
    suites = [developed_on] if held_out is None else [developed_on, held_out]

    def row(title: str, value: str, cut: str) -> list[Cell]:
        scores = (suite.score(name, value, cut, _SCORER) for name in names for suite in suites)
        return [cells.label(title), *map(cells.passes_of_all, scores)]

    categories = in_known_order(category for suite in suites for category in suite.values("category"))
    header = [f"{developed_on.label_of(name)}, {suite.label.lower()}" for name in names for suite in suites]
    sections: list[Rows] = [
        [row(words(category), category, "category") for category in categories],
        [row("Overall", ALL, "overall")],
    ]
    notes = [] if names else [_absent(developed_on.not_run.get(ABLATED, _LEFT_OUT))]
    if held_out is None:
        notes.append("The held-out cases: not run: left out by run.suites.")
    notes += run_again({developed_on.label_of(name): setup.repetitions_of(name) for name in names})
    return Table(
        "matcher_held_out",
        f"The matcher, measured here, substring scorer: on the {developed_on.label.lower()} suite, on which it was "
        "developed, and on the held-out one, whose authors did not know the matcher and whose cases it has not learned "
        "from. Cells: passed/cases (percent).",
        ("Category", *(header or ["Matcher"])),
        sections if names else _nothing(),
        notes,
        wide=True,
        groups=("", *(developed_on.label_of(name) for name in names for _ in suites)) if names else (),
    )


@table("matcher_ablation", inputs=(rows_if(schemas.ABLATION, lambda setup: setup.matcher_runs), record))
def ablation_table(ablation: Sequence[Row], setup: Setup) -> Table:
    """Passes by category with all kinds of evidence and with each one left out.

    Args:
        ablation: rows of `lethe.schemas.ABLATION`; none where the matcher did not run.
    """
    label = setup.suite_labels[setup.adversarial_suite].lower()
    by_place: Mapping[tuple[str, str], Row] = {(row["left_out"], row["category"]): row for row in ablation}
    kinds = dict.fromkeys(row["left_out"] for row in ablation)
    categories = in_known_order(row["category"] for row in ablation if row["category"] != ALL)

    def shown(title: str, category: str) -> list[Cell]:
        found = (by_place.get((kind, category)) for kind in kinds)
        return [
            cells.label(title),
            *(cells.DASH if row is None else cells.passes_of(row["passed"], row["cases"]) for row in found),
        ]

    return Table(
        "matcher_ablation",
        f"Lethe with the matcher on the {label} suite, measured here, substring scorer: all kinds of evidence, "
        "and each one left out. Cells: passed/cases (percent).",
        ("Category", *("all evidence" if kind == "none" else f"without {kind}" for kind in kinds))
        if kinds
        else ("Category", "Matcher"),
        [[shown(words(category), category) for category in categories], [shown("Overall", ALL)]]
        if kinds
        else _nothing(),
        run_again({ABLATED: setup.repetitions_of(ABLATED)}) if kinds else [_absent(_why_not(setup))],
        wide=True,
    )


def _why_not(setup: Setup) -> str:
    suite = setup.suites.get(setup.adversarial_suite)
    return suite.not_run.get(ABLATED, _LEFT_OUT) if suite else "the suite is not run"


def _absent(reason: str) -> str:
    return f"The matcher: {reason}."


def _nothing() -> list[Rows]:
    return [[[cells.label("all"), cells.NOT_RUN]]]
