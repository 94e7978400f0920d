"""HippoRAG 2: passages and a graph of what a chat model extracts from them, ranked by personalised PageRank.

Paper, section "Limitations", (g). HippoRAG evaluates the model's answers as Python; use it only inside a worker.
"""

import importlib
import multiprocessing
import os
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forgeteval.stores.contract import Backend, Hit, Services
from lethe.systems import numpy_torch
from lethe.systems.case_folders import CaseFolders
from lethe.systems.stand_ins import stand_in
from lethe.systems.swallowed import Watched

_UNUSED = ("transformers", "vllm", "gritlm", "litellm", "boto3", "botocore", "botocore.exceptions")
"""Packages that HippoRAG imports for models that are not used here."""


class HippoRagBackend(Backend):
    """One working folder per case; a memory is a passage, and equal passages are one.

    Scores order the hits of one search and mean nothing beyond it: PageRank if the model kept a fact for the query,
    otherwise cosines stretched to 0..1.

    Args:
        services: the gateway to the chat model, asked twice per passage and once per search, and to the embedder.
    """

    def __init__(self, services: Services) -> None:
        os.environ |= {"OPENAI_API_KEY": services.token, "TQDM_DISABLE": "1"}
        numpy_torch.install()
        for name in _UNUSED:
            stand_in(name)
        manager = multiprocessing.Manager
        # On import, an unused class would start a process just to hold a dictionary.
        vars(multiprocessing)["Manager"] = lambda: SimpleNamespace(dict=dict)
        module: Any = importlib.import_module("hipporag.HippoRAG")
        vars(multiprocessing)["Manager"] = manager
        module.min_max_normalize = _above_zero(module.min_max_normalize)
        self._module = module
        self._services = services
        self._folders = CaseFolders("hipporag")
        self._open()

    def reset(self) -> None:
        self._drop()
        self._open()

    def add(self, texts: Sequence[str]) -> None:
        self._rag.index(list(texts))
        self._asked.raise_failure()
        # `index` does not reset this, and the next search would not see what was added.
        self._rag.ready_to_retrieve = False

    def search(self, query: str, k: int) -> list[Hit]:
        if not self._rag.chunk_embedding_store.get_all_ids():
            return []  # `retrieve` fails on an empty store.
        found = self._rag.retrieve([query], num_to_retrieve=k)[0]
        self._asked.raise_failure()
        return [Hit(text, text, float(score)) for text, score in zip(found.docs, found.doc_scores, strict=True)]

    def delete(self, id: str | int) -> None:
        self._rag.delete([id])
        if not self._rag.chunk_embedding_store.get_all_ids():
            # `delete` does not write an empty file, and the next `index` would fail on the old contents.
            Path(self._rag.openie_results_path).unlink(missing_ok=True)

    def close(self) -> None:
        self._drop()
        self._folders.remove()

    def stored_bytes(self) -> bytes:
        """Every file of the working folder, and the passages in its Parquet files unpacked."""
        import pandas as pd

        files = [path for path in sorted(self._folders.current.rglob("*")) if path.is_file()]
        tables = [pd.read_parquet(path) for path in files if path.suffix == ".parquet"]
        unpacked = ["\n".join(table["content"]).encode() for table in tables]
        return b"\n".join([*(path.read_bytes() for path in files), *unpacked])

    def _open(self) -> None:
        self._rag = self._module.HippoRAG(
            save_dir=str(self._folders.next()),
            llm_model_name=self._services.model,
            llm_base_url=self._services.url,
            # HippoRAG uses an endpoint only if the name contains "text-embedding".
            embedding_model_name="text-embedding",
            embedding_base_url=self._services.url,
        )
        model, vectors = self._rag.llm_model, self._rag.embedding_model
        # The gateway limits and repeats requests.
        model.openai_client = model.openai_client.with_options(timeout=None, max_retries=0)
        vectors.client = vectors.client.with_options(timeout=None, max_retries=0)
        model.max_retries = 1
        self._asked = model.infer = self._rag.rerank_filter.llm_infer_fn = Watched(model.infer)

    def _drop(self) -> None:
        self._rag.llm_model.openai_client.close()
        self._rag.embedding_model.client.close()


def _above_zero(normalize: Any) -> Any:
    """`normalize` with zeros raised slightly, because an assertion takes a fact of weight 0 for a missing one."""

    def nearly(values: NDArray[Any]) -> NDArray[Any]:
        normalized: NDArray[Any] = np.maximum(normalize(values), 1e-9)
        return normalized

    return nearly
