"""Generate and embed the unrelated memories of the store-size axis."""

from pathlib import Path

from forgeteval.cases.haystack import draw_haystack
from forgeteval.cases.sampling import first_of_each_category
from forgeteval.progress import progress
from lethe.config.model import Config
from lethe.embedding.embedder import FastEmbedder
from lethe.embedding.vectors import embed_texts
from lethe.environments.here import embedder_folder
from lethe.stored.cases import read_suite
from lethe.workflow import job

with job(snakemake):
    params = snakemake.params
    cases = first_of_each_category(read_suite(Path(snakemake.input.cases)), params.cases_per_category)
    avoid = [text for case in cases for text in (*case.must_contain, *case.must_not_contain)]
    texts = draw_haystack(params.rows, params.seed, avoid)
    folder = embedder_folder(Path(snakemake.input.embedder), Config.of(snakemake.config))
    embedder = FastEmbedder(folder, snakemake.threads)
    with progress("embedding the haystack", len(texts)) as advance:
        embed_texts(Path(snakemake.output.haystack), texts, embedder, params.fingerprint, advance)
