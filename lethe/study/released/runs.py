"""The published runs of a suite, and the configurations that replicate them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from forgeteval.yaml_data import read_yaml_data
from lethe.parquet import Row

DATA_FILES = ("runs.yaml",)
_REPLICAS = read_yaml_data(Path(__file__).with_name(DATA_FILES[0]))


@dataclass(frozen=True, slots=True)
class Run:
    """One published run: what the release calls its system, model and scorer, and the release that it belongs to."""

    system: str
    model: str
    scorer: str
    release: str

    @property
    def name(self) -> str:
        """What tables and figures call it; unique within a suite."""
        model = self.model.rsplit("/", 1)[-1]
        described = ", ".join(part for part in (model, self.release, self.scorer) if part)
        return f"{self.system} ({described})"

    @property
    def scored_by(self) -> str:
        """The scorer that a run here is compared under; the release leaves a few open, which are later than v0.5."""
        return self.scorer or "probed"


def runs_of(verdicts: Iterable[Row], suite: str) -> dict[Run, dict[str, str]]:
    """The published runs of a suite, each with its verdict by case.

    Args:
        verdicts: rows of `lethe.schemas.RELEASED_VERDICTS`.
        suite: the release's name: adversarial, repaired or external.
    """
    runs: dict[Run, dict[str, str]] = defaultdict(dict)
    for row in verdicts:
        if row["suite"] == suite:
            run = Run(row["system"], row["model"], row["scorer"], row["release"])
            runs[run][row["case_id"]] = row["verdict"]
    return dict(runs)


def replicated_run(system: str, runs: Iterable[Run], suite: str) -> Run | None:
    """The published run that a system here replicates on a suite of the release; None for none."""
    wanted: Mapping[str, list[str]] = _REPLICAS[suite]
    return next((run for run in runs if [run.system, run.release, run.scorer] == wanted.get(system)), None)
