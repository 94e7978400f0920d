"""Embed the texts of the erasure cases, and the memories that stand beside them."""

from pathlib import Path

from forgeteval.cases.erasure.generate import cases_from_rows
from forgeteval.cases.haystack import draw_haystack
from lethe.jobs.embed_job import embed
from lethe.parquet import read_rows
from lethe.schemas import ERASURE_CASES
from lethe.workflow import job

with job(snakemake):
    params, output = snakemake.params, snakemake.output
    cases = cases_from_rows(read_rows(Path(snakemake.input.cases), ERASURE_CASES))
    texts = [text for case in cases for text in case.to_history().texts()]
    haystack = draw_haystack(params.rows, params.seed, [])
    embed(snakemake, "the erasure cases", {output.vectors: texts, output.haystack: haystack})
