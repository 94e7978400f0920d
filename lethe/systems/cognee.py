"""Cognee: documents, their chunks and the graph a chat model makes of them; chunks are what it recalls.

Paper, section "Limitations", (d).
"""

import asyncio
import importlib.util
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Coroutine, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Backend, Hit, Services

_LOGS = ("pipeline_runs", "queries", "results")
"""Tables of Cognee's that keep texts, queries and answers beyond the reach of its `forget`."""


class CogneeBackend(Backend):
    """One dataset per case, with its own vector and graph databases; a memory is a document; scores are cosines.

    Args:
        embedder: gives the length of the gateway's vectors.
        services: the gateway to the chat model, asked twice per document, and to the embedder.
    """

    def __init__(self, embedder: Embedder, services: Services) -> None:
        self._root = Path(tempfile.mkdtemp(prefix="cognee-"))
        self._database = self._root / "system" / "databases" / "cognee_db"
        os.environ |= _environment(self._root, embedder.dim, services)
        import cognee
        import litellm
        from cognee.infrastructure.databases.vector.embeddings.OpenAICompatibleEmbeddingEngine import (
            OpenAICompatibleEmbeddingEngine,
        )
        from cognee.infrastructure.llm.structured_output_framework.litellm_native.native_adapter import (
            NativeLiteLLMAdapter,
        )
        from cognee.low_level import setup
        from cognee.tasks.ingestion.data_item import DataItem
        from tenacity import stop_after_attempt

        # Of a model unknown to LiteLLM, Cognee asks for any JSON object, with the schema in the prompt alone.
        knows_schemas = {"litellm_provider": "openai", "mode": "chat", "supports_response_schema": True}
        litellm.register_model({_model_name(services): knows_schemas})
        # The gateway retries by itself; Cognee would repeat the same request for four minutes.
        for request in (NativeLiteLLMAdapter.acreate_structured_output, OpenAICompatibleEmbeddingEngine.embed_text):
            request.retry.stop = stop_after_attempt(1)
        self._cognee: Any = cognee
        self._item_type: Any = DataItem
        self._runner = asyncio.Runner()
        self._cases, self._documents = 0, set[UUID]()
        self._wait(setup())

    def reset(self) -> None:
        self._wait(self._cognee.forget(everything=True))
        with closing(sqlite3.connect(self._database)) as database:
            for table in _LOGS:
                database.execute(f"DELETE FROM {table}")
            database.commit()
            database.execute("VACUUM")
        self._cases += 1
        self._documents.clear()

    def add(self, texts: Sequence[str]) -> None:
        # Literal, because Cognee would fetch a text that looks like a path or an address.
        items = [self._item_type(text, data_id=uuid4(), literal_text=True) for text in texts]
        self._wait(self._cognee.add(items, dataset_name=self._dataset))
        self._wait(self._cognee.cognify(datasets=[self._dataset]))
        self._documents.update(item.data_id for item in items)

    def search(self, query: str, k: int) -> list[Hit]:
        if not self._documents:  # Cognee raises.
            return []
        kind = self._cognee.SearchType.CHUNKS
        (answer,) = self._wait(self._cognee.search(query, query_type=kind, datasets=[self._dataset], top_k=k))
        return [Hit(chunk["document_id"], chunk["text"], 1 - chunk["score"]) for chunk in answer["search_result"]]

    def delete(self, id: str | int) -> None:
        document = UUID(str(id))
        self._wait(self._cognee.forget(data_id=document, dataset=self._dataset))
        self._documents.discard(document)

    def close(self) -> None:
        self._runner.close()
        shutil.rmtree(self._root, ignore_errors=True)

    def stored_bytes(self) -> bytes:
        """Every file of its databases and its data folder, without the log of the queries that it was asked."""
        files = [path for name in ("system", "data") for path in (self._root / name).rglob("*") if path.is_file()]
        with closing(sqlite3.connect(self._database)) as database, closing(sqlite3.connect(":memory:")) as copy:
            database.backup(copy)
            copy.execute("PRAGMA secure_delete = ON")
            copy.execute("DELETE FROM queries")
            copy.commit()
            database_bytes = copy.serialize()
        return b"\n".join([database_bytes, *(path.read_bytes() for path in sorted(files) if path != self._database)])

    @property
    def _dataset(self) -> str:
        return f"case-{self._cases}"

    def _wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self._runner.run(work)


def _model_name(services: Services) -> str:
    """The chat model's name for LiteLLM."""
    return f"openai/{services.model}"


def _environment(root: Path, dim: int, services: Services) -> dict[str, str]:
    spec = importlib.util.find_spec("litellm")
    if spec is None or spec.origin is None:
        raise ImportError("litellm is not installed")
    return {
        "LLM_PROVIDER": "custom",
        "LLM_MODEL": _model_name(services),
        "LLM_ENDPOINT": services.url,
        "LLM_API_KEY": services.token,
        "EMBEDDING_PROVIDER": "openai_compatible",
        "EMBEDDING_MODEL": "lethe-embedder",
        "EMBEDDING_ENDPOINT": services.url,
        "EMBEDDING_API_KEY": services.token,
        "EMBEDDING_DIMENSIONS": str(dim),
        "SYSTEM_ROOT_DIRECTORY": str(root / "system"),
        "DATA_ROOT_DIRECTORY": str(root / "data"),
        "CACHE_ROOT_DIRECTORY": str(root / "cache"),
        "COGNEE_LOGS_DIR": str(root / "logs"),
        # Each dataset has its own databases; otherwise every search would see every dataset.
        "ENABLE_BACKEND_ACCESS_CONTROL": "true",
        "GRAPH_DATABASE_SUBPROCESS_ENABLED": "false",
        "VECTOR_DB_SUBPROCESS_ENABLED": "false",
        "CACHING": "false",
        "LOG_LEVEL": "ERROR",
        # Network access that it would otherwise attempt: usage statistics, a test of the model, prices, a tokenizer,
        # a web page that a text names.
        "TELEMETRY_DISABLED": "1",
        "COGNEE_SKIP_CONNECTION_TEST": "true",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "TIKTOKEN_CACHE_DIR": str(Path(spec.origin).parent / "litellm_core_utils/tokenizers"),
        "HF_HUB_OFFLINE": "1",
        "ALLOW_HTTP_REQUESTS": "false",
    }
