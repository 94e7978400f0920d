"""Paths that several steps of the analysis read, from the output folder."""

from forgeteval.errors import UserError
from lethe import schemas
from lethe.schemas import Table
from lethe.study.setup import Setup

LATENCY_TRIALS = "results/latency/{system}.parquet"
STORE_SIZE_TRIALS = "results/store_size/{size}/{system}.parquet"
HAYSTACK = "results/store_size/haystack.parquet"
"""The unrelated memories of the store-size axis."""
TOLD_TRIALS = "results/told/{system}.parquet"
EMBEDDER_TRIALS = "results/embedder_ablation/{embedder}/{system}.parquet"
ABLATION_TRIALS = "results/ablation/{evidence}.parquet"
HANDED_TRIALS = "results/handed_in/{by}/{system}/{suite}.parquet"
ATLAS_TRIALS = "results/atlas/trials.parquet"
ATLAS_RECORDS = "results/atlas/erasure.parquet"
ATLAS_LONG = "results/atlas/long.parquet"
CROSSEVAL_DATA = "results/crosseval_data/{benchmark}/{file}.parquet"


def vectors_of_material(material: str) -> list[str]:
    """The files of vectors of some material: suites/NAME, crosseval/NAME or long."""
    kind, _, name = material.partition("/")
    match kind:
        case "suites":
            return [schemas.VECTORS.path.format(suite=name)]
        case "crosseval":
            return [CROSSEVAL_DATA.format(benchmark=name, file="vectors")]
        case _:
            return ["results/long/vectors.parquet"]


def cases(suite: str) -> list[str]:
    """The cases of a suite."""
    return [schemas.CASES.path.format(suite=suite)]


def verdicts(suite: str) -> list[str]:
    """The verdicts of every trial of a suite."""
    return [schemas.VERDICTS.path.format(suite=suite)]


def trials(setup: Setup, suite: str) -> list[str]:
    """The trials of each configuration that runs on a suite.

    Raises:
        UserError: if the suite is not run.
    """
    if suite not in setup.suites:
        raise UserError(f"the suite {suite} is not run; name it in run.suites")
    names = [name for name in setup.configurations if setup.runs(name, suite)]
    return [schemas.TRIALS.path.format(suite=suite, system=name) for name in names]


def judgements(setup: Setup, suite: str) -> list[str]:
    """What each judge says of a suite's cases."""
    return [schemas.JUDGEMENTS.path.format(suite=suite, model=name) for name in setup.judging(suite)]


def answers(table: Table, setup: Setup, benchmark: str) -> list[str]:
    """A file of each configuration that runs on a benchmark of other authors."""
    not_run = setup.benchmarks[benchmark].not_run
    names = [name for name in setup.configurations if name not in not_run]
    return [table.path.format(benchmark=benchmark, system=name) for name in names]
