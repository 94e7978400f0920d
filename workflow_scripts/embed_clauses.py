"""Embed each clause that the matcher takes the texts of a suite, of a benchmark or of the long histories apart into."""

from pathlib import Path

from lethe.embedding.vectors import read_vectors
from lethe.jobs.embed_job import embed
from lethe.matcher.decision.outdated import statements
from lethe.workflow import job

with job(snakemake):
    paths = snakemake.input.vectors
    every = [paths] if isinstance(paths, str) else paths
    known = dict.fromkeys(text for path in every for text in read_vectors(Path(path)))
    clauses = [clause for text in known for clause in statements(text) if clause not in known]
    embed(snakemake, f"the clauses of {snakemake.wildcards.material}", {snakemake.output.clauses: clauses})
