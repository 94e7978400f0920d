"""The kind of job that embeds texts: each distinct text of some material, once."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from forgeteval.progress import progress
from lethe.config.model import Config
from lethe.embedding.embedder import FastEmbedder
from lethe.embedding.vectors import embed_texts, read_vectors
from lethe.environments.here import embedder_folder


def embed(snakemake: Any, texts_of: Callable[..., Mapping[str, Iterable[str]]]) -> None:
    """Write the vectors of texts with the prepared embedder that is the job's input `embedder`.

    What `known` holds is not embedded again.

    Args:
        texts_of: gives those of each output by its name, from the job's other inputs and its parameter `options`.
    """
    given, params = snakemake.input, snakemake.params
    files = {key: Path(path) for key, path in given.items() if key not in ("embedder", "known")}
    distinct = {output: list(dict.fromkeys(texts)) for output, texts in texts_of(**files, **params.options).items()}
    known = read_vectors(Path(given.known)) if given.get("known") else {}
    folder = embedder_folder(Path(given.embedder), Config.of(snakemake.config))
    embedder = FastEmbedder(folder, snakemake.threads)
    with progress(" ".join([snakemake.rule, *snakemake.wildcards]), sum(map(len, distinct.values()))) as advance:
        for output, texts in distinct.items():
            embed_texts(Path(snakemake.output[output]), texts, embedder, params.fingerprint, advance, known)
