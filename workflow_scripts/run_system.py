"""Run one configuration over one suite; trials of equal cases of a suite that it revises are kept."""

from contextlib import ExitStack
from pathlib import Path

from lethe.jobs.opening import open_session
from lethe.jobs.trials import equal_trials, run_cases
from lethe.parquet import read_rows, write_rows
from lethe.schemas import TRIALS
from lethe.stored.cases import read_suite
from lethe.workflow import job

with job(snakemake), ExitStack() as stack:
    given, params = snakemake.input, snakemake.params
    cases = read_suite(Path(given.cases))
    trials = []
    if given.get("revised_trials"):
        trials += equal_trials(
            cases, read_suite(Path(given.revised_cases)), read_rows(Path(given.revised_trials), TRIALS)
        )
    known = {row["case_id"] for row in trials}
    left = [case for case in cases if case.case_id not in known]
    if left:
        session = stack.enter_context(open_session(snakemake))
        trials += stack.enter_context(run_cases(session, left, part=bool(known)))
    place = {case.case_id: number for number, case in enumerate(cases)}
    trials.sort(key=lambda row: (row["repetition"], place[row["case_id"]]))
    write_rows(Path(snakemake.output.trials), TRIALS, trials, params.fingerprint)
