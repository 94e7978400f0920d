"""Embedders by name, the default one, prefixes, and a key that is opened or made."""

import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from benchmarks import distil_word_vectors
from lethe.store import Store, read_key, word_vectors
from lethe.store.connection import made_with
from lethe.store.embedders import DEFAULT, named
from lethe.store.errors import LetheError, NothingMeets
from lethe.store.thresholds import FLOOR

Floats = npt.NDArray[np.float32]
MODEL = "intfloat/multilingual-e5-small"


def test_a_text_without_spaces_is_cut_by_looking_up_nothing_longer_than_the_longest_piece(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pieces = word_vectors._pieces()
    longest = max(map(len, pieces.numbers))

    class Watched(dict[str, int]):
        def __contains__(self, piece: object) -> bool:
            assert len(str(piece)) <= longest + 2
            return super().__contains__(piece)

    watched = pieces._replace(numbers=Watched(pieces.numbers))
    monkeypatch.setattr(word_vectors, "_pieces", lambda: watched)
    (vector,) = word_vectors.embed(["x" * 10_000])
    assert np.isclose(np.linalg.norm(vector), 1)


def test_five_lines_run_twice(tmp_path: Path) -> None:
    for _ in range(2):
        store = Store(tmp_path / "memory.db", key=tmp_path / "lethe.key")
        memory = store.inscribe("The spare key is at the bakery.")
        store.inscribe("Tom rows on Sundays.")
        assert store.recall("where is the key?", 1)[0].text == "The spare key is at the bakery."
        receipt = store.purge(memory)
        assert receipt.complete and receipt.public_key == read_key(tmp_path / "lethe.key").public.hex()
        store.close()
    assert made_with(tmp_path / "memory.db") == (word_vectors.DIM, DEFAULT)


def test_the_default_embedder_has_a_floor_of_its_own(tmp_path: Path) -> None:
    store = Store(tmp_path / "memory.db")
    store.inscribe_many(["Paul rows on Sundays.", "Tom's dentist is Dr Lind."])
    ask = "what is Paul's IBAN?"
    assert FLOOR < store.recall(ask, 1, mode="vector")[0].similarity < word_vectors.FLOOR
    for act in (store.purge_matching, store.release_matching, lambda query: store.selected(query, "release")):
        with pytest.raises(NothingMeets):
            act(ask)
    assert store.release_matching(ask, floor=FLOOR)


def test_the_default_is_near_for_near_words_and_knows_every_script() -> None:
    texts = [
        "a doctor at the hospital",
        "the physician of a clinic",
        "rowing on the lake",
        "กาแฟเย็น",
        "กาแฟเย็น!",
        "",
        "🙂",
    ]
    vectors = word_vectors.embed(texts)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2
    ines, tom = word_vectors.embed(["Ines told Tom", "Tom told Ines"])
    assert 0.9 < ines @ tom < 0.9999
    assert vectors[3] @ vectors[4] > 0.95 and abs(vectors[3] @ vectors[6]) < 0.3
    assert word_vectors.embed([]).shape == (0, word_vectors.DIM)
    assert list(word_vectors.words_of("Café, 東京!")) == ["cafe", ",", "東", "京", "!"]


def test_the_vectors_are_those_of_the_model() -> None:
    """Axes, weights and 4 bits keep the cosines between pieces; the model is the one of the extra `embed`."""
    words = ["doctor", "physician", "lake", "river", "sunday"]
    model = distil_word_vectors.alone(np.array([distil_word_vectors.NAMES.index(word) for word in words]))
    model = model - model.mean(axis=0)
    model /= np.linalg.norm(model, axis=1, keepdims=True)
    ours = word_vectors.embed(words)
    ours = ours - ours.mean(axis=0)
    ours /= np.linalg.norm(ours, axis=1, keepdims=True)
    np.testing.assert_allclose(ours @ ours.T, model @ model.T, atol=0.15)


def told(texts: Sequence[str], seen: list[str]) -> Floats:
    seen += texts
    vectors = word_vectors.embed([text.removeprefix("query: ").removeprefix("passage: ") for text in texts])
    return vectors * np.float32(3)  # services do not all give unit vectors


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that stand-ins for fastembed and openai were given."""
    texts: list[str] = []

    class Client:
        def __init__(self) -> None:
            self.embeddings = self

        def create(self, model: str, input: list[str]) -> Any:
            rows = enumerate(told(input, texts))
            return SimpleNamespace(data=[SimpleNamespace(index=at, embedding=row) for at, row in rows][::-1])

    class TextEmbedding:
        def __init__(self, model: str) -> None:
            if model != MODEL:
                raise ValueError(f"{model} is not supported")

        def embed(self, given: list[str]) -> Any:
            return iter(told(given, texts))

    for name, content in (
        ("fastembed", {"TextEmbedding": TextEmbedding}),
        ("openai", {"OpenAI": Client, "OpenAIError": OSError}),
    ):
        module = ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)
    return texts


@pytest.mark.parametrize(
    ("name", "query", "document"),
    [(f"fastembed:{MODEL}", "query: ", "passage: "), ("openai:text-embedding-3-small", "", "")],
)
def test_a_name_brings_the_prefixes_of_its_model(
    tmp_path: Path, seen: list[str], name: str, query: str, document: str
) -> None:
    for embedder in (name, None):
        with Store(tmp_path / "m.db", embedder=embedder) as store:
            store.inscribe("It rains")
            assert store.recall("rain", 1)[0].text == "It rains"
            store.supersede_matching("It rains", "It snows", floor=None)
    assert {query + "rain", document + "It rains", query + "It rains", document + "It snows"} <= set(seen)
    assert made_with(tmp_path / "m.db")[1] == name


def test_a_function_is_given_its_prefixes(tmp_path: Path) -> None:
    seen: list[str] = []

    def embed(texts: Sequence[str]) -> Floats:
        return told(texts, seen) / np.float32(3)

    with Store(tmp_path / "m.db", embedder=embed, query_prefix="query: ", document_prefix="passage: ") as store:
        store.inscribe("It rains")
        store.recall("rain", 1)
    assert seen[-2:] == ["passage: It rains", "query: rain"]
    with pytest.raises(LetheError, match="has no name; give it as embed"):
        Store(tmp_path / "m.db")
    with Store(tmp_path / "m.db", embedder=embed, document_prefix="passage: ") as store:
        assert store.count() == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"embedder": "nobody's"}, "none of that name"),
        ({"embedder": "fastembed:other"}, "cannot be loaded"),
        ({"embedder": "words", "dim": 3}, "have 384 numbers"),
        ({"embedder": "words", "query_prefix": "q"}, "prefixes go with a function"),
        ({"embedder": word_vectors.embed, "embed": word_vectors.embed}, "give one"),
    ],
    ids=["no name", "no model", "another dim", "a prefix", "two"],
)
def test_what_cannot_be_meant_is_refused(tmp_path: Path, seen: list[str], options: dict[str, Any], said: str) -> None:
    with pytest.raises((LetheError, ValueError), match=said):
        Store(tmp_path / "m.db", **options)
    assert not (tmp_path / "m.db").exists()


def test_another_embedder_than_the_files_is_refused(tmp_path: Path) -> None:
    Store(tmp_path / "m.db").close()
    with pytest.raises(LetheError, match="made with"):
        Store(tmp_path / "m.db", embedder="words")
    assert named("words").dim == 384
