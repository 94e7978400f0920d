"""Trials of cases: one configuration on one case, once, as rows of `lethe.schemas.TRIALS`."""

import re
from collections.abc import Sequence
from typing import Any

from forgeteval.cases.case import Case
from forgeteval.run.trials import Trial, score_trial
from lethe.config.configurations import Configuration
from lethe.fingerprints import PROJECT
from lethe.jobs.kept import FinishedTrial
from lethe.jobs.session import Session, Workload

_FILE = re.compile(r'File "([^"\n]+)"')


def run_cases(
    session: Session,
    cases: Sequence[Case],
    haystack: Sequence[str] = (),
    **options: Any,
) -> list[dict[str, Any]]:
    """Run cases of one suite on one system; its rows of TRIALS, by repetition and case.

    Args:
        haystack: unrelated memories that stand in the store before each case's facts.
        options: further fields of the `Workload`.

    Raises:
        UserError: see `Session.run`.
    """
    [finished] = session.run([workload_of_cases(session.system, cases, haystack, **options)])
    return rows_of_cases(session, cases, finished)


def workload_of_cases(
    system: Configuration, cases: Sequence[Case], haystack: Sequence[str] = (), **options: Any
) -> Workload:
    """Cases of one suite as what a session runs.

    An operation that the system cannot express makes a trial `na`, without being run where that is known beforehand;
    whatever else the system raises makes it `error`.
    """
    # A system that asks a chat model when it recalls would ask it for every fact.
    histories = [case.to_history(anchored=system.gateway != "chat") for case in cases]
    by_id = {case.case_id: case for case in cases}
    return Workload(cases[0].suite, "case", histories, haystack=haystack, strict=True, cases=by_id, **options)


def rows_of_cases(session: Session, cases: Sequence[Case], finished: Sequence[FinishedTrial]) -> list[dict[str, Any]]:
    """Finished trials of cases as rows of TRIALS."""
    by_id = {case.case_id: case for case in cases}
    return [_row(session, by_id[trial.history], trial) for trial in finished]


def _row(session: Session, case: Case, finished: FinishedTrial) -> dict[str, Any]:
    system, planner = session.system, session.services.planner
    trial = Trial(case.suite, system.system, system.model, finished.repetition, case.case_id)
    scored = score_trial(trial, case, finished.replay)
    scored.traceback = placed(scored.traceback) if scored.traceback else None
    row = scored.to_row()
    fallbacks = "llm_fallbacks" if planner is not None and planner.chat is not None else "matcher_fallbacks"
    return {**row, **finished.usage.columns(), fallbacks: finished.replay.fallbacks}


def placed(traceback: str) -> str:
    """A traceback that is the same on every machine: paths begin at a package, at the project, or at the file."""
    return _FILE.sub(lambda found: f'File "{_place(found[1])}"', traceback)


def _place(path: str) -> str:
    for above in ("/site-packages/", "/dist-packages/", f"{PROJECT.as_posix()}/"):
        if above in path:
            return path.rpartition(above)[2]
    return path.rpartition("/")[2]
