"""Generate and embed the unrelated memories of the store-size axis."""

from pathlib import Path

from forgeteval.cases.haystack import draw_haystack
from forgeteval.cases.sampling import first_of_each_category
from lethe.jobs.embed_job import embed
from lethe.stored.cases import read_suite
from lethe.workflow import job

with job(snakemake):
    params = snakemake.params
    cases = first_of_each_category(read_suite(Path(snakemake.input.cases)), params.cases_per_category)
    avoid = [text for case in cases for text in (*case.must_contain, *case.must_not_contain)]
    embed(snakemake, "the haystack", {snakemake.output.haystack: draw_haystack(params.rows, params.seed, avoid)})
