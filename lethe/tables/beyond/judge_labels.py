"""The table about judges on the paper's own sample, which people labelled: those asked here beside the paper's."""

from collections.abc import Iterable, Sequence

from lethe import schemas
from lethe.parquet import Row
from lethe.study.agreement import MAJORITY
from lethe.study.judges import tally
from lethe.study.released.labels import measured_name
from lethe.study.setup import Setup
from lethe.tables import cells
from lethe.tables.beyond.judges import family_notes, marked_label, not_run_rows
from lethe.tables.registry import table
from lethe.tables.sources import judged, labelled, record
from lethe.tables.table import Cell, Table

PAPER = {"claude-opus-4.7": "Claude Opus 4.7", "qwen-2.5-72b": "Qwen-2.5-72B", "deepseek-v3": "DeepSeek-V3"}
"""Labels of the paper's judges, by the names in config/published.csv."""
_HEADER = ("Judge", "Cases", "vs. people", "Admit/reject", "Unusable", "Errors", "s/case", "Tokens/case")
_MS_A_SECOND = 1000


@table("judge_labels", inputs=(labelled(schemas.RELEASED_JUDGES), judged(lambda setup: setup.labelled_suite), record))
def judge_labels_table(pairs: Sequence[Row], judgements: Sequence[Row], setup: Setup) -> Table:
    """Each judge against the annotators' majority, against the other judges, and what a case costs it.

    Args:
        pairs: rows of `lethe.schemas.RELEASED_JUDGES`; none without the release.
        judgements: rows of `lethe.schemas.JUDGEMENTS` of the labelled cases.
    """
    suite = setup.labelled_suite
    names = setup.judging(suite) if suite else []
    by_pair = {(row["first"], row["second"]): row for row in pairs}
    columns = {**PAPER, **{measured_name(name): setup.judges[name].label for name in names}}
    header = (*_HEADER, *(f"vs. {label}" for label in columns.values()))

    def agreement(first: str, second: str) -> Cell:
        pair = by_pair.get((first, second))
        if pair is None or first == second:
            return cells.DASH
        return cells.agreement(pair["equal"], pair["cases"], pair["kappa"])

    def released(rater: str) -> list[Cell]:
        own = by_pair[rater, rater]
        return [
            cells.label("annotators' majority" if rater == MAJORITY else f"{PAPER[rater]}, released"),
            cells.count(own["cases"]),
            agreement(rater, MAJORITY),
            cells.two_counts(own["well_formed"], own["cases"] - own["well_formed"]),
            *[cells.BLANK] * 4,
            *(agreement(rater, other) for other in columns),
        ]

    def asked(name: str) -> list[Cell]:
        rater, given = measured_name(name), [row for row in judgements if row["judge"] == name]
        found, answered = tally(given), [row for row in given if row["verdict"] != "error"]
        return [
            cells.label(marked_label(name, suite or "", setup)),
            cells.count(len(given)),
            agreement(rater, MAJORITY),
            cells.two_counts(found.admitted, found.rejected),
            cells.count(found.unusable),
            cells.count(found.errors),
            cells.number(_mean(row["answer_ms"] / _MS_A_SECOND for row in answered), 1, len(answered)),
            cells.number(_mean(row["tokens_in"] + row["tokens_out"] for row in answered), 0, len(answered)),
            *(agreement(rater, other) for other in columns),
        ]

    if not by_pair or suite is None:
        sections = [[cells.not_run_row(reason_unlabelled(setup), len(header))]]
    else:
        sections = [
            [released(rater) for rater in (MAJORITY, *PAPER) if (rater, rater) in by_pair],
            [*map(asked, names), *not_run_rows(suite, setup, len(header))],
        ]
    return Table(
        "judge_labels",
        "Judges on the sample of the paper that people labelled: the paper's own, as released, and those that were "
        "asked here. Equal verdicts of the cases on which both gave one, with Cohen's κ where it is defined; people "
        "are the majority of the annotators. Unusable: two answers without a verdict. Seconds and tokens (prompt and "
        "answer) are those of all answers to a case.",
        header,
        [section for section in sections if section],
        family_notes(suite, setup) if suite else [],
        wide=True,
    )


def reason_unlabelled(setup: Setup) -> str:
    """Why there are no released labels, where there are none."""
    return setup.release.absent or "not run: the published cases are not run"


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return sum(found) / len(found) if found else None
