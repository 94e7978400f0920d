"""A matcher with the embedder of the workflow."""

import pytest

from lethe.embedding.embedder import FastEmbedder
from lethe.embedding.minilm import MODEL_NAME
from lethe.embedding.prepare import prepare_embedder
from lethe.matcher.planner import Matcher


@pytest.fixture(scope="session")
def minilm(tmp_path_factory: pytest.TempPathFactory) -> FastEmbedder:
    target = tmp_path_factory.mktemp("model") / "minilm"
    prepare_embedder(target, MODEL_NAME, "package", 128)
    return FastEmbedder(target)


@pytest.fixture(scope="session")
def matcher_with_minilm(minilm: FastEmbedder) -> Matcher:
    return Matcher(minilm)
