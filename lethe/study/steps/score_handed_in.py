"""The scores of trials that somebody handed in, on one suite."""

from collections.abc import Mapping

from lethe.schemas import ALL, CASES, HANDED_IN, TRIALS
from lethe.stored.cases import suite_from_rows
from lethe.study.scores import score_suite
from lethe.study.step import Rows, Step
from lethe.study.verdicts import verdict_rows


def _compute(cases: Rows, trials: Rows, by: str, scorer: str) -> Mapping[str, Rows]:
    suite, names = suite_from_rows(cases), [column.name for column in HANDED_IN.columns]
    verdicts = [row for row in verdict_rows(suite, trials) if row["scorer"] == scorer]
    scores = score_suite(suite, trials, verdicts, "")
    wanted = ({**score, "by": by} for score in scores if (score["cut"], score["value"]) == ("overall", ALL))
    return {"scores": [{name: row[name] for name in names} for row in wanted]}


STEP = Step({"cases": CASES, "trials": TRIALS}, {"scores": HANDED_IN}, _compute)
