"""One prepared model directory for all tests of the embedder."""

from pathlib import Path

import pytest

from lethe.embedding.embedder import FastEmbedder
from lethe.embedding.minilm import MODEL_NAME
from lethe.embedding.prepare import prepare_embedder

MAX_TOKENS = 128


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("embedders") / f"all-MiniLM-L6-v2-{MAX_TOKENS}"
    prepare_embedder(folder, MODEL_NAME, "package", MAX_TOKENS)
    return folder


@pytest.fixture(scope="session")
def embedder(model_folder: Path) -> FastEmbedder:
    return FastEmbedder(model_folder)
