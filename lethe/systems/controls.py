"""Control adapters, run beside the real systems to show what a verdict is worth."""

from collections.abc import Sequence


class Null:
    """Returns nothing. A case that it passes requires no memory to be recalled."""

    def reset(self) -> None: ...

    def inscribe(self, texts: Sequence[str]) -> None: ...

    def recall_texts(self, query: str, k: int) -> list[str]:
        return []

    def supersede(self, query: str, text: str) -> None: ...

    def release(self, query: str) -> None: ...

    def purge(self, query: str) -> None: ...

    def close(self) -> None: ...


class _Newest(Null):
    """Keeps a list and recalls its k newest memories."""

    def __init__(self) -> None:
        self.memories: list[str] = []

    def reset(self) -> None:
        self.memories = []

    def inscribe(self, texts: Sequence[str]) -> None:
        self.memories.extend(texts)

    def recall_texts(self, query: str, k: int) -> list[str]:
        return self.memories[::-1][:k]


class Nuke(_Newest):
    """Empties itself at any mutation. A case that it passes requires no bystander to be recalled."""

    def supersede(self, query: str, text: str) -> None:
        self.memories = [text]

    def release(self, query: str) -> None:
        self.memories = []

    def purge(self, query: str) -> None:
        self.memories = []


class Verbatim(_Newest):
    """Never forgets: supersede only adds. A case that it passes forbids nothing that was ever stored."""

    def supersede(self, query: str, text: str) -> None:
        self.memories.append(text)


class Frozen(_Newest):
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
