"""LlamaIndex over the store: `LetheVectorStore`, for an index or a memory block, and `LetheEmbedding` for its vectors.

```python
from lethe.store.llama_index import LetheEmbedding, LetheVectorStore

vectors = LetheVectorStore("memory.db", embedder="lethe-static-1", key="lethe.key")
index = VectorStoreIndex.from_vector_store(vectors, embed_model=LetheEmbedding())
index.insert(Document(text="Ines likes tea.", id_="drink"))
index.as_retriever(similarity_top_k=1).retrieve("what to drink")
receipt = vectors.forget("drink")
```

Needs the package `llama-index-core`.
"""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lethe.store import arguments
from lethe.store.documents import TEXT, Documents, dim_of
from lethe.store.embedders import DEFAULT, Embedder, named
from lethe.store.errors import needing
from lethe.store.items import Item
from lethe.store.receipts import PurgeReceipt

with needing("llama-index-core>=0.14"):
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.bridge.pydantic import PrivateAttr
    from llama_index.core.schema import BaseNode, MetadataMode, TextNode
    from llama_index.core.vector_stores.types import (
        BasePydanticVectorStore,
        FilterCondition,
        FilterOperator,
        MetadataFilter,
        MetadataFilters,
        VectorStoreQuery,
        VectorStoreQueryMode,
        VectorStoreQueryResult,
    )
    from llama_index.core.vector_stores.utils import metadata_dict_to_node, node_to_metadata_dict

if TYPE_CHECKING:
    from lethe.store.keys import Key

_SIGNS = {
    FilterOperator.EQ: "$eq",
    FilterOperator.NE: "$ne",
    FilterOperator.GT: "$gt",
    FilterOperator.GTE: "$gte",
    FilterOperator.LT: "$lt",
    FilterOperator.LTE: "$lte",
    FilterOperator.IN: "$in",
    FilterOperator.NIN: "$nin",
    FilterOperator.CONTAINS: "$contains",
    FilterOperator.TEXT_MATCH: "$contains",
}
_EACH = {FilterOperator.ANY: "$or", FilterOperator.ALL: "$and"}


class LetheEmbedding(BaseEmbedding):
    """An embedder of the store that has a name, as LlamaIndex has its own; by default the one that comes with it."""

    model_name: str = DEFAULT
    _embedder: Embedder = PrivateAttr()

    def __init__(self, model_name: str = DEFAULT, **given: Any) -> None:
        super().__init__(model_name=model_name, **given)
        self._embedder = named(model_name)

    def _get_text_embedding(self, text: str) -> Any:
        return self._embedder.documents([text])[0].tolist()

    def _get_query_embedding(self, query: str) -> Any:
        return self._embedder.queries([query])[0].tolist()

    async def _aget_query_embedding(self, query: str) -> Any:
        return await asyncio.to_thread(self._get_query_embedding, query)


class LetheVectorStore(BasePydanticVectorStore):
    """LlamaIndex's vector store in a file that can be told to forget.

    A node that is added under an id that is taken supersedes the older one; what deletes erases, as a purge does, with
    every text and metadata that was there. A new file needs `dim`, the number of numbers of a vector, or the name of an
    `embedder` of the store, which `LetheEmbedding` is then given too. `path`, `key`: as in `Store`. `collection`,
    `owner`: only nodes of these are seen and changed. Filters have every operator but `text_match_insensitive`.
    """

    stores_text: bool = True
    is_embedding_query: bool = True
    _documents: Documents = PrivateAttr()

    def __init__(
        self,
        path: str | Path,
        *,
        dim: int | None = None,
        embedder: str | None = None,
        collection: str = "llama_index",
        key: "Key | str | Path | None" = None,
        owner: str | None = None,
    ) -> None:
        super().__init__()
        length = dim if embedder is not None else dim_of(path, dim)
        self._documents = Documents(path, collection, embedder=embedder, dim=length, key=key, owner=owner)

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex knows this."""
        return "LetheVectorStore"

    @property
    def client(self) -> Documents:
        """What is beneath, with its `store` for receipts, the log and audits."""
        return self._documents

    def add(self, nodes: Sequence[BaseNode], **_: Any) -> list[str]:
        """Store nodes with their embeddings; returns their ids."""
        told = {node.node_id: _value(node) for node in nodes}
        vectors = {node.node_id: node.get_embedding() for node in nodes}
        self._documents.put(told, list(vectors.values()))
        return [node.node_id for node in nodes]

    async def async_add(self, nodes: Sequence[BaseNode], **given: Any) -> list[str]:
        """`add`, in a thread."""
        return await asyncio.to_thread(self.add, nodes, **given)

    def get_nodes(self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None) -> list[BaseNode]:
        """The nodes with these ids that meet the filters."""
        return [_node(item) for item in self._documents.listed(_asked(filters, node_ids))]

    def delete(self, ref_doc_id: str, **_: Any) -> None:
        """Erase the nodes of a document."""
        self._documents.erase(given={"metadata": {"ref_doc_id": ref_doc_id}})

    async def adelete(self, ref_doc_id: str, **given: Any) -> None:
        """`delete`, in a thread."""
        await asyncio.to_thread(self.delete, ref_doc_id, **given)

    def delete_nodes(self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None, **_: Any) -> None:
        """Erase the nodes with these ids that meet the filters."""
        self._documents.erase(given=_asked(filters, node_ids))

    async def adelete_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None, **given: Any
    ) -> None:
        """`delete_nodes`, in a thread."""
        await asyncio.to_thread(self.delete_nodes, node_ids, filters, **given)

    def clear(self) -> None:
        """Erase all nodes of the collection."""
        self._documents.erase()

    def forget(self, ref_doc_id: str, *, stay_forgotten: bool = False) -> PurgeReceipt:
        """Erase the nodes of a document; returns the receipt. `LookupError` if there is none.

        Of a node that is of another document now, what was told of this one is erased, and what stands there stays.
        """
        given = {"metadata": {"ref_doc_id": ref_doc_id}}
        receipt = self._documents.erase(given=given, stay_forgotten=stay_forgotten)
        if receipt is None:
            raise LookupError(f"no node is of the document {ref_doc_id!r}")
        return receipt

    def query(self, query: VectorStoreQuery, **_: Any) -> VectorStoreQueryResult:
        """The nodes that are nearest to the query's vector, with their cosines."""
        if query.mode != VectorStoreQueryMode.DEFAULT:
            raise ValueError(f"query mode {query.mode.value!r}: this store compares vectors; use 'default'")
        # An index over a store that was there before asks with an empty list of ids.
        asked = _asked(query.filters, query.node_ids or None, query.doc_ids)
        found = self._documents.nearest(query.query_embedding, query.similarity_top_k, asked)
        nodes = [_node(item) for item, _ in found]
        return VectorStoreQueryResult(nodes, [score for _, score in found], [node.node_id for node in nodes])

    async def aquery(self, query: VectorStoreQuery, **given: Any) -> VectorStoreQueryResult:
        """`query`, in a thread."""
        return await asyncio.to_thread(self.query, query, **given)


def _value(node: BaseNode) -> dict[str, Any]:
    metadata = node_to_metadata_dict(node, remove_text=True, flat_metadata=False)
    return {TEXT: node.get_content(MetadataMode.NONE), "metadata": metadata, "id": node.node_id}


def _node(item: Item) -> BaseNode:
    """The node that is stored as an item; of what an import took from elsewhere, one with its text and metadata."""
    metadata = item.value["metadata"]
    if "_node_content" not in metadata:
        return TextNode(id_=item.key, text=item.value[TEXT], metadata=metadata)
    return metadata_dict_to_node(metadata, item.value[TEXT])


def _asked(
    filters: MetadataFilters | None, node_ids: Sequence[str] | None, doc_ids: Sequence[str] | None = None
) -> dict[str, Any]:
    """The store's filter of what LlamaIndex asks for."""
    asked: dict[str, Any] = {} if node_ids is None else {"id": {"$in": arguments.keys(node_ids)}}
    met: list[Mapping[str, Any]] = [] if filters is None or not filters.filters else [_filter(filters)]
    if doc_ids is not None:
        met.append({"ref_doc_id": {"$in": arguments.keys(doc_ids)}})
    return asked | ({"metadata": {"$and": met}} if met else {})


def _filter(given: MetadataFilters) -> dict[str, Any]:
    parts = [_filter(each) if isinstance(each, MetadataFilters) else _compared(each) for each in given.filters]
    if given.condition == FilterCondition.NOT:
        return {"$not": {"$or": parts}}
    return {"$or" if given.condition == FilterCondition.OR else "$and": parts}


def _compared(given: MetadataFilter) -> dict[str, Any]:
    if given.operator in _EACH and isinstance(given.value, list):
        return {_EACH[given.operator]: [{given.key: {"$contains": each}} for each in given.value]}
    if given.operator == FilterOperator.IS_EMPTY:
        return {given.key: {"$in": [None, "", []]}}
    if given.operator not in _SIGNS:
        raise ValueError(f"filter operator {given.operator.value!r}: this store has none; use 'text_match'")
    return {given.key: {_SIGNS[given.operator]: given.value}}
