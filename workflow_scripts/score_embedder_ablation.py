"""Count the passes with each embedder, and say what each embedder is."""

from pathlib import Path

from lethe.analysis.embedder_ablation import embedder_ablation_rows, embedder_row
from lethe.cases.stored import read_suite
from lethe.parquet import read_rows, write_rows
from lethe.schemas import EMBEDDER_ABLATION, EMBEDDERS, TRIALS
from lethe.workflow import job

with job(snakemake):
    given, params, output = snakemake.input, snakemake.params, snakemake.output
    runs = {tuple(run): read_rows(Path(path), TRIALS) for run, path in zip(params.runs, given.trials, strict=True)}
    rows = embedder_ablation_rows(read_suite(Path(given.cases)), runs, params.embedders[0][0])
    write_rows(Path(output.ablation), EMBEDDER_ABLATION, rows, params.fingerprint)
    folders = [Path(path).parent for path in given.descriptions]
    embedders = [embedder_row(*options, folder) for options, folder in zip(params.embedders, folders, strict=True)]
    write_rows(Path(output.embedders), EMBEDDERS, embedders, params.fingerprint)
