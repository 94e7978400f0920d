"""Mem0 with `infer=True`: a chat model writes what is stored, one call for every fact that is added."""

import functools
from collections.abc import Sequence

from lethe.embedding.embedder import Embedder
from lethe.systems.mem0 import USER, Mem0Backend
from lethe.systems.protocol import Services

_TODAY = "2026-01-01"
"""The date that Mem0 tells the model: the day's own would make every prompt new on the next."""


class Mem0InferBackend(Mem0Backend):
    """As `Mem0Backend`, but each fact goes through Mem0's extraction; recall returns what the model made of it."""

    def __init__(self, embedder: Embedder, services: Services) -> None:
        super().__init__(embedder)
        from mem0.memory import main
        from mem0.utils.factory import LlmFactory

        gateway = {"model": services.model, "api_key": services.token, "openai_base_url": services.url}
        self._memory.llm = LlmFactory.create("openai", gateway)
        main.generate_additive_extraction_prompt = functools.partial(
            main.generate_additive_extraction_prompt, current_date=_TODAY
        )

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._memory.add(text, user_id=USER, infer=True)
