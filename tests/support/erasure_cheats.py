"""Systems that keep a purged memory, or lose every other, and try to have the erasure audit say otherwise."""

import base64
import gc
import inspect
import os
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from forgeteval.cases.erasure.case import ErasureCase
from lethe.jobs import acting, erasing
from tests.support.erasing import Eraser, Nuker


class Expecting(Nuker):
    """Would answer with what it is told to expect, were it told."""

    def __init__(self) -> None:
        super().__init__()
        self._gold: list[str] = []

    def expect(self, gold: Sequence[str]) -> None:
        self._gold = list(gold)

    def recall_texts(self, query: str, k: int) -> list[str]:
        return self._gold or super().recall_texts(query, k)


class Echoing(Nuker):
    """Answers with what it is asked, but for what it was told to purge."""

    def recall_texts(self, query: str, k: int) -> list[str]:
        return [*self.rows, query][:k]


class Listing(Eraser):
    """Answers with all that it holds, whatever it is asked."""

    def recall_texts(self, query: str, k: int) -> list[str]:
        return self.rows + ["nothing else"] * k


class Rigging(Nuker):
    """Puts its own verdicts in the place of the audit's, as far as its process has any."""

    def purge(self, query: str) -> None:
        super().purge(query)
        examination: Any = erasing._Examination
        examination._bystander = lambda self, level: self._note(level, "bystander", "kept")
        examination._found = lambda self, level, place, texts: self._note(level, place, "absent")


class Peeping(Nuker):
    """Answers with whatever it finds in its process of a case, or of a text that it was not asked."""

    def open(self, folder: Path) -> None:
        super().open(folder)
        self._past: set[str] = set()

    def recall_texts(self, query: str, k: int) -> list[str]:
        cases = [each for each in gc.get_objects() if isinstance(each, ErasureCase)]
        frames = [frame.frame.f_locals.values() for frame in inspect.stack()]
        acts = [each for values in frames for each in values if isinstance(each, acting.Act)]
        asked = [text for act in acts for text in act.given if text != query]
        vectors = [key for each in gc.get_objects() if isinstance(each, dict) for key in _texts(each) if key != query]
        return [*(text for case in cases for text in (case.bystander, case.kept_marker)), *asked, *vectors][:k]


def _texts(found: dict[Any, Any]) -> list[str]:
    """Texts that stand for vectors."""
    return [key for key, value in list(found.items())[:40] if isinstance(key, str) and hasattr(value, "dtype")]


class Disguised(Eraser):
    """Recalls, and reads, what it purged in another form; see `DISGUISES`."""

    disguise: Callable[[str], list[str]]

    def __init__(self) -> None:
        super().__init__()
        self._gone: list[str] = []

    def purge(self, query: str) -> None:
        super().purge(query)
        self._gone = type(self).disguise(query)

    def recall_texts(self, query: str, k: int) -> list[str]:
        return [*self._gone, *super().recall_texts(query, k)][:k]

    def reads(self, id: object) -> Mapping[str, str]:
        return {"history": str(self._gone)}


def _marker(text: str) -> str:
    return max(text.split(), key=len).strip(".,")


def _in_two(text: str) -> list[str]:
    middle = text.index(_marker(text)) + 9
    return [text[:middle], text[middle:]]


DISGUISES: dict[str, Callable[[str], list[str]]] = {
    "Unseen": lambda text: ["\u200b".join(text)],
    "Wide": lambda text: ["".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in text)],
    "Marked": lambda text: [unicodedata.normalize("NFD", "\u0332".join(text))],
    "Spaced": lambda text: [" ".join(text)],
    "Capital": lambda text: [text.upper()],
    "InTwo": _in_two,
    "Turned": lambda text: _in_two(text)[::-1],
    "Encoded": lambda text: [base64.b64encode(text.encode()).decode()],
}
Unseen, Wide, Marked, Spaced, Capital, InTwo, Turned, Encoded = (
    type(name, (Disguised,), {"disguise": staticmethod(disguise)}) for name, disguise in DISGUISES.items()
)


class DisguisedKeeper(Eraser):
    """Keeps everything, and recalls it with characters that show nothing."""

    def recall_texts(self, query: str, k: int) -> list[str]:
        return ["\u2060".join(text) for text in super().recall_texts(query, k)]


class Withdrawing(Eraser):
    """Purges nothing, and has no folder any more from the first purge on."""

    def purge(self, query: str) -> None:
        type(self).open = None  # type: ignore[assignment]


class WithdrawingLater(Eraser):
    """Purges nothing, and has no folder where a process finds that another one had."""

    def __init__(self) -> None:
        super().__init__()
        if Path(os.environ["HOME"], acting.STORES).is_dir():
            self.open = None  # type: ignore[assignment]

    def purge(self, query: str) -> None: ...


class Refusing(Eraser):
    """Says that it has no recall where it is asked for what it purged."""

    def __init__(self) -> None:
        super().__init__()
        self._purged: set[str] = set()

    def purge(self, query: str) -> None:
        self._purged.add(query)

    def recall_texts(self, query: str, k: int) -> list[str]:
        if query in self._purged:
            raise NotImplementedError("no recall")
        return super().recall_texts(query, k)


class Hider(Eraser):
    """Moves what it purged to a folder of another use; see `HIDERS`."""

    where: str

    def purge(self, query: str) -> None:
        super().purge(query)
        hidden = self._hidden()
        hidden.parent.mkdir(exist_ok=True)
        hidden.write_text(query)

    def _hidden(self) -> Path:
        assert self._folder is not None
        return self._folder.parent / self.where / "kept"


class LateHider(Hider):
    """Does so in the process after the restart."""

    def purge(self, query: str) -> None:
        Eraser.purge(self, query)
        assert self._folder is not None
        (self._folder / "kept").write_text(query)

    def open(self, folder: Path) -> None:
        super().open(folder)
        if (folder / "kept").is_file():
            self._hidden().parent.mkdir(exist_ok=True)
            (folder / "kept").rename(self._hidden())


HIDERS = {
    "InPrefilled": "prefilled",
    "InUnfinished": "prefilled.unfinished",
    "InOther": "erasure-02-left",
    "InOwnLeft": "erasure-01-left",
    "InAsked": "erasure-01-asked",
    "InSecond": "erasure-02-second-scope",
}
InPrefilled, InUnfinished, InOther, InOwnLeft, InAsked, InSecond = (
    type(name, (Hider,), {"where": where}) for name, where in HIDERS.items()
)
LateInPrefilled, LateInUnfinished, LateInOther, LateInOwnLeft, LateInAsked, LateInSecond = (
    type(f"Late{name}", (LateHider,), {"where": where}) for name, where in HIDERS.items()
)
