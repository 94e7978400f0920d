"""The tables about judge models: agreement with Stage 1 by category, and of the judges with one another."""

from collections.abc import Sequence

from lethe.analysis.judges import Tally, equal_verdicts, tallies, tally
from lethe.analysis.setup import Setup
from lethe.cases.case import CATEGORIES, PROVENANCES
from lethe.parquet import Row
from lethe.tables import cells
from lethe.tables.table import Cell, Table

_AUDIT = ("Judge", "Category", "admitted/judged", "%", "unusable", "errors")


def judge_audit_table(judgements: Sequence[Row], setup: Setup) -> Table:
    """Each judge by category (paper, appendix "Judge audit on hand-crafted core").

    Args:
        judgements: rows of `lethe.schemas.JUDGEMENTS` of the adversarial suite.
    """
    suite = setup.suites[setup.adversarial_suite].label.lower()
    if not judgements:
        caption = f"Judge audit of the {suite} suite."
        return Table("judge_audit", caption, _AUDIT, [[cells.not_run_row(setup.no_judge, len(_AUDIT))]])
    return Table(
        "judge_audit",
        f"Judge audit of the {suite} suite, measured here. Stage 1 admits every written case, so the share admitted of "
        "the cases with a verdict is a judge's agreement with it. Unusable: two answers without a verdict; errors: no "
        "answer.",
        _AUDIT,
        [
            _audit_section([row for row in judgements if row["judge"] == name], setup.judges[name])
            for name in _present(judgements, setup)
        ],
    )


def judge_matrix_table(judgements: Sequence[Row], setup: Setup) -> Table:
    """Equal verdicts of each two judges (paper, section "Cross-family judge validation"); see `judge_audit_table`."""
    names = _present(judgements, setup)
    suite = setup.suites[setup.adversarial_suite].label.lower()
    header = ("Judge", "family", "vs. Stage 1", *(f"vs. {setup.judges[name]}" for name in names), "admit/reject")
    if not judgements:
        caption = f"Judges on the {suite} suite."
        return Table("judge_matrix", caption, header, [[cells.not_run_row(setup.no_judge, len(header))]])
    matrix = equal_verdicts(judgements)

    def shown(name: str) -> list[Cell]:
        of_judge = [row for row in judgements if row["judge"] == name]
        found = tally(of_judge)
        return [
            *cells.labels(setup.judges[name], of_judge[0]["family"]),
            cells.fraction(found.admitted, found.judged),
            *(cells.DASH if other == name else cells.fraction(*matrix[name, other]) for other in names),
            cells.two_counts(found.admitted, found.rejected),
        ]

    return Table(
        "judge_matrix",
        f"Judges on the {suite} suite, measured here: cases with equal verdicts of those on which both gave one. "
        "Stage 1 admits every written case.",
        header,
        [[shown(name) for name in names]],
        wide=True,
    )


def _present(judgements: Sequence[Row], setup: Setup) -> list[str]:
    found = {row["judge"] for row in judgements}
    return [name for name in setup.judges if name in found]


def _audit_section(judgements: Sequence[Row], judge: str) -> list[list[Cell]]:
    by_category = {part: found for (_, part), found in tallies(judgements, lambda row: row["category"]).items()}
    by_provenance = {part: found for (_, part), found in tallies(judgements, lambda row: row["provenance"]).items()}
    parts = [(name, by_category[name]) for name in CATEGORIES if name in by_category]
    parts.append(("all", tally(judgements)))
    if len(by_provenance) > 1:
        parts += [(f"all {name}", by_provenance[name]) for name in PROVENANCES if name in by_provenance]
    return [[*cells.labels(judge, part), *_tally(found)] for part, found in parts]


def _tally(found: Tally) -> list[Cell]:
    return [
        cells.fraction(found.admitted, found.judged),
        cells.percent(found.agreement, n=found.judged),
        cells.count(found.unusable),
        cells.count(found.errors),
    ]
