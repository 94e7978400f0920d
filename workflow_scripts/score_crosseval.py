"""Count the questions that each system passed on one benchmark of other authors."""

from pathlib import Path

from lethe.analysis.crosseval import score_crosseval
from lethe.parquet import read_rows, write_rows
from lethe.schemas import CROSSEVAL, CROSSEVAL_HISTORIES, CROSSEVAL_QUESTIONS, CROSSEVAL_SCORES
from lethe.workflow import job

with job(snakemake):
    given = snakemake.input
    answers = [row for path in given.answers for row in read_rows(Path(path), CROSSEVAL)]
    replays = [row for path in given.histories for row in read_rows(Path(path), CROSSEVAL_HISTORIES)]
    scores = score_crosseval(answers, replays, read_rows(Path(given.questions), CROSSEVAL_QUESTIONS))
    write_rows(Path(snakemake.output.scores), CROSSEVAL_SCORES, scores, snakemake.params.fingerprint)
