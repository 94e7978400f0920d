"""A store of one's own in the workflow: awaited, checked and told as `forgeteval run` does it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from forgeteval.errors import UserError
from forgeteval.stores.contract import Backend, Claim, Hit, offers
from forgeteval.stores.given import UNIFORM
from lethe.systems.registry import build_adapter
from tests.support.bench import HashEmbedder


class Shelf(Backend):
    """Texts by number, each as good as the other."""

    def __init__(self) -> None:
        self._texts: dict[int, str] = {}

    def add(self, texts: Sequence[str]) -> None:
        self._texts.update({len(self._texts) + place: text for place, text in enumerate(texts)})

    def search(self, query: str, k: int) -> list[Hit]:
        return [Hit(number, text, self.score(text)) for number, text in list(self._texts.items())[:k]]

    def score(self, text: str) -> float:
        return 1.0

    def delete(self, id: str | int) -> Any:
        del self._texts[int(id)]


class AsksItsClient(Shelf):
    """Passes on what a client that has to be awaited returns."""

    def delete(self, id: str | int) -> Any:
        async def deleted() -> None:
            Shelf.delete(self, id)

        return deleted()


class Scoreless(Shelf):
    def score(self, text: str) -> float:
        return float("nan")


class Emptying(Shelf):
    def add(self, texts: Sequence[str]) -> None:
        super().add([texts.pop() for _ in range(len(texts))])  # type: ignore[attr-defined]


class WithItsOwnSupersede(Shelf):
    def supersede(self, id: int, text: str) -> None:
        raise AssertionError


class InAFolder(Shelf):
    def open(self, folder: Path) -> None:
        self._texts = {0: str(folder)}


class Saying(Shelf):
    """Gives the erasure audit whatever a test wants."""

    given: Any = None

    def reads(self, id: str | int) -> Any:
        return self.given

    def claim(self) -> Any:
        return self.given

    def past(self, query: str, k: int) -> Any:
        return self.given


ARGUMENTS: dict[str, tuple[Any, ...]] = {"reads": (1,), "claim": (), "past": ("question", 3)}


class OnlyReads:
    def search(self, query: str, k: int) -> list[Hit]:
        return []


def built(store: type) -> Any:
    return build_adapter(f"{__name__}:{store.__name__}", UNIFORM, HashEmbedder())


def told(store: type, *texts: str) -> Any:
    adapter = built(store)
    adapter.reset()
    adapter.inscribe(list(texts))
    return adapter


@pytest.mark.parametrize("store", [Shelf, AsksItsClient, WithItsOwnSupersede])
def test_what_has_to_be_awaited_is_awaited(store: type) -> None:
    adapter = told(store, "the code is 4711")
    adapter.purge("the code")
    assert adapter.recall_texts("the code", 10) == []
    adapter.supersede("the code", "it is 1")
    assert adapter.recall_texts("the code", 10) == ["it is 1"]
    adapter.close()


def test_a_score_that_is_no_number_is_an_error() -> None:
    with pytest.raises(ValueError, match="whose score is nan"):
        told(Scoreless, "the code is 4711").release("the code")


def test_a_store_cannot_take_memories_from_what_the_next_case_is_told() -> None:
    haystack = ["a", "b"]
    built(Emptying).inscribe(haystack)
    assert haystack == ["a", "b"]


def test_a_store_without_a_reset_is_built_anew() -> None:
    adapter = told(Shelf, "one")
    adapter.reset()
    assert adapter.recall_texts("one", 10) == []


def test_what_the_erasure_audit_calls_reaches_the_store(tmp_path: Path) -> None:
    store = built(InAFolder).backend
    assert offers(store, "open") and not offers(store, "shut")
    store.open(tmp_path)
    assert store.search("where", 1)[0].text == str(tmp_path)


def test_a_store_without_a_method_that_everything_needs_is_named() -> None:
    with pytest.raises(UserError, match=r"backend .*OnlyReads has no add; a store has the methods reset, add"):
        built(OnlyReads)


@pytest.mark.parametrize(
    ("backend", "said"),
    [
        (f"{__name__}:Nobody", "has no class of this name"),
        (f"{__name__}:", "has no class of this name"),
        (f"{__name__}:UNIFORM", "has no class of this name"),
        ("tests.support.nothing:Shelf", "its environment has what it needs: for `pipeline`, install that in .venv"),
    ],
)
def test_a_backend_that_is_not_there_is_named(backend: str, said: str) -> None:
    with pytest.raises(UserError, match=f"backend {backend}: .*{said}"):
        build_adapter(backend, UNIFORM, HashEmbedder())


@pytest.mark.parametrize(
    ("method", "given", "said"),
    [
        ("reads", None, "reads returned None; return a dict with a text for each read"),
        ("reads", ["a"], "reads returned a list"),
        ("reads", {"get": None}, "reads returned a dict with None in it; give what each read returns as one text"),
        ("reads", {5: "a"}, "reads returned a dict with an int in it"),
        ("claim", {"gone": True}, r"claim returned .*; return Claim\(gone, of, words\)"),
        ("claim", Claim(True, "file", "erased"), "of 'reads' or 'files'"),  # type: ignore[arg-type]
        ("claim", Claim("no", "files", "erased"), "with gone True or False"),  # type: ignore[arg-type]
        ("past", None, "past returned None; return a list"),
        ("past", "text", "past returned a str; return a list"),
    ],
)
def test_what_the_erasure_audit_cannot_use_is_named(method: str, given: Any, said: str) -> None:
    store = built(Saying).backend
    store._store.given = given
    with pytest.raises(TypeError, match=said):
        getattr(store, method)(*ARGUMENTS[method])


def test_what_the_erasure_audit_can_use_is_passed_on() -> None:
    store = built(Saying).backend
    for method, given in {"reads": {"get": ""}, "claim": Claim(False, "reads", "1 left"), "past": ["a"] * 12}.items():
        store._store.given = given
        assert getattr(store, method)(*ARGUMENTS[method]) == given
