"""Embed each distinct text of one suite."""

from pathlib import Path

from forgeteval.progress import progress
from lethe.config.model import Config
from lethe.embedding.embedder import FastEmbedder
from lethe.embedding.vectors import embed_texts, read_vectors
from lethe.environments.here import embedder_folder
from lethe.stored.cases import read_suite
from lethe.workflow import job

with job(snakemake):
    cases = read_suite(Path(snakemake.input.cases))
    texts = list(dict.fromkeys(text for case in cases for text in case.texts()))
    known = read_vectors(Path(snakemake.input.known)) if snakemake.input.get("known") else {}
    folder = embedder_folder(Path(snakemake.input.embedder), Config.of(snakemake.config))
    embedder = FastEmbedder(folder, snakemake.threads)
    with progress(f"embedding {snakemake.wildcards.suite}", len(texts)) as advance:
        embed_texts(Path(snakemake.output.vectors), texts, embedder, snakemake.params.fingerprint, advance, known)
