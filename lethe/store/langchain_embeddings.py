"""An embedder of the store as LangChain and LangGraph have theirs."""

from langchain_core.embeddings import Embeddings

from lethe.store.arguments import strings
from lethe.store.embedders import Embedder


class Named(Embeddings):
    """LangChain's `Embeddings` by an embedder of the store."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """The vectors of texts that are stored."""
        found: list[list[float]] = self._embedder.documents(strings("texts", "a text", texts)).tolist()
        return found

    def embed_query(self, text: str) -> list[float]:
        """The vector of what is asked for."""
        found: list[float] = self._embedder.queries([text])[0].tolist()
        return found
