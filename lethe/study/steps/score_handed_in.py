"""The scores of trials that somebody handed in, on one suite."""

from collections.abc import Iterable, Mapping

from lethe.schemas import ALL, CASES, HANDED_IN, TRIALS
from lethe.stored.cases import suite_from_rows
from lethe.study import paths
from lethe.study.scores import score_suite
from lethe.study.setup import Setup
from lethe.study.step import Names, Rows, Step, Work
from lethe.study.verdicts import verdict_rows


def _compute(cases: Rows, trials: Rows, by: str, scorer: str) -> Mapping[str, Rows]:
    suite, names = suite_from_rows(cases), [column.name for column in HANDED_IN.columns]
    verdicts = [row for row in verdict_rows(suite, trials) if row["scorer"] == scorer]
    scores = score_suite(suite, trials, verdicts, "")
    wanted = ({**score, "by": by} for score in scores if (score["cut"], score["value"]) == ("overall", ALL))
    return {"scores": [{name: row[name] for name in names} for row in wanted]}


def _work(setup: Setup, by: str, system: str, suite: str) -> Work:
    trials = [paths.HANDED_TRIALS.format(by=by, system=system, suite=suite)]
    return Work({"cases": paths.cases(suite), "trials": trials}, {"by": by, "scorer": setup.scorer})


def _over(setup: Setup) -> Iterable[Names]:
    return ({"by": by, "system": name, "suite": suite} for by, name, suite in setup.handed_in_runs())


STEP = Step({"cases": CASES, "trials": TRIALS}, {"scores": HANDED_IN}, _compute, _work, _over)
