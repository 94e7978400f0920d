"""LlamaIndex: text nodes of a VectorStoreIndex over its in-memory SimpleVectorStore; insert, retrieve, delete.

Memories are added as nodes, not as documents, so that no splitter cuts them: one fact is one memory of any length.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Backend, Hit

PRELOADED = ("llama_index.core", "llama_index.core.base.embeddings.base")


class LlamaIndexBackend(Backend):
    """One index with its own stores per case; scores are cosines."""

    def __init__(self, embedder: Embedder) -> None:
        from llama_index.core import StorageContext, VectorStoreIndex, load_index_from_storage
        from llama_index.core.schema import TextNode

        self._new_index, self._new_stores, self._new_node = VectorStoreIndex, StorageContext.from_defaults, TextNode
        self._load_index = load_index_from_storage
        self._embed_model = _embed_model(embedder)
        self._folder: Path | None = None
        self.reset()

    def reset(self) -> None:
        self._index = self._new_index(
            nodes=[],
            embed_model=self._embed_model,
            storage_context=self._new_stores(),
            # Not applied to nodes; but without it the index builds its default splitter, which loads tokenizer data.
            transformations=[self._embed_model],
        )
        self._added = 0

    def add(self, texts: Sequence[str]) -> None:
        """Store each text as one memory, in order."""
        # Rising ids, because the retriever breaks ties by id, and its own ids are random.
        nodes = [self._new_node(id_=f"{self._added + n:08d}", text=text) for n, text in enumerate(texts)]
        self._index.insert_nodes(nodes)
        self._added += len(nodes)
        self._persist()

    def search(self, query: str, k: int) -> list[Hit]:
        if not query:
            # The retriever embeds no empty query, and then breaks; Memora has mutations without a query.
            return []
        retrieved = self._index.as_retriever(similarity_top_k=k).retrieve(query)
        return [Hit(found.node.node_id, found.node.get_content(), float(found.score)) for found in retrieved]

    def delete(self, id: str | int) -> None:
        self.delete_ids([id])

    def delete_ids(self, ids: Sequence[str | int]) -> None:
        """Delete memories from the vector store, and their texts from the document store."""
        self._index.delete_nodes([str(id) for id in ids], delete_from_docstore=True)
        self._persist()

    def open(self, folder: Path) -> None:
        """The stores as JSON files of this folder, written whole after every change, as LlamaIndex has its users do."""
        self.reset()
        self._folder = folder
        if any(folder.iterdir()):
            stores = self._new_stores(persist_dir=str(folder))
            self._index = self._load_index(stores, embed_model=self._embed_model, transformations=[self._embed_model])
            self._added = max((int(id) + 1 for id in self._index.docstore.docs), default=0)

    def shut(self) -> None:
        self._folder = None

    def reads(self, id: str | int) -> Mapping[str, str]:
        documents, stores = self._index.docstore.docs, self._index.storage_context.to_dict()
        return {"get": str(documents.get(str(id))), "list": str(documents), "export": str(stores)}

    def close(self) -> None:
        """Do nothing: everything is in this process's memory."""

    def _persist(self) -> None:
        if self._folder is not None:
            self._index.storage_context.persist(str(self._folder))


def _embed_model(embedder: Embedder) -> Any:
    """The run's embedder as an embedding model of LlamaIndex."""
    from llama_index.core.base.embeddings.base import BaseEmbedding

    class GivenEmbedding(BaseEmbedding):  # type: ignore[misc]
        """Embeds texts and queries alike with the run's embedder."""

        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return [vector.tolist() for vector in embedder.embed(texts)]

        def _get_text_embedding(self, text: str) -> list[float]:
            return self._get_text_embeddings([text])[0]

        def _get_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

    return GivenEmbedding(model_name="given", embed_batch_size=256)
