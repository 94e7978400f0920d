"""Control adapters, run beside the real systems: what a verdict is worth shows in what they pass."""

from collections.abc import Sequence


class Null:
    """Returns nothing. What it passes asks for nothing back."""

    def reset(self) -> None: ...

    def inscribe(self, texts: Sequence[str]) -> None: ...

    def recall_texts(self, query: str, k: int) -> list[str]:
        return []

    def supersede(self, query: str, text: str) -> None: ...

    def release(self, query: str) -> None: ...

    def purge(self, query: str) -> None: ...

    def close(self) -> None: ...


class _Newest(Null):
    """Keeps a list and recalls its k newest rows."""

    def __init__(self) -> None:
        self.rows: list[str] = []

    def reset(self) -> None:
        self.rows = []

    def inscribe(self, texts: Sequence[str]) -> None:
        self.rows.extend(texts)

    def recall_texts(self, query: str, k: int) -> list[str]:
        return self.rows[::-1][:k]


class Nuke(_Newest):
    """Empties itself at any mutation. What it passes asks for no bystander back."""

    def supersede(self, query: str, text: str) -> None:
        self.rows = [text]

    def release(self, query: str) -> None:
        self.rows = []

    def purge(self, query: str) -> None:
        self.rows = []


class Verbatim(_Newest):
    """Never forgets: supersede only adds. What it passes forbids nothing that was ever said."""

    def supersede(self, query: str, text: str) -> None:
        self.rows.append(text)


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
