"""The integration suites of `langchain-tests` on the adapters for LangChain."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langchain_tests", reason="needs langchain-tests (envs/frameworks.lock)")

from langchain_tests.integration_tests import RetrieversIntegrationTests, VectorStoreIntegrationTests

from lethe.store import Store
from lethe.store.langchain import LetheRetriever, LetheVectorStore


class TestVectorStore(VectorStoreIntegrationTests):
    @pytest.fixture
    def vectorstore(self, tmp_path: Path) -> Iterator[LetheVectorStore]:
        made = LetheVectorStore(tmp_path / "memory.db", self.get_embeddings())
        yield made
        made.documents.store.close()


class TestRetriever(RetrieversIntegrationTests):
    @property
    def retriever_constructor(self) -> type[LetheRetriever]:
        return LetheRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        store = Store()
        store.inscribe_many([f"Fact {number} about tea." for number in range(5)])
        return {"store": store}

    @property
    def retriever_query_example(self) -> str:
        return "tea"
