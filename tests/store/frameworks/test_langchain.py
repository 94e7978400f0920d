"""LangChain's vector store and retriever over the store: what its own suites do not ask."""

from pathlib import Path

import pytest

from lethe.store import StaysForgotten, Store
from lethe.store.errors import LetheError
from lethe.store.tools import functions
from tests.support.agents import held, package
from tests.support.hash_embedder import hash_embed

package("langchain_core")

from langchain_core.documents import Document  # noqa: E402
from langchain_core.embeddings import Embeddings  # noqa: E402
from langchain_core.tools import tool  # noqa: E402

from lethe.store.langchain import LetheRetriever, LetheVectorStore  # noqa: E402


class Hashed(Embeddings):
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return (3 * hash_embed(texts)).tolist()  # type: ignore[no-any-return]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


@pytest.fixture
def vectors(tmp_path: Path) -> LetheVectorStore:
    return LetheVectorStore(tmp_path / "memory.db", Hashed(), key=tmp_path / "key")


def test_a_search_is_filtered_by_metadata_and_scored_by_cosine(vectors: LetheVectorStore) -> None:
    vectors.add_documents(
        [Document("likes tea", metadata={"of": "ines"}), Document("likes tea", metadata={"of": "tom"})]
    )
    found = vectors.similarity_search_with_score("likes tea", k=4, filter={"of": {"$in": ["tom"]}})
    assert [(document.metadata["of"], round(score, 3)) for document, score in found] == [("tom", 1.0)]
    retriever = vectors.as_retriever(search_type="similarity_score_threshold", search_kwargs={"score_threshold": 0.9})
    assert len(retriever.invoke("likes tea")) == 2
    by_vector = vectors.similarity_search_by_vector(Hashed().embed_query("likes tea"), k=1, filter={"of": "ines"})
    assert [document.metadata for document in by_vector] == [{"of": "ines"}]


def test_what_is_deleted_is_erased_with_what_it_superseded(vectors: LetheVectorStore, tmp_path: Path) -> None:
    vectors.add_texts(["walnut", "almond", ""], [{"of": "quince"}, {}, {}], ids=["a", "b", "c"])
    vectors.add_texts(["pistachio"], ids=["a"])
    receipt = vectors.forget(["a"])
    assert receipt.complete and vectors.documents.store.verify(receipt)
    assert held(tmp_path / "memory.db", "walnut", "pistachio", "quince", "almond") == ["almond"]
    with pytest.raises(LookupError, match="no document has any of the ids 'a'"):
        vectors.forget(["a"])
    vectors.delete()
    assert vectors.similarity_search("almond") == [] and held(tmp_path / "memory.db", "almond") == []


def test_every_text_that_an_id_had_may_stay_forgotten(vectors: LetheVectorStore) -> None:
    for text in ("walnut", "pistachio"):
        vectors.add_texts([text], ids=["a"])
    vectors.forget(["a"], stay_forgotten=True)
    for text in ("walnut", "pistachio"):
        with pytest.raises(StaysForgotten):
            vectors.add_texts([text], ids=["a"])
    assert vectors.similarity_search("walnut") == []


def test_texts_make_a_store_and_the_file_is_opened_again(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    made = LetheVectorStore.from_texts(["tea", "rye"], Hashed(), ids=["1", "2"], path=file, collection="drinks")
    made.documents.store.close()
    again = LetheVectorStore(file, Hashed(), collection="drinks")
    assert [document.page_content for document in again.get_by_ids(["2", "1", "0"])] == ["rye", "tea"]


class Reversed(Hashed):
    """Another embedder with as many numbers."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return super().embed_documents([text[::-1] for text in texts])


def test_a_search_by_another_embedder_of_the_same_length_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    LetheVectorStore(file, Hashed()).add_texts(["", "walnut"])
    vectors = LetheVectorStore(file, Reversed())
    for search in (vectors.similarity_search, vectors.as_retriever().invoke):
        with pytest.raises(LetheError, match="was made with another embedder"):
            search("walnut")


def test_the_embedder_that_comes_with_the_store_is_the_default(tmp_path: Path) -> None:
    made = LetheVectorStore.from_texts(["likes tea", "rows on Sundays"], ids=["1", "2"], path=tmp_path / "memory.db")
    assert [document.id for document in made.as_retriever(search_kwargs={"k": 1}).invoke("tea")] == ["1"]
    assert made.embeddings.embed_query("tea") == made.embeddings.embed_documents(["tea"])[0]
    assert LetheVectorStore(":memory:", "words").documents.store._embedder.name == "words"


def test_diversity_is_refused_in_a_line(vectors: LetheVectorStore) -> None:
    with pytest.raises(NotImplementedError, match=r"by diversity .* is not offered here; search by similarity"):
        vectors.as_retriever(search_type="mmr").invoke("tea")
    with pytest.raises(NotImplementedError, match="by diversity"):
        vectors.max_marginal_relevance_search_by_vector([1.0])


def test_a_retriever_of_an_adapter_s_file_gives_the_text(tmp_path: Path) -> None:
    vectors = LetheVectorStore(tmp_path / "memory.db")
    vectors.add_texts(["Ines likes tea."], [{"about": "ines"}])
    (found,) = LetheRetriever(store=vectors.documents.store).invoke("tea")
    assert found.page_content == "Ines likes tea."


def test_a_retriever_asks_the_stores_own_recall_and_tools_forget() -> None:
    store = Store(embedder="words")
    tools = {each.name: each for each in map(tool, functions(store))}
    tools["remember"].invoke({"text": "Ines likes tea."})
    (found,) = LetheRetriever(store=store, k=1).invoke("what does Ines like?")
    assert (found.page_content, found.metadata["memory_id"]) == ("Ines likes tea.", 1)
    assert '"complete":true' in tools["forget"].invoke({"memory_id": 1})
    assert LetheRetriever(store=store).invoke("what does Ines like?") == []


@pytest.mark.parametrize(
    ("given", "told"),
    [("abc", "texts must be a list, not 'abc'"), ([None], "a text must be a string, not None")],
    ids=["one text", "none"],
)
def test_what_is_no_list_of_texts_is_a_wrong_type(vectors: LetheVectorStore, given: list[str], told: str) -> None:
    with pytest.raises(TypeError, match=told):
        vectors.add_texts(given)
    with pytest.raises(TypeError, match=told):
        LetheVectorStore.from_texts(given)
    named = LetheVectorStore(":memory:", "words").embeddings
    with pytest.raises(TypeError, match=told):
        named.embed_documents(given)
    assert vectors.documents.listed() == []
