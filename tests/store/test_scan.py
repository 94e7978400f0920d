"""Vectors that stay in the file: the same memories in the same order as from memory, and nothing left of what is erased."""

import contextlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lethe.store import AsyncStore, NothingMeets, Store, scan
from lethe.store.errors import LetheError
from lethe.systems.lethe_store import LetheAdapter
from tests.support.bench import TableEmbedder
from tests.support.editing import editing
from tests.support.hash_embedder import DIM, Clock, hash_embed

SCOPES: tuple[dict[str, str], ...] = ({}, {"owner": "ann"}, {"owner": "ben"}, {"owner": "ann", "session": "may"})
needs_sqlite_vec = pytest.mark.skipif(
    not scan.is_installed(), reason="needs sqlite-vec (envs/extras/vectors.lock)"
)


def opened(path: Path | str, clock: Callable[[], float] | None = None, **more: Any) -> Store:
    return Store(path, embed=hash_embed, dim=DIM, index="sqlite-vec", clock=clock or Clock(), **more)


def told(store: Store, seed: int, clock: Clock) -> None:
    """Memories of several scopes, with ends, ties, and everything done to some of them."""
    chance = np.random.default_rng(seed)
    for _ in range(int(chance.integers(1, 8))):
        scope = SCOPES[chance.integers(len(SCOPES))]
        texts = [f"alpha {chance.integers(9)} beta {chance.integers(3)}" for _ in range(chance.integers(1, 30))]
        store.within(**scope).inscribe_many(texts, ttl=[None, None, 60.0][chance.integers(3)])
        live = [memory.memory_id for memory in store.memories()]
        acts: dict[str, Callable[[int], object]] = {
            "release": store.release,
            "supersede": lambda id: store.supersede(id, f"gamma {id}"),
            "edit": lambda id: store.edit(id, f"alpha {id} beta 1"),
            "decay": lambda id: store.decay(id, 0.7),
            "pin": store.pin,
            "purge": store.purge,
            "touch": lambda id: store.touch([id]),
        }
        for id in chance.permutation(live)[: len(live) // 2].tolist():
            acts[list(acts)[chance.integers(len(acts))]](id)
        clock.now += 25.0
        if chance.integers(4) == 0:
            store.consolidate(clock.now + 86_400.0 * 20)


def outcome(act: Callable[[], object]) -> object:
    try:
        return act()
    except NothingMeets as error:
        return str(error)


@needs_sqlite_vec
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), k=st.sampled_from([1, 2, 5, 10, 200]), query=st.sampled_from(["alpha 3", "x"]))
def test_either_index_gives_the_same_memories_in_the_same_order(
    tmp_path_factory: pytest.TempPathFactory, seed: int, k: int, query: str
) -> None:
    path, clock = tmp_path_factory.mktemp("same") / "memories.db", Clock()
    with Store(path, embed=hash_embed, dim=DIM, clock=clock, index="matrix") as resident:
        told(resident, seed, clock)
        with opened(path, clock) as scanned:
            for scope in SCOPES:
                one, other = resident.within(**scope), scanned.within(**scope)
                for mode in ("vector", "hybrid"):
                    assert other.recall(query, k, mode=mode) == one.recall(query, k, mode=mode)  # type: ignore[arg-type]
                for mode in ("release", "supersede", "purge"):
                    for floor in ("measured", None, 0.9):
                        previews = [outcome(lambda of=of: of.selected(query, mode, floor=floor)) for of in (one, other)]  # type: ignore
                        assert previews[0] == previews[1]
            for at in range(0, resident.last_seq(), 7):
                assert scanned.recall(query, k, mode="vector", at=at) == resident.recall(query, k, mode="vector", at=at)
            scanned.release_matching(query, floor=None)
            assert scanned.recall(query, k) == resident.recall(query, k)
