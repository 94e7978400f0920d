"""Modules in the place of packages that are left out, and failures that a system swallows."""

import importlib
import sys
from collections.abc import Iterator

import pytest

from lethe.systems.stand_ins import stand_in
from lethe.systems.swallowed import Watched


@pytest.fixture(autouse=True)
def modules_as_before() -> Iterator[None]:
    before = dict(sys.modules)
    yield
    for name in sys.modules.keys() - before.keys():
        del sys.modules[name]


def test_a_stand_in_is_imported_with_its_members() -> None:
    stand_in("left_out", number=7)
    stand_in("left_out.inner")
    from left_out import number  # type: ignore[import-not-found]

    assert number == 7
    assert importlib.import_module("left_out.inner") is sys.modules["left_out"].inner
    assert importlib.util.find_spec("left_out") is not None


def test_what_is_left_out_says_so_when_it_is_made() -> None:
    stand_in("left_out")
    from left_out import Model  # type: ignore[import-not-found]

    assert isinstance(Model, type)
    with pytest.raises(RuntimeError, match=r"^left_out\.Model is left out of this environment$"):
        Model("large", device="cuda")


def test_a_stand_in_has_no_submodule_that_nobody_put_there() -> None:
    stand_in("left_out")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("left_out.inner")


def test_a_swallowed_failure_is_raised_once() -> None:
    def ask(question: str) -> str:
        if question == "what?":
            raise ValueError("no answer")
        return question

    watched = Watched(ask)
    with pytest.raises(ValueError, match="no answer"):
        watched("what?")
    assert watched("yes") == "yes"
    with pytest.raises(RuntimeError, match=r"^a request failed \(ValueError: no answer\)$"):
        watched.raise_failure()
    watched.raise_failure()


def test_the_reason_of_a_retry_is_named() -> None:
    def ask() -> None:
        raise RuntimeError("gave up") from TimeoutError("600 s")

    watched = Watched(ask)
    with pytest.raises(RuntimeError, match="gave up"):
        watched()
    with pytest.raises(RuntimeError, match=r"TimeoutError: 600 s"):
        watched.raise_failure()
