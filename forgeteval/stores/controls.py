"""Control adapters, run beside the real systems to show what a verdict is worth."""

import functools
import json
import re
from collections.abc import Sequence
from pathlib import Path

from forgeteval.stores.contract import Backend


class Null(Backend):
    """Returns nothing. A case that it passes requires no memory to be recalled."""

    def enter(self, owners: Sequence[str]) -> None: ...

    def reset(self) -> None: ...

    def inscribe(self, texts: Sequence[str]) -> None: ...

    def recall_texts(self, query: str, k: int) -> list[str]:
        return []

    def supersede(self, query: str, text: str) -> None: ...

    def release(self, query: str) -> None: ...

    def purge(self, query: str) -> None: ...

    def close(self) -> None: ...


class _Lexical(Null):
    """Keeps a list and recalls the k memories with most words of the query, the newest first among equals.

    Where owners are entered, it keeps a list for each of them.
    """

    def __init__(self) -> None:
        self._file: Path | None = None
        self._lists: dict[str, list[str]] = {}
        self._entered: tuple[str, ...] = ("",)

    @property
    def memories(self) -> list[str]:
        """Those of whoever is entered, of the first if there are several."""
        return self._lists.setdefault(self._entered[0], [])

    def enter(self, owners: Sequence[str]) -> None:
        self._entered = tuple(owners)

    def reset(self) -> None:
        self._lists.clear()

    def inscribe(self, texts: Sequence[str]) -> None:
        for owner in self._entered:
            self._lists.setdefault(owner, []).extend(texts)
        self._save()

    def recall_texts(self, query: str, k: int) -> list[str]:
        asked, newest_first = _words(query), self.memories[::-1]
        return sorted(newest_first, key=lambda memory: -len(asked & _words(memory)))[:k]

    def open(self, folder: Path) -> None:
        """Keep the lists in a file of this folder."""
        self._file, self._entered = folder / "memories.json", ("",)
        self._lists = json.loads(self._file.read_text(encoding="utf-8")) if self._file.is_file() else {}

    def shut(self) -> None:
        self._file = None

    def _save(self) -> None:
        if self._file is not None:
            self._file.write_text(json.dumps(self._lists), encoding="utf-8")


class Nuke(_Lexical):
    """Empties itself at any mutation. A case that it passes requires no bystander to be recalled."""

    def supersede(self, query: str, text: str) -> None:
        self.memories[:] = [text]
        self._save()

    def release(self, query: str) -> None:
        self.memories.clear()
        self._save()

    def purge(self, query: str) -> None:
        self.release(query)


class Verbatim(_Lexical):
    """Never forgets: supersede only adds. A case that it passes forbids nothing that was ever stored."""

    def supersede(self, query: str, text: str) -> None:
        self.memories.append(text)


class Frozen(_Lexical):
    """Ignores every mutation, the new fact of a supersede included. A case that it passes tests no change."""


class Oracle(Null):
    """The perfect memory: recalls the gold memories that it was told. What it fails cannot be passed."""

    def __init__(self) -> None:
        self.gold: tuple[str, ...] = ()

    def expect(self, gold: Sequence[str] | None) -> None:
        if gold is None:
            raise NotImplementedError("the suite gives no gold rows, so there is no perfect memory to recall")
        self.gold = tuple(gold)

    def recall_texts(self, query: str, k: int) -> list[str]:
        return list(self.gold[:k])


@functools.lru_cache(maxsize=1 << 16)
def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))
