"""LlamaIndex over the store: an index that is asked, filtered, changed and told to forget, over two openings."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

pytest.importorskip("llama_index.core", reason="needs llama-index-core (envs/frameworks.lock)")

from llama_index.core import Document, StorageContext, VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.schema import MetadataMode, NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
)

from lethe.store import Store
from lethe.store.cli.commands import store as app
from lethe.store.errors import LetheError
from lethe.store.llama_index import LetheEmbedding, LetheVectorStore
from lethe.store.tools import functions
from tests.support.agents import held
from tests.support.foreign_files import golden
from tests.support.hash_embedder import DIM, hash_embed


class Hashed(BaseEmbedding):
    def _get_text_embedding(self, text: str) -> list[float]:
        return hash_embed([text])[0].tolist()  # type: ignore[no-any-return]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


def index_of(vectors: LetheVectorStore) -> VectorStoreIndex:
    return VectorStoreIndex.from_vector_store(vectors, embed_model=Hashed())


def texts(index: VectorStoreIndex, query: str, **given: Any) -> list[str]:
    found = index.as_retriever(similarity_top_k=5, **given).retrieve(query)
    return [each.node.get_content(MetadataMode.NONE) for each in found]


def test_an_index_is_filled_asked_changed_and_told_to_forget_over_two_openings(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    with pytest.raises(LetheError, match="a new file needs dim"):
        LetheVectorStore(file)
    vectors = LetheVectorStore(file, dim=DIM, key=tmp_path / "key")
    context = StorageContext.from_defaults(vector_store=vectors)
    told = [
        Document(text="Ines likes walnuts.", id_="nuts", metadata={"of": "ines"}),
        Document(text="Tom likes beer.", id_="beer", metadata={"of": "tom"}),
    ]
    VectorStoreIndex.from_documents(told, storage_context=context, embed_model=Hashed())
    vectors.client.store.close()

    vectors = LetheVectorStore(file, key=tmp_path / "key")
    index = index_of(vectors)
    assert texts(index, "Ines likes walnuts.")[0] == "Ines likes walnuts."
    assert texts(index, "likes", doc_ids=["beer"]) == ["Tom likes beer."]
    index.update_ref_doc(Document(text="Ines likes almonds.", id_="nuts", metadata={"of": "ines"}))
    only = MetadataFilters(filters=[MetadataFilter(key="of", value="ines")])
    assert texts(index, "nuts", filters=only) == ["Ines likes almonds."]
    assert held(file, "walnuts", "almonds") == ["almonds"]
    receipt = vectors.forget("nuts")
    assert receipt.complete and vectors.client.store.verify(receipt)
    assert texts(index, "nuts") == ["Tom likes beer."] and held(file, "almonds", "beer") == ["beer"]
    with pytest.raises(LookupError, match="'nuts'"):
        vectors.forget("nuts")


def test_the_embedder_that_comes_with_the_store_is_asked_for_by_its_name(tmp_path: Path) -> None:
    vectors = LetheVectorStore(tmp_path / "memory.db", embedder="lethe-static-1")
    index = VectorStoreIndex.from_vector_store(vectors, embed_model=LetheEmbedding())
    index.insert(Document(text="Ines likes tea.", id_="drink"))
    index.insert(Document(text="Tom rows on Sundays.", id_="sport"))
    assert texts(index, "what tea?")[0] == "Ines likes tea."
    assert asyncio.run(index.as_retriever(similarity_top_k=1).aretrieve("tea"))[0].node.ref_doc_id == "drink"
    vectors.client.store.close()
    with Store(tmp_path / "memory.db") as plain:
        assert plain._embedder.name == "lethe-static-1" and len(plain.recall("tea", 1)) == 1


def test_an_index_reads_what_the_command_has_imported_of_chroma(tmp_path: Path) -> None:
    source, target = golden("chroma", tmp_path / "source"), tmp_path / "memory.db"
    assert CliRunner().invoke(app, ["import", str(target), str(source), "--from", "chroma"]).exit_code == 0
    vectors = LetheVectorStore(target, collection="my_notes")
    index = VectorStoreIndex.from_vector_store(vectors, embed_model=LetheEmbedding())
    only = MetadataFilters(filters=[MetadataFilter(key="about", value="ines")])
    (found,) = index.as_retriever(similarity_top_k=1, filters=only).retrieve("coffee")
    assert (found.node.node_id, found.node.get_content(MetadataMode.NONE)) == ("drink", "Ines likes coffee.")
    assert found.node.metadata["year"] == 2026


NODES = {
    "a": {"rank": "a", "weight": 1.0, "tags": ["medium", "high"]},
    "b": {"rank": "c", "weight": 2.0, "tags": ["medium"]},
    "c": {"rank": "c", "weight": 3.0, "tags": []},
}
FILTERS: list[tuple[list[tuple[str, FilterOperator, Any]], FilterCondition, str]] = [
    ([("rank", FilterOperator.EQ, "c")], FilterCondition.AND, "bc"),
    ([("rank", FilterOperator.NE, "c")], FilterCondition.AND, "a"),
    ([("weight", FilterOperator.GT, 1.5), ("weight", FilterOperator.LT, 2.5)], FilterCondition.AND, "b"),
    ([("weight", FilterOperator.GTE, 3.0), ("weight", FilterOperator.LTE, 1)], FilterCondition.OR, "ac"),
    ([("rank", FilterOperator.IN, ["a"]), ("weight", FilterOperator.EQ, 2.0)], FilterCondition.NOT, "c"),
    ([("rank", FilterOperator.NIN, ["a"])], FilterCondition.AND, "bc"),
    ([("tags", FilterOperator.CONTAINS, "high")], FilterCondition.AND, "a"),
    ([("tags", FilterOperator.ANY, ["high", "medium"])], FilterCondition.AND, "ab"),
    ([("tags", FilterOperator.ALL, ["high", "medium"])], FilterCondition.AND, "a"),
    ([("tags", FilterOperator.IS_EMPTY, None)], FilterCondition.AND, "c"),
    ([("rank", FilterOperator.TEXT_MATCH, "c")], FilterCondition.AND, "bc"),
    ([("unknown", FilterOperator.EQ, "x")], FilterCondition.AND, ""),
]


@pytest.mark.parametrize(("given", "condition", "ids"), FILTERS, ids=str)
def test_every_operator_filters(given: list[tuple[str, Any, Any]], condition: FilterCondition, ids: str) -> None:
    vectors = LetheVectorStore(":memory:", dim=2)
    vectors.add([TextNode(text=id, id_=id, embedding=[1.0, n], metadata=NODES[id]) for n, id in enumerate(NODES)])
    one = [MetadataFilter(key=key, operator=operator, value=value) for key, operator, value in given]
    filters = MetadataFilters(filters=[MetadataFilters(filters=one, condition=condition)])
    asked = VectorStoreQuery(query_embedding=[1.0, 0.0], similarity_top_k=5, filters=filters)
    found = asyncio.run(vectors.aquery(asked))
    assert found.ids is not None and "".join(sorted(found.ids)) == ids
    assert "".join(sorted(node.node_id for node in vectors.get_nodes(filters=filters))) == ids
    vectors.delete_nodes(filters=filters)
    assert "".join(sorted(node.node_id for node in vectors.get_nodes())) == "".join(sorted(NODES.keys() - set(ids)))
    vectors.clear()
    assert vectors.get_nodes() == []


def test_what_was_told_of_a_document_is_erased_of_a_node_that_is_of_another_now(tmp_path: Path) -> None:
    vectors = LetheVectorStore(tmp_path / "memory.db", dim=2, key=tmp_path / "key")
    for text, document in (("walnuts", "nuts"), ("beer", "drinks")):
        source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=document)}
        vectors.add([TextNode(text=text, id_="a", embedding=[1.0, 0.0], relationships=source)])
    receipt = vectors.forget("nuts")
    assert receipt.complete and vectors.client.store.verify(receipt)
    assert [node.get_content() for node in vectors.get_nodes()] == ["beer"]
    assert held(tmp_path / "memory.db", "walnuts", "beer") == ["beer"]


def test_another_mode_and_operator_are_refused_in_a_line() -> None:
    vectors = LetheVectorStore(":memory:", dim=2)
    with pytest.raises(ValueError, match="query mode 'mmr'"):
        vectors.query(VectorStoreQuery(query_embedding=[1.0, 0.0], mode=VectorStoreQueryMode.MMR))
    operator = FilterOperator.TEXT_MATCH_INSENSITIVE
    with pytest.raises(ValueError, match="'text_match_insensitive'"):
        vectors.get_nodes(filters=MetadataFilters(filters=[MetadataFilter(key="a", operator=operator, value="b")]))


def test_tools_are_made_of_the_functions() -> None:
    from llama_index.core.tools import FunctionTool

    tools = {each.metadata.name: each for each in map(FunctionTool.from_defaults, functions(Store(embedder="words")))}
    assert str(tools["remember"](text="Ines likes tea.")) == "memory 1"
    assert str(tools["recall"](query="Ines")) == "1: Ines likes tea."
