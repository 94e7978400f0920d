"""Embed the texts of the erasure cases, and the memories that stand beside them."""

from pathlib import Path

from forgeteval.cases.erasure.generate import cases_from_rows
from forgeteval.cases.haystack import draw_haystack
from forgeteval.progress import progress
from lethe.config.model import Config
from lethe.embedding.embedder import FastEmbedder
from lethe.embedding.vectors import embed_texts
from lethe.environments.here import embedder_folder
from lethe.parquet import read_rows
from lethe.schemas import ERASURE_CASES
from lethe.workflow import job

with job(snakemake):
    params, output = snakemake.params, snakemake.output
    cases = cases_from_rows(read_rows(Path(snakemake.input.cases), ERASURE_CASES))
    histories = [case.to_history() for case in cases]
    texts = {
        output.vectors: list(dict.fromkeys(text for history in histories for text in history.texts())),
        output.haystack: draw_haystack(params.rows, params.seed, []),
    }
    folder = embedder_folder(Path(snakemake.input.embedder), Config.of(snakemake.config))
    embedder = FastEmbedder(folder, snakemake.threads)
    with progress("embedding the erasure cases", sum(map(len, texts.values()))) as advance:
        for path, part in texts.items():
            embed_texts(Path(path), part, embedder, params.fingerprint, advance)
