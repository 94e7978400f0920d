"""A-MEM (the fork `a-mem`): notes in Chroma, each embedded together with what a chat model says about it.

Paper, appendix "A-MEM extended-system evaluation".
"""

import os
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from forgeteval.embed.embedder import Embedder, Vectors
from forgeteval.stores.contract import Backend, Hit, Services
from lethe.systems.case_folders import CaseFolders
from lethe.systems.stand_ins import stand_in
from lethe.systems.swallowed import Watched

_UNUSED = ("transformers", "litellm", "nltk", "nltk.tokenize", "sklearn", "sklearn.metrics", "sklearn.metrics.pairwise")
"""Packages that A-MEM imports for other endpoints or never uses; 300 MB with their dependencies."""
_START = datetime(2026, 12, 1)
"""Start of every case; each note is a minute later. Prompts contain times, and real ones would rule out replay."""


class _SharedModel:
    """The part of sentence-transformers' interface that Chroma uses, in front of the benchmark's embedder."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def encode(self, sentences: Sequence[str], **options: Any) -> Vectors:
        return self._embedder.embed(list(sentences))


class AMemBackend(Backend):
    """One memory system and one Chroma folder per case; a memory is a note, its text the fact; scores are cosines.

    Args:
        embedder: used in place of sentence-transformers.
        services: the gateway to the chat model, asked once per note, twice with `evolution`.
        evolution: let the model rewrite tags, contexts and links of nearby notes whenever a note is added. The paper
            means to turn this off by evo_threshold=100000, which this release stores and never reads.
    """

    def __init__(self, embedder: Embedder, services: Services, evolution: bool = False) -> None:
        os.environ |= {"OPENAI_API_KEY": services.token, "OPENAI_BASE_URL": services.url}
        stand_in("sentence_transformers", SentenceTransformer=lambda **options: _SharedModel(embedder))
        for name in _UNUSED:
            stand_in(name)
        from agentic_memory.memory_system import AgenticMemorySystem

        self._system_type: Any = AgenticMemorySystem
        self._model, self._evolution = services.model, evolution
        self._folders = CaseFolders("a-mem")
        self._open()

    def reset(self) -> None:
        self._drop()
        self._open()

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._notes += 1
            time = (_START + timedelta(minutes=self._notes)).strftime("%Y%m%d%H%M")
            self._system.add_note(text, time=time, id=f"note-{self._notes}")
            self._asked.raise_failure()

    def search(self, query: str, k: int) -> list[Hit]:
        found = self._system.search(query, k)
        return [Hit(item["id"], self._system.read(item["id"]).content, 1 - item["score"]) for item in found]

    def delete(self, id: str | int) -> None:
        if not self._system.delete(id):
            raise RuntimeError(f"A-MEM could not delete note {id}; its log says why")

    def edit(self, id: str | int, text: str) -> None:
        """Update a note's text and what the model says about it; with the text alone, the old tags would stay.

        Only a hook uses it; a plain supersede deletes and adds, which asks the model as often.
        """
        analysis = self._system.analyze_content(text)
        self._asked.raise_failure()
        self._system.update(id, **{**analysis, "content": text})

    def close(self) -> None:
        self._drop()
        self._folders.remove()

    def stored_bytes(self) -> bytes:
        """Chroma's SQLite database; for its index files see `lethe.systems.chroma`."""
        return self._folders.sqlite_bytes()

    def _open(self) -> None:
        self._notes = 0
        self._system = self._system_type(
            model_name="all-MiniLM-L6-v2",
            llm_backend="openai",
            llm_model=self._model,
            evo_threshold=100_000,
            storage_path=str(self._folders.next()),
        )
        chat = self._system.llm_controller.llm
        # The gateway limits and repeats requests.
        chat.client = chat.client.with_options(timeout=None, max_retries=0)
        self._asked = chat.get_completion = Watched(_with_content(chat.get_completion))
        if not self._evolution:
            self._system.process_memory = lambda note: (False, note)

    def _drop(self) -> None:
        self._system.llm_controller.llm.client.close()
        self._system.retriever.client.close()


def _with_content(ask: Callable[..., str | None]) -> Callable[..., str]:
    def answer(*args: Any, **options: Any) -> str:
        content = ask(*args, **options)
        if not content:
            raise ValueError("an answer without content")
        return content

    return answer
