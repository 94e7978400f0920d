"""The MiniLM graph built from the packaged weights, against what sentence-transformers makes of the same sentences."""

import json
import socket
from pathlib import Path

import numpy as np
import pytest

from forgeteval.errors import UserError
from lethe.embedding import minilm
from lethe.embedding.embedder import EmbedderDescription, FastEmbedder
from lethe.embedding.minilm import DIM, MODEL_NAME, WEIGHTS_SHA256, build_model_dir
from lethe.embedding.prepare import prepare_embedder

HERE = Path(__file__).parent
SENTENCES = (HERE / "reference_sentences.txt").read_text(encoding="utf-8").splitlines()
REFERENCE = np.load(HERE / "reference_vectors.npy")
WORDS_THAT_FIT = 126
"""128 tokens without the two that open and close a text; `cat` and `dog` are one token each."""


def test_the_reference_belongs_to_the_sentences() -> None:
    assert REFERENCE.shape == (len(SENTENCES), DIM)
    assert len(SENTENCES) > 20


@pytest.fixture(scope="module")
def vectors(embedder: FastEmbedder) -> np.ndarray:
    return embedder.embed(SENTENCES)


@pytest.mark.parametrize("position", range(len(SENTENCES)), ids=lambda p: SENTENCES[p][:20])
def test_each_vector_is_that_of_sentence_transformers(vectors: np.ndarray, position: int) -> None:
    assert float(vectors[position] @ REFERENCE[position]) >= 0.9999


def test_different_sentences_have_different_vectors(vectors: np.ndarray) -> None:
    others = vectors @ vectors.T - 2 * np.eye(len(SENTENCES))
    assert others.max() < 0.99


def test_vectors_are_float32_of_unit_norm(vectors: np.ndarray) -> None:
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(SENTENCES), DIM)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)


def test_a_batch_gives_what_single_texts_give(embedder: FastEmbedder, vectors: np.ndarray) -> None:
    single = np.concatenate([embedder.embed([sentence]) for sentence in SENTENCES])
    np.testing.assert_allclose(vectors, single, atol=1e-5)


@pytest.mark.parametrize("batch_size", [1, 5, 1000])
def test_the_batch_size_does_not_matter(model_folder: Path, vectors: np.ndarray, batch_size: int) -> None:
    np.testing.assert_allclose(FastEmbedder(model_folder, batch_size=batch_size).embed(SENTENCES), vectors, atol=1e-5)


def test_a_fresh_embedder_gives_the_same_bytes(model_folder: Path, vectors: np.ndarray) -> None:
    assert FastEmbedder(model_folder).embed(SENTENCES).tobytes() == vectors.tobytes()


def test_a_second_build_gives_the_same_bytes(model_folder: Path, tmp_path: Path) -> None:
    build_model_dir(tmp_path / "again", 128)
    for name in ("model.onnx", "tokenizer.json", "tokenizer_config.json", "config.json"):
        assert (tmp_path / "again" / name).read_bytes() == (model_folder / name).read_bytes(), name


def test_a_text_is_cut_to_128_tokens(embedder: FastEmbedder) -> None:
    full = "cat " * WORDS_THAT_FIT
    cut, longer, last_differs = embedder.embed([full, full + "dog " * 50, full[:-4] + "dog"])
    np.testing.assert_allclose(longer, cut, atol=1e-6)
    assert np.abs(last_differs - cut).max() > 1e-4, "the last token that fits must count"


def test_max_tokens_is_where_a_text_is_cut(tmp_path: Path) -> None:
    prepare_embedder(tmp_path / "short", MODEL_NAME, "package", 16)
    embedder = FastEmbedder(tmp_path / "short")
    assert embedder.description.max_tokens == 16
    full = "cat " * 14
    cut, longer, last_differs = embedder.embed([full, full + "dog " * 5, full[:-4] + "dog"])
    np.testing.assert_allclose(longer, cut, atol=1e-6)
    assert np.abs(last_differs - cut).max() > 1e-4


def test_wrong_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "WEIGHTS_SHA256", "0" * 64)
    with pytest.raises(UserError) as caught:
        build_model_dir(tmp_path / "model", 128)
    assert f"model.safetensors: sha256 {WEIGHTS_SHA256} is not {'0' * 64}" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_weights_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "WEIGHTS_PACKAGE", "no-such-package")
    with pytest.raises(UserError, match="package no-such-package is not installed; run `make env`"):
        build_model_dir(tmp_path / "model", 128)


def test_no_network_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the embedder opened a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)
    with pytest.raises(AssertionError, match="opened a connection"):
        socket.create_connection(("127.0.0.1", 9))
    prepare_embedder(tmp_path / "model", MODEL_NAME, "package", 128)
    vector = FastEmbedder(tmp_path / "model").embed(SENTENCES[:1])
    assert float(vector[0] @ REFERENCE[0]) >= 0.9999


def test_a_build_replaces_what_stood_there(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "stale").write_text("x")
    build_model_dir(folder, 64)
    assert not (folder / "stale").exists()
    assert json.loads((folder / "tokenizer_config.json").read_text())["model_max_length"] == 64
    assert [file.name for file in tmp_path.iterdir()] == ["model"]


def test_the_description_says_what_was_built(model_folder: Path) -> None:
    assert EmbedderDescription.read(model_folder) == EmbedderDescription(
        MODEL_NAME, "package", DIM, 128, WEIGHTS_SHA256
    )
