"""How long batches take on `LetheStore` and on LangGraph's `SqliteStore`, in the same process and in turn.

python benchmarks/store_langgraph.py [ROUNDS]

Needs langgraph-checkpoint-sqlite and pysqlite3 (envs/langgraph_sqlite.lock) beside the store. Prints the rows of the
table in docs/agents.md: medians in milliseconds of processor time.
"""

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
from langgraph.store.sqlite import SqliteStore  # noqa: E402

from lethe.store.langgraph import LetheStore  # noqa: E402

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


def main(rounds: int = 5) -> None:
    """Print the table."""
    index = {"dims": DIM, "embed": embed, "fields": ["text"], "text_fields": ["text"]}
    makers = {
        kind: lambda path, kind=kind: kind.from_conn_string(path, index=index) for kind in (LetheStore, SqliteStore)
    }
    found: dict[Any, list[dict[str, float]]] = {kind: [] for kind in makers}
    for _ in range(rounds):
        for kind, make in makers.items():
            with tempfile.TemporaryDirectory() as folder:
                found[kind].append(measured(make, Path(folder)))
    print("| batch | operations | LetheStore | SqliteStore | times |\n|---|---|---|---|---|")
    for name, batch in batches().items():
        lethe, sqlite = (median(times[name] for times in found[kind]) for kind in makers)
        print(f"| {name} | {len(batch):,} | {lethe:.3g} | {sqlite:.3g} | {lethe / sqlite:.2f} |")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
