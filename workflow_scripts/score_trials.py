"""Give one suite's trials their verdict under each scorer, and count passes by system and part of the suite."""

from pathlib import Path

from lethe.analysis.hook_choices import hook_choice_rows
from lethe.analysis.llm_runs import llm_run_rows
from lethe.analysis.scorer_audit import disagreements
from lethe.analysis.scores import score_suite
from lethe.analysis.verdicts import verdict_rows
from lethe.cases.stored import read_suite
from lethe.parquet import read_rows, write_rows
from lethe.schemas import HOOK_CHOICES, LLM_RUNS, SCORER_AUDIT, SCORES, TRIALS, VERDICTS
from lethe.workflow import job

with job(snakemake):
    cases = read_suite(Path(snakemake.input.cases))
    trials = [row for path in snakemake.input.trials for row in read_rows(Path(path), TRIALS)]
    output, params = snakemake.output, snakemake.params
    verdicts = verdict_rows(cases, trials)
    write_rows(Path(output.verdicts), VERDICTS, verdicts, params.fingerprint)
    scores = score_suite(cases, trials, verdicts, params.reference_system)
    write_rows(Path(output.scores), SCORES, scores, params.fingerprint)
    write_rows(Path(output.llm_runs), LLM_RUNS, llm_run_rows(trials), params.fingerprint)
    write_rows(Path(output.choices), HOOK_CHOICES, hook_choice_rows(cases, trials), params.fingerprint)
    audit = disagreements(cases, verdicts, frozenset(params.controls))
    write_rows(Path(output.audit), SCORER_AUDIT, audit, params.fingerprint)
