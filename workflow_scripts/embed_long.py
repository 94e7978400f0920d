"""Embed each distinct text of the long histories, or a part of them."""

from pathlib import Path

from forgeteval.progress import progress
from lethe.config.model import Config
from lethe.embedding.embedder import FastEmbedder
from lethe.embedding.vectors import embed_texts
from lethe.environments.here import embedder_folder
from lethe.stored.histories import read_long
from lethe.workflow import job

with job(snakemake):
    params, histories = snakemake.params, read_long(Path(snakemake.input.events))
    every = dict.fromkeys(text for history in histories for text in history.to_history().texts())
    texts = list(every)[int(snakemake.wildcards.part) :: params.parts]
    folder = embedder_folder(Path(snakemake.input.embedder), Config.of(snakemake.config))
    embedder = FastEmbedder(folder, snakemake.threads)
    with progress("embedding the long histories", len(texts)) as advance:
        embed_texts(Path(snakemake.output.vectors), texts, embedder, params.fingerprint, advance)
