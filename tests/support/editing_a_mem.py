"""A-MEM whose supersede edits the best match, as a hook does. It runs in a worker: nothing but lethe is imported."""

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Services
from forgeteval.stores.policies import ComposedAdapter
from lethe.systems.a_mem import AMemBackend


def editing(embedder: Embedder, services: Services) -> ComposedAdapter:
    """The adapter, for `module:name` in a configuration."""
    backend = AMemBackend(embedder, services)

    class Editing(ComposedAdapter):
        def supersede(self, query: str, text: str) -> None:
            backend.edit(backend.search(query, 1)[0].id, text)

        def recall_texts(self, query: str, k: int) -> list[str]:
            """What each note is embedded by, whatever was asked."""
            documents: list[str] = backend._system.retriever.collection.get()["documents"]
            return documents

    return Editing(backend, {"supersede": "best_match"})
