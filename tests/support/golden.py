"""Writes the file of the present format below tests/store/golden: `python -m tests.support.golden`."""

import gzip
import tempfile
from pathlib import Path

from lethe.store import Key, Store
from lethe.store.connection import SCHEMA_VERSION
from tests.support.hash_embedder import DIM, Clock, hash_embed

GOLDEN = Path(__file__).parents[1] / "store" / "golden"


def main() -> None:
    """A store that has seen every kind of change, by some and for a reason, and the receipt of its purge."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memories.db"
        with Store(
            path, embed=hash_embed, dim=DIM, key=Key(bytes(range(32))), embedder="hashes", clock=Clock()
        ) as store:
            store.inscribe_many(["The spare key is at the bakery.", "Paul has a cat.", "Paul likes tea."])
            store.within(owner="ann", source="mail").inscribe("Ann has a dog.")
            agent = store.within(actor="agent-7")
            agent.edit(2, "Paul has two cats.")
            agent.within(reason="Ann has moved it").supersede(1, "The spare key is at the library.")
            store.release(3)
            store.decay(4, 0.5)
            store.decay(5, 0.5)
            store.consolidate()
            agent.within(reason="SECRET reason").inscribe_many(["SECRET one", "SECRET two"])
            receipt = store.within(reason="request 4711").purge_many([6, 7], stay_forgotten=True)
            store.scrub()
        name = f"format-{SCHEMA_VERSION}"
        (GOLDEN / f"{name}.db.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
        (GOLDEN / f"{name}.receipt.json").write_text(receipt.to_json() + "\n")


if __name__ == "__main__":
    main()
