"""LangChain over the store: `LetheVectorStore`, and `LetheRetriever`, which asks the store's own recall.

```python
from lethe.store.langchain import LetheVectorStore

vectors = LetheVectorStore("memory.db", my_embeddings, key="lethe.key")
vectors.add_texts(["Ines likes tea."], [{"about": "ines"}], ids=["drink"])
vectors.similarity_search("what to drink", k=1, filter={"about": "ines"})
receipt = vectors.forget(["drink"])
```

Needs the package `langchain-core`.
"""

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from lethe.store import arguments
from lethe.store.cli.printing import readable
from lethe.store.documents import TEXT, Documents
from lethe.store.errors import needing
from lethe.store.items import Item
from lethe.store.receipts import PurgeReceipt

with needing("langchain-core>=1"):
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.vectorstores import VectorStore

    from lethe.store.langchain_embeddings import Named

if TYPE_CHECKING:
    from lethe.store.keys import Key


class LetheVectorStore(VectorStore):
    """LangChain's `VectorStore` in a file that can be told to forget.

    A document that is added under an id that is taken supersedes the older one. `delete` erases, as a purge does, with
    every text and metadata that was there. A `filter` is one of metadata: `{"about": "ines", "year": {"$gt": 2020}}`.
    `embedding`: LangChain's `Embeddings`, or the name of an embedder of the store; without it the file's, for a new
    file the one that comes with the store. `path`, `key`: as in `Store`. `collection`, `owner`: only documents of these
    are seen and changed.

    Attributes:
        documents: what is beneath, with its `store` for receipts, the log and audits.
    """

    def __init__(
        self,
        path: str | Path,
        embedding: Embeddings | str | None = None,
        *,
        collection: str = "langchain",
        key: "Key | str | Path | None" = None,
        owner: str | None = None,
    ) -> None:
        embedder = embedding if embedding is None or isinstance(embedding, str) else embedding.embed_documents
        self.documents = Documents(path, collection, embedder=embedder, key=key, owner=owner)
        self._embedding = embedding if isinstance(embedding, Embeddings) else Named(self.documents.store._embedder)

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        embedding: Embeddings | str | None = None,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        path: str | Path = ":memory:",
        **given: Any,
    ) -> Self:
        """The store of a file, to which these texts are added; the other arguments are the constructor's."""
        made = cls(path, embedding, **given)
        made.add_texts(texts, metadatas, ids=ids)
        return made

    @property
    def embeddings(self) -> Embeddings:
        """What the vectors are made by."""
        return self._embedding

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: Sequence[Mapping[str, Any]] | None = None,
        *,
        ids: Sequence[str | None] | None = None,
        **_: Any,
    ) -> list[str]:
        """Store texts under their ids, or new ones; returns the ids."""
        told = arguments.strings("texts", "a text", texts)
        given = [None] * len(told) if ids is None else ids
        keys = arguments.keys(given if isinstance(given, str) else [each or str(uuid.uuid4()) for each in given])
        values = [
            {TEXT: text, "metadata": dict(metadata)}
            for text, metadata in zip(told, metadatas or [{}] * len(told), strict=True)
        ]
        self.documents.put(dict(zip(keys, values, strict=True)))
        return keys

    def delete(self, ids: list[str] | None = None, **_: Any) -> bool:
        """Erase these documents, or all of the collection; ids that are unknown are passed over."""
        self.documents.erase(ids)
        return True

    def forget(self, ids: Sequence[str], *, stay_forgotten: bool = False) -> PurgeReceipt:
        """Erase these documents; returns the receipt. `LookupError` if none is there."""
        receipt = self.documents.erase(ids, stay_forgotten=stay_forgotten)
        if receipt is None:
            raise LookupError(f"no document has any of the ids {', '.join(map(repr, ids))}")
        return receipt

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """The documents with these ids, in their order; an id that is unknown is left out."""
        return [_document(item) for item in self.documents.get(ids)]

    def similarity_search(self, query: str, k: int = 4, filter: Any = None, **_: Any) -> list[Document]:
        """The k documents that are nearest to a text."""
        return [document for document, _ in self.similarity_search_with_score(query, k, filter)]

    def similarity_search_by_vector(
        self, embedding: list[float], k: int = 4, filter: Any = None, **_: Any
    ) -> list[Document]:
        """The k documents that are nearest to a vector."""
        return [document for document, _ in self._nearest(embedding, k, filter)]

    def similarity_search_with_score(
        self, query: str, k: int = 4, filter: Any = None, **_: Any
    ) -> list[tuple[Document, float]]:
        """The k documents that are nearest to a text, each with its cosine."""
        return self._nearest(self._embedding.embed_query(query), k, filter)

    def max_marginal_relevance_search(self, *_: Any, **__: Any) -> list[Document]:
        """Not offered: what is found is the nearest."""
        raise NotImplementedError(
            "a search by diversity (mmr) is not offered here; search by similarity, or similarity_score_threshold"
        )

    max_marginal_relevance_search_by_vector = max_marginal_relevance_search

    def _nearest(self, vector: Sequence[float], k: int, given: Any) -> list[tuple[Document, float]]:
        found = self.documents.nearest(vector, k, {"metadata": given} if given else None)
        return [(_document(item), score) for item, score in found]

    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        return lambda cosine: max(0.0, min(1.0, cosine))


class LetheRetriever(BaseRetriever):
    """The store's own recall, by vectors and words, as a retriever of LangChain.

    `store`: a `Store`, or one within a scope, or what is beneath an adapter. Each document has the memory's id, and the
    scores in its metadata.
    """

    store: Any
    k: int = 5

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        return [
            Document(
                readable(memory.text),
                id=str(memory.memory_id),
                metadata={"memory_id": memory.memory_id, "score": memory.score, "similarity": memory.similarity},
            )
            for memory in self.store.recall(query, k or self.k)
        ]


def _document(item: Item) -> Document:
    return Document(item.value[TEXT], id=item.key, metadata=item.value["metadata"])
