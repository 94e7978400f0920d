"""How long batches take on `LetheStore` and on LangGraph's `SqliteStore`, in the same process and in turn.

python benchmarks/store_langgraph.py [ROUNDS]

Needs langgraph-checkpoint-sqlite and pysqlite3 (envs/langgraph_sqlite.lock) beside the store. Prints the rows of the
table in docs/agents.md: medians in milliseconds of processor time.
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pysqlite3

sys.modules["sqlite3"] = pysqlite3

from langgraph.store.base import GetOp, ListNamespacesOp, PutOp, SearchOp  # noqa: E402
from langgraph.store.sqlite import AsyncSqliteStore, SqliteStore  # noqa: E402

from lethe.store.langgraph import AsyncLetheStore, LetheStore  # noqa: E402

DIM = 384
ITEMS = 1000
SEARCHES = 100
Batches = dict[str, list[Any]]


def embed(texts: Sequence[str]) -> list[list[float]]:
    """A vector for each text at next to no cost, so that what is measured is the store."""
    return [np.random.default_rng(abs(hash(text))).standard_normal(DIM).tolist() for text in texts]


def batches() -> Batches:
    """What an agent asks for, a kind a batch, in the order in which they run."""
    values = [{"text": f"memory {n} of somebody who likes things", "n": n, "kind": n % 10} for n in range(ITEMS)]
    addresses = [(("users", str(n % 50)), f"key{n}") for n in range(ITEMS)]
    pairs = list(zip(addresses, values, strict=True))
    return {
        "put, new": [PutOp(*address, value) for address, value in pairs],
        "put, over others": [PutOp(*address, value | {"again": True}) for address, value in pairs],
        "put, not indexed": [PutOp(("plain", *space), key, value, index=False) for (space, key), value in pairs],
        "get": [GetOp(*address) for address in addresses],
        "search by text": [SearchOp(("users",), query=f"things {n}") for n in range(SEARCHES)],
        "search by filter": [SearchOp(("users",), filter={"kind": n % 10}) for n in range(SEARCHES)],
        "list namespaces": [ListNamespacesOp(limit=100, offset=n) for n in range(SEARCHES)],
        "all kinds at once": [
            each
            for n in range(SEARCHES)
            for each in (
                PutOp(("users", "mixed"), f"key{n}", values[n]),
                GetOp(*addresses[n]),
                SearchOp(("users", str(n % 50)), query=f"things {n}"),
                PutOp(*addresses[n], None),
            )
        ],
        "delete": [PutOp(*address, None) for address in addresses],
    }


def measured(make: Callable[[str], Any], folder: Path) -> dict[str, float]:
    """Milliseconds of each batch on a new store."""
    times = {}
    with make(str(folder / "memory.db")) as store:
        store.setup()
        for name, batch in batches().items():
            start = time.process_time()
            store.batch(batch)
            times[name] = 1000 * (time.process_time() - start)
    return times


async def together(kind: Any, folder: Path) -> float:
    """Milliseconds of six thousand calls that wait at once, as in LangGraph's own test of large batches."""
    async with kind.from_conn_string(str(folder / "memory.db")) as store:
        await store.setup()
        calls: list[Any] = []
        for n in range(ITEMS):
            space, key, value = (
                ("test", "foo", "bar", "baz", str(n // 100 % 2)),
                f"key{n % 100}",
                {"foo": f"bar{n % 100}"},
            )
            calls += [
                store.aput(space, key, value),
                store.aget(space, key),
                store.alist_namespaces(max_depth=n // 100 + 1),
                store.asearch(("test",)),
                store.aput(space, key, value),
                store.adelete(space, key),
            ]
        start = time.process_time()
        await asyncio.gather(*calls)
        return 1000 * (time.process_time() - start)


def main(rounds: int = 5) -> None:
    """Print the table."""
    index = {"dims": DIM, "embed": embed, "fields": ["text"], "text_fields": ["text"]}
    kinds = {"lethe": (LetheStore, AsyncLetheStore), "sqlite": (SqliteStore, AsyncSqliteStore)}
    found: dict[str, list[dict[str, float]]] = {name: [] for name in kinds}
    for _ in range(rounds):
        for name, (kind, of_tasks) in kinds.items():
            with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
                times = measured(lambda path, kind=kind: kind.from_conn_string(path, index=index), Path(one))
                found[name].append(times | {"calls of tasks at once": asyncio.run(together(of_tasks, Path(other)))})
    print("| batch | operations | LetheStore | SqliteStore | times |\n|---|---|---|---|---|")
    sizes = {name: len(batch) for name, batch in batches().items()} | {"calls of tasks at once": 6 * ITEMS}
    for name, size in sizes.items():
        lethe, sqlite = (median(times[name] for times in found[kind]) for kind in kinds)
        print(f"| {name} | {size:,} | {lethe:.3g} | {sqlite:.3g} | {lethe / sqlite:.2f} |")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
