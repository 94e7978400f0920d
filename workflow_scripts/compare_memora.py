"""Set the answers to Memora's questions beside the released verdicts, question by question."""

from pathlib import Path

from lethe.analysis.released.memora import memora_replica_rows
from lethe.parquet import read_rows, write_rows
from lethe.schemas import CROSSEVAL, CROSSEVAL_QUESTIONS, MEMORA_REPLICAS, RELEASED_MEMORA
from lethe.workflow import job

with job(snakemake):
    given = snakemake.input
    released = read_rows(Path(given.released), RELEASED_MEMORA)
    (questions,) = (read_rows(Path(path), CROSSEVAL_QUESTIONS) for path in given.questions)
    answers = [row for path in given.answers for row in read_rows(Path(path), CROSSEVAL)]
    rows = memora_replica_rows(released, answers, questions)
    write_rows(Path(snakemake.output.replicas), MEMORA_REPLICAS, rows, snakemake.params.fingerprint)
