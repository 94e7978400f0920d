"""The tables about judge models: agreement with Stage 1 by category, and of the judges with one another."""

from collections.abc import Sequence

from forgeteval.cases.case import PROVENANCES, in_known_order
from lethe.parquet import Row
from lethe.study.judges import Tally, equal_verdicts, tallies, tally, unjudged_among
from lethe.study.setup import Judge, Setup
from lethe.tables import cells
from lethe.tables.registry import table
from lethe.tables.sources import judged, record
from lethe.tables.table import Cell, Table
from lethe.tables.words import words_within

_AUDIT = ("Judge", "Category", "Admitted/judged", "Admitted (%)", "Unusable", "Errors")


@table("judge_audit", inputs=(judged(lambda setup: setup.adversarial_suite), record))
def judge_audit_table(judgements: Sequence[Row], setup: Setup) -> Table:
    """Each judge by category (paper, appendix "Judge audit on hand-crafted core").

    Args:
        judgements: rows of `lethe.schemas.JUDGEMENTS` of the adversarial suite.
    """
    suite = setup.adversarial_suite
    return Table(
        "judge_audit",
        f"Judge audit of the {setup.suite_labels[suite].lower()} suite, measured here. Stage 1 admits every written "
        "case, so the share admitted of the cases with a verdict is a judge's agreement with it. Unusable: two answers "
        "without a verdict; errors: no answer.",
        _AUDIT,
        [
            *(
                _audit_section([row for row in judgements if row["judge"] == name], marked_label(name, suite, setup))
                for name in setup.judging(suite)
            ),
            *_not_run_section(suite, setup, len(_AUDIT)),
        ],
        [*family_notes(suite, setup), *unjudged_notes(judgements, setup)],
    )


@table("judge_matrix", inputs=(judged(lambda setup: setup.adversarial_suite), record))
def judge_matrix_table(judgements: Sequence[Row], setup: Setup) -> Table:
    """Equal verdicts of each two judges (paper, section "Cross-family judge validation"); see `judge_audit_table`."""
    suite = setup.adversarial_suite
    names = setup.judging(suite)
    header = ("Judge", "Family", "vs. Stage 1", *(f"vs. {setup.judges[name].label}" for name in names), "Admit/reject")
    matrix = equal_verdicts(judgements)

    def shown(name: str) -> list[Cell]:
        found = tally(row for row in judgements if row["judge"] == name)
        return [
            *cells.labels(marked_label(name, suite, setup), setup.judges[name].family),
            cells.fraction(found.admitted, found.judged),
            *(cells.DASH if other == name else cells.fraction(*matrix.get((name, other), (0, 0))) for other in names),
            cells.two_counts(found.admitted, found.rejected),
        ]

    sections = [[shown(name) for name in names], *_not_run_section(suite, setup, len(header))]
    return Table(
        "judge_matrix",
        f"Judges on the {setup.suite_labels[suite].lower()} suite, measured here: cases with equal verdicts of those "
        "on which both gave one. Stage 1 admits every written case.",
        header,
        [section for section in sections if section],
        [*family_notes(suite, setup), *unjudged_notes(judgements, setup)],
        wide=True,
    )


def judge_label(judge: Judge) -> str:
    """A judge's name in tables; it says where its answers are recorded ones."""
    return f"{judge.label}, recorded" if judge.recorded else judge.label


def marked_label(name: str, suite: str, setup: Setup) -> str:
    """The same with a dagger where a model that plans mutations on the suite belongs to the judge's family."""
    dagger = "†" if setup.hooked_like(name, suite) else ""
    return f"{judge_label(setup.judges[name])}{dagger}"


def family_notes(suite: str, setup: Setup) -> list[str]:
    """What the dagger means, for each model family of a judge that has one."""
    shared = {setup.judges[name].family: setup.hooked_like(name, suite) for name in setup.judging(suite)}
    return [
        f"†: of the model family {family}, like what plans mutations on this suite ({', '.join(hooked)}). No judge "
        "admits a case here: Stage 1 does."
        for family, hooked in shared.items()
        if hooked
    ]


def unjudged_notes(judgements: Sequence[Row], setup: Setup) -> list[str]:
    """What is said of each judge that gave too few verdicts."""
    labels = {name: judge_label(judge) for name, judge in setup.judges.items()}
    return list(map(str, unjudged_among(judgements, labels)))


def not_run_rows(suite: str, setup: Setup, width: int) -> list[list[Cell]]:
    """A row for each judge that does not judge a suite, with the reason; one row where no judge is configured."""
    if not setup.judges:
        return [cells.not_run_row(setup.no_judge, width)]
    return [
        [cells.label(judge.label), *cells.not_run_row(judge.not_run[suite], width - 1)]
        for judge in setup.judges.values()
        if suite in judge.not_run
    ]


def _not_run_section(suite: str, setup: Setup, width: int) -> list[list[list[Cell]]]:
    rows = not_run_rows(suite, setup, width)
    return [rows] if rows else []


def _audit_section(judgements: Sequence[Row], judge: str) -> list[list[Cell]]:
    by_category = {part: found for (_, part), found in tallies(judgements, lambda row: row["category"]).items()}
    by_provenance = {part: found for (_, part), found in tallies(judgements, lambda row: row["provenance"]).items()}
    parts = [(name, by_category[name]) for name in in_known_order(by_category)]
    parts.append(("all", tally(judgements)))
    if len(by_provenance) > 1:
        named = in_known_order(by_provenance, PROVENANCES)
        parts += [(f"all {words_within(name)}", by_provenance[name]) for name in named]
    return [[cells.label(judge), cells.named(part), *_tally(found)] for part, found in parts]


def _tally(found: Tally) -> list[Cell]:
    return [
        cells.fraction(found.admitted, found.judged),
        cells.percent(found.agreement, n=found.judged),
        cells.count(found.unusable),
        cells.count(found.errors),
    ]
