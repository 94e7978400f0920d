"""What the store takes for vectors: real numbers, of length 1, of the model that the file was made with."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lethe.store import Store
from lethe.store.errors import LetheError
from tests.support.hash_embedder import DIM, hash_embed

WRONG: dict[str, Callable[[Any], Any]] = {
    "too long": lambda vectors: vectors * 7,
    "too short": lambda vectors: vectors / 2,
    "zero": lambda vectors: vectors * 0,
    "not finite": lambda vectors: vectors + np.nan,
    "complex": lambda vectors: vectors.astype(np.complex64),
    "text": lambda vectors: vectors.astype(str),
    "objects": lambda vectors: vectors.astype(object),
}
RIGHT: dict[str, Callable[[Any], Any]] = {
    "16 bits": lambda vectors: vectors.astype(np.float16),
    "64 bits": lambda vectors: vectors.astype(np.float64),
    "a list": lambda vectors: vectors.tolist(),
}


def turned(texts: Any) -> Any:
    """Another model, whose vectors are as long."""
    return hash_embed([f"{text} in another model" for text in texts])


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_no_unit_vector_is_refused_at_the_first_call(wrong: str) -> None:
    with Store(embed=lambda texts: WRONG[wrong](hash_embed(texts)), dim=DIM) as store:
        with pytest.raises(ValueError, match="the embedder returned"):
            store.inscribe("alpha")
        with pytest.raises(ValueError, match="the embedder returned"):
            store.recall("alpha")
        assert store.count() == 0


@pytest.mark.parametrize("right", RIGHT)
def test_unit_vectors_of_any_real_numbers_are_taken(right: str) -> None:
    with Store(embed=lambda texts: RIGHT[right](hash_embed(texts)), dim=DIM) as store:
        store.inscribe("alpha")
        assert store.recall("alpha")[0].similarity == pytest.approx(1.0, abs=1e-3)


def test_another_model_without_a_name_is_refused_at_the_first_call(path: Path) -> None:
    with Store(path, embed=hash_embed, dim=DIM) as store:
        store.inscribe("alpha beta")
    for act in (lambda store: store.recall("alpha"), lambda store: store.inscribe("gamma")):
        with Store(path, embed=turned, dim=DIM) as store, pytest.raises(LetheError, match="another embedder"):
            act(store)
    with Store(path, embed=hash_embed, dim=DIM) as store:
        assert len(store.recall("alpha")) == 1


def test_the_name_of_an_embedder_is_trusted(path: Path) -> None:
    asked: list[str] = []

    def embed(texts: Any) -> Any:
        asked.extend(texts)
        return hash_embed(texts)

    for name in ("hashes", "hashes", None):
        with Store(path, embed=embed, dim=DIM, embedder=name) as store:
            store.inscribe("alpha")
            store.inscribe("beta")
    assert asked == ["alpha", "beta"] * 2 + ["alpha", "alpha", "beta"], "the last one compares one text, once"


def test_a_preview_of_no_mode_is_refused(store: Store) -> None:
    with pytest.raises(ValueError, match="unknown mode 'nonsense'"):
        store.selected("alpha", "nonsense")  # type: ignore[arg-type]


def test_another_model_is_refused_by_a_store_that_was_empty_at_its_first_call(path: Path) -> None:
    with Store(path, embed=turned, dim=DIM) as late, Store(path, embed=hash_embed, dim=DIM) as first:
        assert late.recall("alpha") == []
        first.inscribe("alpha beta")
        with pytest.raises(LetheError, match="another embedder"):
            late.inscribe("gamma")


@pytest.mark.parametrize("dim", [DIM, None])
def test_an_embedder_that_gives_no_rows_says_so(dim: int | None) -> None:
    async def later(texts: Any) -> Any:
        return hash_embed(texts)

    cases: list[tuple[Any, str]] = [
        (later, "the embedder is asynchronous"),
        (lambda texts: 1.0, "the embedder returned an array of shape"),
        (lambda texts: [[1.0], [1.0, 0.0]], "the embedder returned what is no array"),
    ]
    for embed, said in cases:
        with pytest.raises(ValueError, match=said):
            Store(embedder=embed, dim=dim).inscribe("alpha")


@pytest.mark.parametrize("dim", [0, 2**63, "384"])
def test_a_number_of_numbers_that_is_none_is_refused_by_a_re_embedding(path: Path, dim: Any) -> None:
    with Store(path) as store:
        store.inscribe("alpha")
        with pytest.raises((ValueError, TypeError), match="dim must"):
            store.reembed("hashes", embed=hash_embed, dim=dim)
