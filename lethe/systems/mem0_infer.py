"""Mem0 with `infer=True`: a chat model writes what is stored, in one call per fact added."""

import functools
from collections.abc import Sequence

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Services
from lethe.systems.mem0 import Mem0Backend

_TODAY = "2026-01-01"
"""Date that Mem0 tells the model; the real one would change every prompt from day to day."""


class Mem0InferBackend(Mem0Backend):
    """`Mem0Backend` with Mem0's extraction: search returns what the model made of each fact."""

    def __init__(self, embedder: Embedder, services: Services) -> None:
        super().__init__(embedder)
        from mem0.memory import main
        from mem0.utils.factory import LlmFactory

        gateway = {"model": services.model, "api_key": services.token, "openai_base_url": services.url}
        llm = self._memory.llm = LlmFactory.create("openai", gateway)
        # The gateway limits and repeats requests.
        llm.client = llm.client.with_options(timeout=None, max_retries=0)
        main.generate_additive_extraction_prompt = functools.partial(
            main.generate_additive_extraction_prompt, current_date=_TODAY
        )

    def add(self, texts: Sequence[str]) -> None:
        for user in self._users:
            for text in texts:
                self._memory.add(text, user_id=user, infer=True)
