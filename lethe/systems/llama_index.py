"""LlamaIndex: rows as text nodes of a VectorStoreIndex over its in-memory SimpleVectorStore; insert, retrieve, delete.

Rows go in as nodes, not documents, so that no splitter cuts them: one fact is one row whatever its length.
"""

from collections.abc import Sequence
from typing import Any

from lethe.embedding.embedder import Embedder
from lethe.systems.protocol import Hit


class LlamaIndexBackend:
    """One index with its own stores a case; scores are cosine similarities."""

    def __init__(self, embedder: Embedder) -> None:
        from llama_index.core import StorageContext, VectorStoreIndex
        from llama_index.core.schema import TextNode

        self._new_index, self._new_stores, self._new_node = VectorStoreIndex, StorageContext.from_defaults, TextNode
        self._embed_model = _embed_model(embedder)
        self.reset()

    def reset(self) -> None:
        """Forget everything: the next case starts from an empty store."""
        self._index = self._new_index(
            nodes=[],
            embed_model=self._embed_model,
            storage_context=self._new_stores(),
            # Never run on nodes; without one the index builds its default splitter, which looks for tokenizer data.
            transformations=[self._embed_model],
        )
        self._added = 0

    def add(self, texts: Sequence[str]) -> None:
        """Store each text as one row, in order."""
        # Rising ids, as the retriever orders rows of equal similarity by id: its own random ids would toss a coin.
        nodes = [self._new_node(id_=f"{self._added + n:08d}", text=text) for n, text in enumerate(texts)]
        self._index.insert_nodes(nodes)
        self._added += len(nodes)

    def search(self, query: str, k: int) -> list[Hit]:
        """The k best rows by the index's own retriever, best first; the score is the cosine similarity."""
        found = self._index.as_retriever(similarity_top_k=k).retrieve(query)
        return [Hit(row.node.node_id, row.node.get_content(), float(row.score)) for row in found]

    def delete(self, id: str | int) -> None:
        """Delete one row from the vector store, and its text from the document store as well."""
        self._index.delete_nodes([str(id)], delete_from_docstore=True)

    def close(self) -> None:
        """Nothing to give back: everything is in memory."""


def _embed_model(embedder: Embedder) -> Any:
    """The run's embedder as an embedding model of LlamaIndex."""
    from llama_index.core.base.embeddings.base import BaseEmbedding

    class GivenEmbedding(BaseEmbedding):  # type: ignore[misc]
        """Asks the run's embedder, for texts and queries alike."""

        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            vectors: list[list[float]] = embedder.embed(texts).tolist()
            return vectors

        def _get_text_embedding(self, text: str) -> list[float]:
            return self._get_text_embeddings([text])[0]

        def _get_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

    return GivenEmbedding(model_name="given", embed_batch_size=256)
