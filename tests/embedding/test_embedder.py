"""The embedder's description, its cache, and the Parquet file of a suite's vectors."""

import json
import time
import traceback
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from forgeteval.embed.disk_cache import DiskCache
from forgeteval.embed.embedder import CachedEmbedder, Embedder, Vectors
from forgeteval.errors import UserError
from forgeteval.run.child import _RemoteEmbedder
from lethe.embedding.embedder import DESCRIPTION_FILE, EmbedderDescription, FastEmbedder
from lethe.embedding.onnx_model import GRAPH_FILE, PACKAGED, TOKENIZER_FILE
from lethe.embedding.prepare import prepare_embedder
from lethe.embedding.vectors import embed_texts, read_vectors

TEXTS = ["Ada lives in Ghent.", "王小明 😀", "a NUL \x00 inside", "x"]


class Counting:
    """Passes texts on to a real embedder and keeps a list of them."""

    def __init__(self, embedder: FastEmbedder) -> None:
        self.embedder = embedder
        self.asked: list[str] = []

    @property
    def dim(self) -> int:
        return self.embedder.dim

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.asked.extend(texts)
        return self.embedder.embed(texts)


@pytest.fixture
def counting(embedder: FastEmbedder) -> Counting:
    return Counting(embedder)


def test_the_cache_embeds_each_distinct_new_text_once(counting: Counting) -> None:
    known = dict(zip(TEXTS[:1], counting.embedder.embed(TEXTS[:1]), strict=True))
    cached = CachedEmbedder(known, counting)
    first = cached.embed([TEXTS[1], TEXTS[0], TEXTS[1], TEXTS[2]])
    assert counting.asked == [TEXTS[1], TEXTS[2]]
    assert cached.new_texts == 2
    again = cached.embed([TEXTS[2], TEXTS[0]])
    assert counting.asked == [TEXTS[1], TEXTS[2]]
    assert cached.new_texts == 2
    np.testing.assert_array_equal(again, first[[3, 1]])


def test_the_cache_gives_the_vectors_of_its_texts_in_order(counting: Counting) -> None:
    wanted = [TEXTS[2], TEXTS[0], TEXTS[2], TEXTS[1]]
    found = CachedEmbedder({}, counting).embed(wanted)
    np.testing.assert_allclose(found, counting.embedder.embed(wanted), atol=1e-5)
    assert found.dtype == np.float32


def test_the_cache_trusts_known_vectors(counting: Counting) -> None:
    marked = np.full(counting.dim, 7, dtype=np.float32)
    np.testing.assert_array_equal(CachedEmbedder({"x": marked}, counting).embed(["x"]), [marked])
    assert counting.asked == []


def test_one_text_is_no_list_of_texts(counting: Counting, tmp_path: Path) -> None:
    remote = _RemoteEmbedder(cast(Any, None), 2)
    embedders: list[Embedder] = [CachedEmbedder({}, counting), DiskCache(counting, "counting", tmp_path), remote]
    for embedder in embedders:
        with pytest.raises(TypeError, match="given one text; give it a list"):
            embedder.embed("where is it?")
    assert counting.asked == []


def test_no_text_is_no_vector(counting: Counting, embedder: FastEmbedder) -> None:
    assert CachedEmbedder({}, counting).embed([]).shape == (0, 384)
    assert embedder.embed([]).shape == (0, 384)
    assert counting.asked == []


def test_batches_cover_every_position_once(model_folder: Path) -> None:
    texts = [f"text {'long ' * (n % 7)}{n}" for n in range(11)]
    batches = list(FastEmbedder(model_folder, batch_size=4).embed_in_batches(texts))
    assert [len(positions) for positions, _ in batches] == [4, 4, 3]
    assert sorted(position for positions, _ in batches for position in positions) == list(range(11))
    assert all(len(positions) == len(vectors) for positions, vectors in batches)


def test_batches_at_once_are_the_same(model_folder: Path) -> None:
    texts = [f"text {'long ' * (n % 7)}{n}" for n in range(11)]
    alone, together = (FastEmbedder(model_folder, threads, batch_size=2).embed(texts) for threads in (1, 3))
    assert alone.tobytes() == together.tobytes()


def test_batches_that_nobody_waits_for_are_not_embedded(model_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder, embedded = FastEmbedder(model_folder, threads=2, batch_size=1), list[str]()

    def embed(batch: Sequence[str]) -> Vectors:
        embedded.extend(batch)
        time.sleep(0.05)
        return np.ones((1, embedder.dim), dtype=np.float32)

    monkeypatch.setattr(embedder, "_embed", embed)
    batches = embedder.embed_in_batches([f"text {n}" for n in range(100)])
    next(batches)
    assert isinstance(batches, Generator)
    batches.close()
    assert len(embedded) < 50


def test_the_model_is_loaded_at_the_first_text(model_folder: Path) -> None:
    embedder = FastEmbedder(model_folder)
    assert embedder.dim == 384
    assert embedder._model is None
    embedder.embed(["x"])
    assert embedder._model is not None


def test_another_model_does_not_come_from_the_package(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        prepare_embedder(tmp_path / "model", "BAAI/bge-small-en-v1.5", "package", 128)
    assert str(caught.value) == "embedder: BAAI/bge-small-en-v1.5 comes only from the hub"
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_fastembed_does_not_know_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="fastembed has no model 'no/such-model'"):
        prepare_embedder(tmp_path / "model", "no/such-model", "hub", 128)
    assert list(tmp_path.iterdir()) == []


def test_a_proxy_with_a_password_of_signs_is_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://u:hunter2-Secret#x@127.0.0.1:1")
    with pytest.raises(UserError, match=r"cannot be fetched from the hub \(.*HTTPS_PROXY") as caught:
        prepare_embedder(tmp_path / "model", "BAAI/bge-small-en-v1.5", "hub", 128)
    assert "hunter2" not in "".join(traceback.format_exception(caught.value))


def test_the_description_survives(tmp_path: Path) -> None:
    description = EmbedderDescription("some/model", "hub", 12, 34, "abc")
    description.write(tmp_path)
    assert EmbedderDescription.read(tmp_path) == description


@pytest.mark.parametrize(
    "content", [None, "", "{", "[]", "{}", json.dumps({"name": "x", "other": 1})], ids=lambda c: repr(c)[:12]
)
def test_a_folder_that_was_not_prepared_is_named(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / DESCRIPTION_FILE).write_text(content)
    with pytest.raises(UserError) as caught:
        FastEmbedder(tmp_path)
    assert f"{tmp_path / DESCRIPTION_FILE}: not a prepared embedder" in str(caught.value)


def test_vectors_of_a_suite_survive_in_parquet(embedder: FastEmbedder, tmp_path: Path) -> None:
    done: list[int] = []
    path = tmp_path / "vectors.parquet"
    embed_texts(path, [*TEXTS, *TEXTS[::-1]], embedder, "producer", done.append)
    vectors = read_vectors(path)
    assert list(vectors) == TEXTS
    assert sum(done) == len(TEXTS), "each distinct text is embedded once"
    expected = embedder.embed(TEXTS)
    for text, vector in zip(TEXTS, expected, strict=True):
        assert vectors[text].dtype == np.float32
        np.testing.assert_array_equal(vectors[text], vector)


def test_known_vectors_are_taken_over(embedder: FastEmbedder, tmp_path: Path) -> None:
    path, known = tmp_path / "vectors.parquet", {TEXTS[1]: np.full(embedder.dim, 0.5, dtype=np.float32)}
    embed_texts(path, TEXTS, embedder, "producer", lambda _: None, {**known, "of another suite": known[TEXTS[1]]})
    vectors = read_vectors(path)
    assert list(vectors) == TEXTS
    for text, vector in zip(TEXTS, embedder.embed(TEXTS), strict=True):
        np.testing.assert_array_equal(vectors[text], known.get(text, vector))


def test_a_suite_without_texts_has_no_vectors(embedder: FastEmbedder, tmp_path: Path) -> None:
    embed_texts(tmp_path / "vectors.parquet", [], embedder, "producer", lambda _: None)
    assert read_vectors(tmp_path / "vectors.parquet") == {}


@pytest.mark.parametrize("spoil", [Path.unlink, lambda path: path.write_bytes(b"another")])
@pytest.mark.parametrize("name", [GRAPH_FILE, TOKENIZER_FILE])
def test_a_model_that_is_no_longer_what_was_prepared_is_named(
    tmp_path: Path, name: str, spoil: Callable[[Path], object]
) -> None:
    for each in (GRAPH_FILE, TOKENIZER_FILE):
        (tmp_path / each).write_bytes(each.encode())
    EmbedderDescription("some/model", PACKAGED, 12, 34, "abc").write(tmp_path)
    spoil(tmp_path / name)
    with pytest.raises(UserError) as caught:
        FastEmbedder(tmp_path).embed(["a text"])
    said = f"{tmp_path / name}: not what was prepared; remove {tmp_path} and run the workflow again"
    assert str(caught.value) == said
