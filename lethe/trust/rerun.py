"""A sample of handed-in trials, run again here on this project's own adapter."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from forgeteval.cases.case import Case
from forgeteval.embed.embedder import CachedEmbedder
from forgeteval.errors import UserError
from lethe.config.configurations import PIPELINE, Configuration
from lethe.config.keys import key_variables
from lethe.config.model import Config
from lethe.config.selection import all_configurations
from lethe.config.submission import TRIALS_FILE, Submission
from lethe.environments.build import interpreter
from lethe.jobs.opening import open_services
from lethe.jobs.session import RunSettings, Session
from lethe.jobs.trials import run_cases
from lethe.parquet import read_rows
from lethe.schemas import TRIALS
from lethe.trust.judging import cases_of


@dataclass(frozen=True, slots=True)
class Rerun:
    """What to run again, and with what.

    Attributes:
        cases: how many of each suite.
        environments: folder of the built environments.
    """

    cases: int
    embedder: CachedEmbedder
    environments: Path


def run_again(folder: Path, submission: Submission, config: Config, sample: Rerun) -> tuple[tuple[int, int], list[str]]:
    """Run cases again on the configuration that this project has under the name; the bundle gives none of it.

    Returns:
        How many trials were run again and how many of these have the verdict that was handed in; and a line for each
        other.

    Raises:
        UserError: where the system asks a chat model, or its environment is not built here.
    """
    entry = all_configurations(config)[submission.configuration.name]
    if entry.asks_model:
        raise UserError(f"{entry.name} asks a chat model, whose answers are not here; leave out --rerun")
    python = interpreter(sample.environments, entry.environment)
    if entry.environment != PIPELINE and not python.exists():
        made = sample.environments / f"{entry.environment}.freeze.txt"
        raise UserError(f"{entry.name}: its environment is not built; `snakemake -c1 {made}` does that")
    number, findings = 0, []
    for suite, handed in submission.suites.items():
        cases = _sample(cases_of(suite, handed, config), sample.cases, entry.in_order)
        rows = read_rows(folder / TRIALS_FILE.format(suite=suite), TRIALS)
        said = {row["case_id"]: row["verdict"] for row in rows if row["repetition"] == 0}
        found = _run(entry, cases, submission.k, python, config, sample)
        number += len(found)
        findings += [
            f"{suite}: {case}: {said[case]!r} was handed in; run again it is {verdict!r}"
            for case, verdict in found.items()
            if said[case] != verdict
        ]
    return (number, number - len(findings)), findings


def _sample(cases: Sequence[Case], wanted: int, in_order: bool) -> list[Case]:
    """Cases spread over the suite; the first ones where each depends on those before it."""
    step = 1 if in_order else max(1, len(cases) // wanted)
    return list(cases[::step])[:wanted]


def _run(
    entry: Configuration, cases: Sequence[Case], k: int, python: Path, config: Config, sample: Rerun
) -> dict[str, str]:
    limits = config.run.model_dump(include={"case_timeout_s", "start_timeout_s", "worker_failure"})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with open_services(entry, config, folder / "cache.sqlite", sample.embedder) as services:
            session = Session(
                entry,
                python,
                sample.embedder,
                RunSettings(k=k, **limits),
                folder / "journal.jsonl",
                folder / "log.txt",
                "run again",
                services,
                key_variables(config.models),
            )
            with run_cases(session, cases, part=True) as rows:
                return {row["case_id"]: row["verdict"] for row in rows}
