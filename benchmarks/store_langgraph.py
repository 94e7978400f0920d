"""How long batches take on `LetheStore` and on LangGraph's `SqliteStore`, in the same process and in turn.

python benchmarks/store_langgraph.py [ROUNDS]

Needs langgraph-checkpoint-sqlite and pysqlite3 (envs/langgraph_sqlite.lock) beside the store. Prints how each store
writes, and the rows of the table in docs/agents.md: medians in milliseconds of processor time, and of the clock.
"""

import asyncio
import gc
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
Batches = list[list[Any]]
Times = tuple[float, float]
"""Milliseconds of processor time, and of the clock."""
DURABILITY = ("journal_mode", "synchronous", "secure_delete", "foreign_keys")


def embed(texts: Sequence[str]) -> list[list[float]]:
    """A vector for each text at next to no cost, so that what is measured is the store."""
    return [np.random.default_rng(abs(hash(text))).standard_normal(DIM).tolist() for text in texts]


def work() -> dict[str, Batches]:
    """What an agent asks for, in the order in which it runs; a kind is one batch, or several of the same size."""
    values = [{"text": f"memory {n} of somebody who likes things", "n": n, "kind": n % 10} for n in range(ITEMS)]
    addresses = [(("users", str(n % 50)), f"key{n}") for n in range(ITEMS)]
    pairs = list(zip(addresses, values, strict=True))
    apart = [(("apart", str(n % 50)), f"key{n}", values[n]) for n in range(4 * SEARCHES)]
    texts = [SearchOp(("users",), query=f"things {n}") for n in range(SEARCHES)]
    filters = [SearchOp(("users",), filter={"kind": n % 10}) for n in range(SEARCHES)]
    mixed = [
        each
        for n in range(SEARCHES)
        for each in (
            PutOp(("users", "mixed"), f"key{n}", values[n]),
            GetOp(*addresses[n]),
            SearchOp(("users", str(n % 50)), query=f"things {n}"),
            PutOp(*addresses[n], None),
        )
    ]
    return {
        "put, new": [[PutOp(*address, value) for address, value in pairs]],
        "put, over others": [[PutOp(*address, value | {"again": True}) for address, value in pairs]],
        "put, not indexed": [[PutOp(("plain", *space), key, value, index=False) for (space, key), value in pairs]],
        "get": [[GetOp(*address) for address in addresses]],
        "search by text": [texts],
        "search by filter": [filters],
        "list namespaces": [[ListNamespacesOp(limit=100, offset=n) for n in range(SEARCHES)]],
        "put, new, by 100": [[PutOp(*put) for put in part] for part in parts(apart, 100)],
        "get, by 100": [[GetOp(*put[:2]) for put in part] for part in parts(apart, 100)],
        "delete, by 100": [[PutOp(*put[:2], None) for put in part] for part in parts(apart, 100)],
        "put, one by one": [[PutOp(*put)] for put in apart[:SEARCHES]],
        "put over others, one by one": [[PutOp(*put)] for put in apart[:SEARCHES]],
        "get, one by one": [[GetOp(*put[:2])] for put in apart[:SEARCHES]],
        "search by text, one by one": [[op] for op in texts],
        "search by filter, one by one": [[op] for op in filters],
        "list namespaces, one by one": [[ListNamespacesOp(limit=100)] for _ in range(SEARCHES)],
        "delete, one by one": [[PutOp(*put[:2], None)] for put in apart[:SEARCHES]],
        "all kinds at once": [mixed],
        "delete": [[PutOp(*address, None) for address in addresses]],
    }


def parts(whole: Sequence[Any], size: int) -> list[Sequence[Any]]:
    return [whole[start : start + size] for start in range(0, len(whole), size)]


def measured(make: Callable[[str], Any], folder: Path) -> dict[str, Times]:
    """How long each kind takes on a new store."""
    times = {}
    with make(str(folder / "memory.db")) as store:
        store.setup()
        for name, batches in work().items():
            gc.collect()  # what the kinds before have left
            started, start = time.perf_counter(), time.process_time()
            for batch in batches:
                store.batch(batch)
            times[name] = 1000 * (time.process_time() - start), 1000 * (time.perf_counter() - started)
    return times


async def together(kind: Any, folder: Path) -> Times:
    """How long six thousand calls take that wait at once, as in LangGraph's own test of large batches."""
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
        started, start = time.perf_counter(), time.process_time()
        await asyncio.gather(*calls)
        return 1000 * (time.process_time() - start), 1000 * (time.perf_counter() - started)


def durability(store: Any) -> str:
    """How the connection of a store writes."""
    connection = store.conn if isinstance(store, SqliteStore) else store.items._database.connection
    found = ((name, connection.execute(f"PRAGMA {name}").fetchall()[0][0]) for name in DURABILITY)
    return ", ".join(f"{name} {value}" for name, value in found)


def main(rounds: int = 5) -> None:
    """Print the table."""
    index = {"dims": DIM, "embed": embed, "fields": ["text"], "text_fields": ["text"]}
    kinds = {"lethe": (LetheStore, AsyncLetheStore), "sqlite": (SqliteStore, AsyncSqliteStore)}
    found: dict[str, list[dict[str, Times]]] = {name: [] for name in kinds}
    for name, (kind, _) in kinds.items():
        with (
            tempfile.TemporaryDirectory() as folder,
            kind.from_conn_string(f"{folder}/memory.db", index=index) as store,
        ):
            print(f"{name}: {durability(store)}")
    for _ in range(rounds):
        for name, (kind, of_tasks) in kinds.items():
            with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
                times = measured(lambda path, kind=kind: kind.from_conn_string(path, index=index), Path(one))
                found[name].append(times | {"calls of tasks at once": asyncio.run(together(of_tasks, Path(other)))})
    print("\n| batch | operations | LetheStore | SqliteStore | times | by the clock |\n|---|---|---|---|---|---|")
    sizes = {name: sum(map(len, batches)) for name, batches in work().items()} | {"calls of tasks at once": 6 * ITEMS}
    for name, size in sizes.items():
        (lethe, sqlite), clock = (
            [median(times[name][by] for times in found[kind]) for kind in kinds] for by in range(2)
        )
        print(
            f"| {name} | {size:,} | {lethe:.3g} | {sqlite:.3g} | {lethe / sqlite:.2f} | {clock[0] / clock[1]:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
