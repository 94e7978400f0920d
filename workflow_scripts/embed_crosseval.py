"""Embed each distinct text of one benchmark's histories, or a part of them."""

from pathlib import Path

from forgeteval.progress import progress
from lethe.config.model import Config
from lethe.crosseval.records import all_texts, read_histories
from lethe.embedding.embedder import FastEmbedder
from lethe.embedding.vectors import embed_texts
from lethe.environments.here import embedder_folder
from lethe.workflow import job

with job(snakemake):
    params = snakemake.params
    histories = read_histories(Path(snakemake.input.operations), Path(snakemake.input.questions))
    texts = all_texts(histories)[int(snakemake.wildcards.part) :: params.parts]
    folder = embedder_folder(Path(snakemake.input.embedder), Config.of(snakemake.config))
    embedder = FastEmbedder(folder, snakemake.threads)
    with progress(f"embedding {snakemake.wildcards.benchmark}", len(texts)) as advance:
        embed_texts(Path(snakemake.output.vectors), texts, embedder, params.fingerprint, advance)
