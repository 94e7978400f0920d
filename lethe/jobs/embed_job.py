"""The kind of job that embeds texts: each distinct text of some material, once."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from forgeteval.embed.embedder import Vectors
from forgeteval.progress import progress
from lethe.config.model import Config
from lethe.embedding.embedder import FastEmbedder
from lethe.embedding.vectors import embed_texts
from lethe.environments.here import embedder_folder


def embed(
    snakemake: Any, material: str, texts: Mapping[str, Iterable[str]], known: Mapping[str, Vectors] | None = None
) -> None:
    """Write the vectors of texts with the prepared embedder that is the job's input `embedder`.

    Args:
        material: what the texts are of, for the progress that is shown.
        texts: those of each file that is written.
        known: vectors that need not be computed.
    """
    distinct = {Path(path): list(dict.fromkeys(its)) for path, its in texts.items()}
    folder = embedder_folder(Path(snakemake.input.embedder), Config.of(snakemake.config))
    embedder = FastEmbedder(folder, snakemake.threads)
    with progress(f"embedding {material}", sum(map(len, distinct.values()))) as advance:
        for path, its in distinct.items():
            embed_texts(path, its, embedder, snakemake.params.fingerprint, advance, known or {})
