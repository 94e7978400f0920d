"""The adapters in this benchmark: each gets the verdicts of the store itself, case by case."""

import uuid
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from forgeteval import Backend, Case, Hit, evaluate, load_suite
from lethe.store import Store
from lethe.store.documents import Documents
from lethe.store.mem0 import Memory
from tests.support.hash_embedder import DIM, hash_embed

USER = {"user_id": "ines"}
CASES: Sequence[Case] = load_suite("adversarial")[::19]


class OfStore(Backend):
    """The store by its own methods, with cosines as scores like the adapters'."""

    def reset(self) -> None:
        self.store = Store(embedder=hash_embed, dim=DIM)

    def add(self, texts: Sequence[str]) -> None:
        self.store.inscribe_many(texts)

    def search(self, query: str, k: int) -> list[Hit]:
        found = self.store.recall(query, k, mode="vector")
        return [Hit(each.memory_id, each.text, 1 - 2 * (1 - each.similarity) ** 2) for each in found]

    def delete(self, id: Any) -> None:
        self.store.purge(id)


class OfDocuments(OfStore):
    def reset(self) -> None:
        self.documents = Documents(":memory:", "cases", embedder=hash_embed, dim=DIM)

    def add(self, texts: Sequence[str]) -> None:
        self.documents.put({str(uuid.uuid4()): {"text": text} for text in texts})

    def search(self, query: str, k: int) -> list[Hit]:
        return [Hit(item.key, item.value["text"], score) for item, score in self.documents.nearest(query, k)]

    def delete(self, id: Any) -> None:
        self.documents.erase([id])


class OfMem0(OfStore):
    def reset(self) -> None:
        self.memory = Memory(embedder=hash_embed)

    def add(self, texts: Sequence[str]) -> None:
        self.memory.add([{"role": "user", "content": text} for text in texts], **USER)

    def search(self, query: str, k: int) -> list[Hit]:
        found = self.memory.search(query, filters=USER, top_k=k)["results"]
        return [Hit(each["id"], each["memory"], each["score"]) for each in found]

    def delete(self, id: Any) -> None:
        self.memory.delete(id)


class OfLangChain(OfStore):
    def reset(self) -> None:
        from tests.store.frameworks.test_langchain import Hashed, LetheVectorStore

        self.vectors = LetheVectorStore(":memory:", Hashed())

    def add(self, texts: Sequence[str]) -> None:
        self.vectors.add_texts(texts)

    def search(self, query: str, k: int) -> list[Hit]:
        found = self.vectors.similarity_search_with_score(query, k)
        return [Hit(str(document.id), document.page_content, score) for document, score in found]

    def delete(self, id: Any) -> None:
        self.vectors.delete([id])


class OfLlamaIndex(OfStore):
    def reset(self) -> None:
        from lethe.store.llama_index import LetheVectorStore

        self.vectors = LetheVectorStore(":memory:", dim=DIM)

    def add(self, texts: Sequence[str]) -> None:
        from llama_index.core.schema import TextNode

        pairs = zip(texts, hash_embed(texts).tolist(), strict=True)
        self.vectors.add([TextNode(text=text, embedding=vector) for text, vector in pairs])

    def search(self, query: str, k: int) -> list[Hit]:
        from llama_index.core.vector_stores.types import VectorStoreQuery

        asked = VectorStoreQuery(query_embedding=hash_embed([query])[0].tolist(), similarity_top_k=k)
        found = self.vectors.query(asked)
        return [
            Hit(node.node_id, node.get_content(), score)
            for node, score in zip(found.nodes, found.similarities, strict=True)
        ]

    def delete(self, id: Any) -> None:
        self.vectors.delete_nodes([id])


class OfCrewAI(OfStore):
    def reset(self) -> None:
        from lethe.store.crewai import LetheStorage

        self.storage = LetheStorage(":memory:", dim=DIM)

    def add(self, texts: Sequence[str]) -> None:
        from crewai.memory.types import MemoryRecord

        pairs = zip(texts, hash_embed(texts).tolist(), strict=True)
        self.storage.save([MemoryRecord(content=text, embedding=vector) for text, vector in pairs])

    def search(self, query: str, k: int) -> list[Hit]:
        found = self.storage.search(np.asarray(hash_embed([query])[0]).tolist(), limit=k, min_score=-1.0)
        return [Hit(record.id, record.content, score) for record, score in found]

    def delete(self, id: Any) -> None:
        self.storage.delete(record_ids=[id])


def verdicts(store: Callable[[], Backend]) -> list[str]:
    results = evaluate(store, CASES, controls=False)
    assert results.count("error") == 0, results.errors()
    return [trial.verdict for _, trial in results.pairs()]


@pytest.fixture(scope="module")
def of_the_store() -> list[str]:
    return verdicts(OfStore)


@pytest.mark.parametrize(
    ("adapter", "needed"),
    [
        (OfDocuments, "lethe"),
        (OfMem0, "lethe"),
        (OfLangChain, "langchain_core"),
        (OfLlamaIndex, "llama_index.core"),
        (OfCrewAI, "crewai.memory.storage.backend"),
    ],
)
def test_an_adapter_gets_the_verdicts_of_the_store(
    adapter: Callable[[], Backend], needed: str, of_the_store: list[str]
) -> None:
    pytest.importorskip(needed, reason="needs the framework (docs/agents.md)")
    assert len(CASES) >= 20 and {"pass", "fail"} <= {*of_the_store}
    assert verdicts(adapter) == of_the_store
