"""The tables about what the release says besides its verdicts: repeats of a hook, summaries, the judge's rejections."""

from collections import Counter
from collections.abc import Sequence

from lethe import schemas
from lethe.parquet import Row
from lethe.study.released.checks import SUM, VERDICTS
from lethe.study.setup import Setup
from lethe.tables import cells
from lethe.tables.beyond.judge_labels import reason_unlabelled
from lethe.tables.registry import table
from lethe.tables.sources import of_paper, record, rows_if
from lethe.tables.table import Cell, Table, numbers

_MODES = ("mode_a", "mode_b", "mode_c")


@table("hook_run_variance", inputs=(rows_if(schemas.HOOK_VARIANCE, of_paper), record))
def hook_run_variance_table(rows: Sequence[Row], setup: Setup) -> Table:
    """How much the passes of a hooked run differ when it is repeated.

    Args:
        rows: rows of `lethe.schemas.HOOK_VARIANCE`; none without the release.
    """
    header = ("Category", "Cases", "Unstable", "SD of a run", "95 % of a run (cases)", "95 % of a run (pt)")

    def line(row: Row) -> list[Cell]:
        return [
            cells.named(row["category"]),
            cells.count(row["cases"]),
            cells.count(row["unstable"]),
            cells.number(row["sd"], 2),
            _within(row["margin"]),
            _within(row["margin_points"]),
        ]

    notes = [
        f"The {row['runs']} repeats passed {row['lowest']} to {row['highest']} of {row['cases']} cases, "
        f"{row['mean']:.1f} in the mean, with a standard deviation of {row['sd_of_totals']:.2f}."
        for row in rows
        if row["lowest"] is not None
    ]
    return Table(
        "hook_run_variance",
        "What one run of a hooked configuration is worth: Lethe+LLM with deepseek-v4-pro, repeated by the paper's "
        "authors on the 385 cases as shipped. Unstable cases are passed by some repeats and failed by others; the "
        "standard deviation of a run's passes follows from them. Other models may vary more or less.",
        header,
        [[line(row) for row in rows] or [cells.not_run_row(reason_unlabelled(setup), len(header))]],
        notes,
        kinds=("label", *numbers(5)) if rows else (),
    )


@table("summaries_check", inputs=(rows_if(schemas.SUMMARY_CHECKS, of_paper), record))
def summaries_check_table(rows: Sequence[Row], setup: Setup) -> Table:
    """The numbers of the released summaries that are not what is counted.

    Args:
        rows: rows of `lethe.schemas.SUMMARY_CHECKS`; none without the release.
    """
    header = ("File", "System", "Part", "Checked against", "Stated", "Counted")

    def line(row: Row) -> list[Cell]:
        return [
            *cells.labels(row["file"].removeprefix("data/"), row["system"]),
            cells.named(row["category"]),
            *cells.labels(row["against"]),
            cells.fraction(row["stated"], row["stated_n"]),
            cells.fraction(row["counted"], row["cases"]),
        ]

    checked = Counter(row["against"] for row in rows)
    equal = Counter(row["against"] for row in rows if row["equal"])
    notes = [
        f"Against the verdicts of the same run: {equal[VERDICTS]} of {checked[VERDICTS]} numbers are equal. Against "
        f"the sum of the file's own categories: {equal[SUM]} of {checked[SUM]} totals. Nothing was released against "
        "which the others could be checked."
    ]
    differing = [line(row) for row in rows if not row["equal"]]
    nothing = cells.not_run_row(reason_unlabelled(setup), len(header))
    if rows:
        nothing = [cells.label("no number differs"), *[cells.BLANK] * (len(header) - 1)]
    return Table(
        "summaries_check",
        "Numbers of the released summary files that differ from what is counted again.",
        header,
        [differing or [nothing]],
        notes if rows else (),
        wide=True,
        kinds=("id", "id", "label", "label", "number", "number") if differing else (),
    )


@table("judge_rejections", inputs=(rows_if(schemas.REJECTION_COUNTS, of_paper), record))
def judge_rejections_table(rows: Sequence[Row], setup: Setup) -> Table:
    """The hand-crafted cases that the paper's admission judge rejected (section "Judge audit on hand-crafted core").

    Args:
        rows: rows of `lethe.schemas.REJECTION_COUNTS`; none without the release.
    """
    header = ("Category", "Admitted", "Rejected", "Mode A", "Mode B", "Mode C")

    def line(row: Row) -> list[Cell]:
        return [
            cells.named(row["category"]),
            cells.passes_of(row["cases"] - row["rejected"], row["cases"]),
            cells.count(row["rejected"]),
            *(cells.count(row[mode]) for mode in _MODES),
        ]

    return Table(
        "judge_rejections",
        "The paper's admission judge on the hand-crafted cases, counted again from the released rejections: all were "
        "well-formed for the authors. Modes: A, semantic equivalence; B, a mutation of several rows; C, an error of "
        "the judge's own.",
        header,
        [[line(row) for row in rows] or [cells.not_run_row(reason_unlabelled(setup), len(header))]],
        kinds=("label", *numbers(5)) if rows else (),
    )


def _within(margin: float) -> Cell:
    return Cell(f"±{margin:.1f}", "measured", margin)
