"""The table about judges on the paper's own sample, which people labelled: those asked here and the paper's."""

from collections.abc import Iterable, Sequence

from lethe import schemas
from lethe.parquet import Row
from lethe.schemas import MAJORITY
from lethe.study.judges import tally
from lethe.study.released.labels import measured_name
from lethe.study.setup import Setup
from lethe.tables import cells
from lethe.tables.beyond.judges import family_notes, marked_label, not_run_rows, unjudged_notes
from lethe.tables.registry import table
from lethe.tables.sources import judged, labelled, record
from lethe.tables.table import Cell, Table

PAPER = {"claude-opus-4.7": "Claude Opus 4.7", "qwen-2.5-72b": "Qwen-2.5-72B", "deepseek-v3": "DeepSeek-V3"}
"""Labels of the paper's judges, by the names in config/published.csv."""
_VERDICTS, _EQUAL = "Verdicts", "Equal verdicts (κ)"
_MS_A_SECOND = 1000


@table("judge_labels", inputs=(labelled(schemas.RELEASED_JUDGES), judged(lambda setup: setup.labelled_suite), record))
def judge_labels_table(pairs: Sequence[Row], judgements: Sequence[Row], setup: Setup) -> Table:
    """People, the paper's judges and those asked here: what each says about cases, and how far people and paper agree.

    Args:
        pairs: rows of `lethe.schemas.RELEASED_JUDGES`; none without the release.
        judgements: rows of `lethe.schemas.JUDGEMENTS` of the labelled cases.
    """
    suite = setup.labelled_suite
    by_pair = {(row["first"], row["second"]): row for row in pairs}
    compared = {MAJORITY: "people", **PAPER}
    groups = ("", *[_VERDICTS] * 3, *[_EQUAL] * len(compared), "")
    heads = ("Judge", "admit", "reject", "none", *compared.values(), "s/case")
    header = [f"{group}, {head}" if group else head for group, head in zip(groups, heads, strict=True)]

    def agreements(rater: str) -> list[Cell]:
        found = ((None if rater == other else by_pair.get((rater, other))) for other in compared)
        return [cells.agreement(pair["equal"], pair["cases"], pair["kappa"]) if pair else cells.DASH for pair in found]

    def released(rater: str) -> list[Cell]:
        own = by_pair[rater, rater]
        return [
            cells.label("majority of people" if rater == MAJORITY else f"{PAPER[rater]}, released"),
            cells.count(own["well_formed"]),
            cells.count(own["cases"] - own["well_formed"]),
            cells.count(0),
            *agreements(rater),
            cells.BLANK,
        ]

    def asked(name: str) -> list[Cell]:
        given = [row for row in judgements if row["judge"] == name]
        found, answered = tally(given), [row for row in given if row["verdict"] != "error"]
        return [
            cells.label(marked_label(name, suite or "", setup)),
            cells.count(found.admitted),
            cells.count(found.rejected),
            cells.count(found.unjudged),
            *agreements(measured_name(name)),
            cells.number(_mean(row["answer_ms"] / _MS_A_SECOND for row in answered), 1, len(answered)),
        ]

    if not by_pair or suite is None:
        sections, notes = [[cells.not_run_row(reason_unlabelled(setup), len(header))]], []
    else:
        people = by_pair[MAJORITY, MAJORITY]
        sections = [
            [released(MAJORITY)],
            [released(rater) for rater in PAPER if (rater, rater) in by_pair],
            [*map(asked, setup.judging(suite)), *not_run_rows(suite, setup, len(header))],
        ]
        all_admitted = f"Who admits every case agrees with people on {people['well_formed']} of {people['cases']}."
        notes = [all_admitted, *family_notes(suite, setup), *unjudged_notes(judgements, setup)]
    return Table(
        "judge_labels",
        "Stage 2 on the sample of the paper's cases that people labelled: the majority of the annotators, the paper's "
        "judges as released, and the judges asked here. None: two answers without a verdict, or no answer. Equal "
        "verdicts are those on the cases on which both gave one, with Cohen's κ where it is defined.",
        header,
        [section for section in sections if section],
        notes,
        wide=True,
        groups=groups,
    )


def reason_unlabelled(setup: Setup) -> str:
    """Why there are no released labels, where there are none."""
    return setup.release.absent or "not run: the published cases are not run"


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return sum(found) / len(found) if found else None
