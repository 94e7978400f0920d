"""Embed each clause that the matcher takes the texts of a suite, of a benchmark or of the long histories apart into."""

from pathlib import Path

from forgeteval.progress import progress
from lethe.config.model import Config
from lethe.embedding.embedder import FastEmbedder
from lethe.embedding.vectors import embed_texts, read_vectors
from lethe.environments.here import embedder_folder
from lethe.matcher.decision.outdated import statements
from lethe.workflow import job

with job(snakemake):
    params, given = snakemake.params, snakemake.input
    paths = [given.vectors] if isinstance(given.vectors, str) else given.vectors
    known = {text: vector for path in paths for text, vector in read_vectors(Path(path)).items()}
    found = dict.fromkeys(clause for text in known for clause in statements(text))
    texts = [clause for clause in found if clause not in known]
    embedder = FastEmbedder(embedder_folder(Path(given.embedder), Config.of(snakemake.config)), snakemake.threads)
    with progress(f"embedding the clauses of {snakemake.wildcards.material}", len(texts)) as advance:
        embed_texts(Path(snakemake.output.clauses), texts, embedder, params.fingerprint, advance)
