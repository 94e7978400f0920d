"""The tables about judge models: agreement with Stage 1 by category, and of the judges with one another."""

from collections.abc import Mapping, Sequence
from typing import Any

from lethe.analysis.judges import Tally, equal_verdicts, tallies, tally
from lethe.cases.case import CATEGORIES, PROVENANCES
from lethe.tables.cells import PaperTable

NO_JUDGE = "not run: no judge configured (llm.judges)"


def judge_audit_table(
    rows: Sequence[Mapping[str, Any]], label: str, judges: Mapping[str, str], not_run: str = NO_JUDGE
) -> PaperTable:
    """Each judge by category (paper, appendix "Judge audit on hand-crafted core").

    Args:
        rows: rows of `lethe.schemas.JUDGEMENTS` of one suite.
        label: the suite's name in tables.
        judges: the judges' names in tables by their name in config, in the order to show.
        not_run: what the table says where there are no rows.
    """
    header = ("Judge", "Category", "admitted/judged", "%", "unusable", "errors")
    if not rows:
        return PaperTable("judge_audit", f"Judge audit of the {label.lower()} suite.", header, [[[not_run, *[""] * 5]]])
    return PaperTable(
        "judge_audit",
        f"Judge audit of the {label.lower()} suite, measured here. Stage 1 admits every authored case, so the share "
        "admitted of the cases with a verdict is a judge's agreement with it. Unusable: two answers without a verdict; "
        "errors: no answer.",
        header,
        [
            _audit_section([row for row in rows if row["judge"] == name], judges[name])
            for name in _present(rows, judges)
        ],
    )


def judge_matrix_table(
    rows: Sequence[Mapping[str, Any]], label: str, judges: Mapping[str, str], not_run: str = NO_JUDGE
) -> PaperTable:
    """Equal verdicts of each two judges (paper, section "Cross-family judge validation"); see `judge_audit_table`."""
    names = _present(rows, judges)
    header = ("Judge", "family", "vs. Stage 1", *(f"vs. {judges[name]}" for name in names), "admit/reject")
    if not rows:
        blank = [not_run, *[""] * (len(header) - 1)]
        return PaperTable("judge_matrix", f"Judges on the {label.lower()} suite.", header, [[blank]])
    matrix = equal_verdicts(rows)

    def cells(name: str) -> list[str]:
        of_judge = [row for row in rows if row["judge"] == name]
        found = tally(of_judge)
        others = ("–" if other == name else _fraction(*matrix[name, other]) for other in names)
        stage_1 = _fraction(found.admitted, found.judged)
        return [judges[name], of_judge[0]["family"], stage_1, *others, f"{found.admitted}/{found.rejected}"]

    return PaperTable(
        "judge_matrix",
        f"Judges on the {label.lower()} suite, measured here: cases with equal verdicts of those on which both gave "
        "one. Stage 1 admits every authored case.",
        header,
        [[cells(name) for name in names]],
        wide=True,
    )


def _present(rows: Sequence[Mapping[str, Any]], judges: Mapping[str, str]) -> list[str]:
    found = {row["judge"] for row in rows}
    return [name for name in judges if name in found]


def _audit_section(rows: Sequence[Mapping[str, Any]], judge: str) -> list[list[str]]:
    by_category = {part: found for (_, part), found in tallies(rows, lambda row: row["category"]).items()}
    by_provenance = {part: found for (_, part), found in tallies(rows, lambda row: row["provenance"]).items()}
    parts = [(name, by_category[name]) for name in CATEGORIES if name in by_category]
    parts.append(("all", tally(rows)))
    if len(by_provenance) > 1:
        parts += [(f"all {name}", by_provenance[name]) for name in PROVENANCES if name in by_provenance]
    return [[judge, part, *_tally_cells(found)] for part, found in parts]


def _tally_cells(found: Tally) -> list[str]:
    share = "–" if found.agreement is None else f"{100 * found.agreement:.1f}"
    return [_fraction(found.admitted, found.judged), share, str(found.unusable), str(found.errors)]


def _fraction(part: int, whole: int) -> str:
    return f"{part}/{whole}"
