"""Answers in which several of the memories told stand in one text, so that "recall at k" is recall of more than k."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from heapq import nlargest

from forgeteval.scoring.scorers import as_seen

SAID = "hold more than k memories: several stand in one text, so that k says little"
_FEWEST_LETTERS = 12
"""A memory of fewer letters may stand in a text by chance."""
_ADDED = 16
"""Letters that a store may add to each memory, such as a date or who said it."""
_NO_LETTER = re.compile(r"[\W_]+")


class Told:
    """The memories that a store was told so far."""

    def __init__(self, memories: Iterable[str] = ()) -> None:
        self._as_told = set[str]()
        self._by_start = defaultdict[str, set[str]](set)
        """Letters of memories, and of their last halves, by the first of them."""
        self._lengths = list[int]()
        for memory in memories:
            self.add(memory)

    def add(self, memory: str) -> None:
        """Note one more; one that was told before is still one."""
        letters = _letters(memory)
        if memory in self._as_told or len(letters) < _FEWEST_LETTERS:
            return
        self._as_told.add(memory)
        self._lengths.append(len(letters))
        for part in (letters, letters[len(letters) // 2 :]):
            if len(part) >= _FEWEST_LETTERS:
                self._by_start[part[:_FEWEST_LETTERS]].add(part)

    def are_joined(self, recalled: Sequence[str], k: int) -> bool:
        """Whether these texts hold more than k of the memories, or more letters than the k longest of them.

        Both are told by letters and digits alone, as people see them. A memory is held where its last half is, for its
        start may be a date; one that is a part of another in a text does not count.
        """
        if len(self._lengths) <= k or self._as_told.issuperset(recalled):
            return False
        texts = [_letters(text) for text in recalled]
        if sum(map(len, texts)) > sum(nlargest(k, self._lengths)) + k * _ADDED:
            return True
        return len({part for text in texts for part in self._held(text)}) > k

    def _held(self, text: str) -> Iterable[str]:
        """The memories, or their last halves, in a text from its start on, each time the longest."""
        place = 0
        while place < len(text):
            begun = self._by_start.get(text[place : place + _FEWEST_LETTERS], ())
            held = max((part for part in begun if text.startswith(part, place)), key=len, default="")
            if held:
                yield held
            place += len(held) or 1


def _letters(text: str) -> str:
    return _NO_LETTER.sub("", as_seen(text))
