"""What a caller gives as an embedder is checked before anything is searched with it."""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from forgeteval.embed.disk_cache import DiskCache
from forgeteval.embed.embedder import CachedEmbedder, Vectors
from forgeteval.embed.given import as_embedder, embedder_named
from forgeteval.errors import UserError
from tests.forgeteval.embed.support import Foreseen, vectors_of

TEXTS = ["one", "two", "three"]


def lists(texts: list[str]) -> list[list[float]]:
    return [[float(len(text)), 4.0] for text in texts]


def test_lists_become_unit_vectors() -> None:
    found = as_embedder(lists).embed(TEXTS)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, [[0.6, 0.8], [0.6, 0.8], [5 / 41**0.5, 4 / 41**0.5]], rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float64, np.float16, np.float32, np.int32])
def test_any_numbers_will_do(dtype: Any) -> None:
    found = as_embedder(lambda texts: np.array(lists(texts), dtype=dtype)).embed(TEXTS[:1])
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, [[0.6, 0.8]], rtol=1e-3)


def test_vectors_may_come_one_by_one() -> None:
    np.testing.assert_array_equal(as_embedder(lambda texts: iter(vectors_of(texts))).embed(TEXTS), vectors_of(TEXTS))


def test_unit_vectors_stay_as_they_are_to_the_last_bit() -> None:
    np.testing.assert_array_equal(as_embedder(Foreseen()).embed(TEXTS), vectors_of(TEXTS))


def test_a_unit_vector_stays_as_it_is_beside_others() -> None:
    kept = vectors_of(TEXTS)
    found = as_embedder(lambda texts: [kept[0], 3 * kept[1], kept[2]]).embed(TEXTS)
    np.testing.assert_array_equal(found[[0, 2]], kept[[0, 2]])
    np.testing.assert_allclose(found[1], kept[1], rtol=1e-6)


def test_a_function_gets_a_list() -> None:
    given: list[Any] = []

    def embed(texts: list[str]) -> Vectors:
        given.append(texts)
        return vectors_of(texts)

    as_embedder(embed).embed(("a", "b"))
    assert given == [["a", "b"]]


def test_the_dimension_is_the_object_s_own() -> None:
    embedder = Foreseen(5)
    assert as_embedder(embedder).dim == 5
    assert embedder.batches == []


def test_the_dimension_of_a_function_is_found_out_once() -> None:
    calls: list[list[str]] = []

    def embed(texts: list[str]) -> Vectors:
        calls.append(texts)
        return vectors_of(texts)

    embedder = as_embedder(embed)
    assert embedder.dim == 8
    assert embedder.embed([]).shape == (0, 8)
    assert len(calls) == 1


def test_a_name_is_handed_on() -> None:
    class Named(Foreseen):
        name = "foreseen 1"

    assert getattr(as_embedder(Named()), "name", None) == "foreseen 1"
    assert getattr(as_embedder(Foreseen()), "name", None) is None


def test_what_is_already_checked_is_given_back(tmp_path: Path) -> None:
    for given in (DiskCache(Foreseen(), "a", tmp_path), CachedEmbedder({}, Foreseen()), as_embedder(lists)):
        assert as_embedder(given) is given


@pytest.mark.parametrize("given", [None, 3, [1.0], "default", Foreseen], ids=repr)
def test_what_cannot_embed_is_refused(given: Any) -> None:
    with pytest.raises(UserError, match=r"cannot embed; give a function from a list of texts to an array"):
        as_embedder(given)


@pytest.mark.parametrize(
    ("embed", "message"),
    [
        (lambda texts: np.ones(3), r"gave an array of shape \(3,\) for 3 texts, not \(3, dim\)"),
        (lambda texts: np.ones((2, 4)), r"gave an array of shape \(2, 4\) for 3 texts, not \(3, dim\)"),
        (lambda texts: np.ones((1, 3, 4)), r"gave an array of shape \(1, 3, 4\) for 3 texts"),
        (lambda texts: np.ones((3, 0)), r"gave an array of shape \(3, 0\) for 3 texts"),
        (lambda texts: [[1.0, 2.0], [1.0], [2.0, 1.0]], "which is not an array"),
        (lambda texts: [["a"], ["b"], ["c"]], "not an array of numbers"),
        (lambda texts: np.ones((3, 2), dtype=complex), "not an array of numbers"),
        (lambda texts: None, "gave None, not an array of numbers"),
        (lambda texts: object(), "gave <object object at "),
        (lambda texts: [[1, 0], [np.nan, 0], [1, 0]], "gave a vector of no finite length for the text 'two'"),
        (lambda texts: [[1, 0], [1, 0], [np.inf, 0]], "gave a vector of no finite length for the text 'three'"),
        (lambda texts: [[1, 0], [1e300, 0], [1, 0]], "gave a vector of no finite length for the text 'two'"),
        (lambda texts: [[0, 0], [1, 0], [1, 0]], "gave a vector of length zero for the text 'one'"),
    ],
)
def test_vectors_that_are_wrong_are_refused_in_one_line(embed: Callable[[list[str]], Any], message: str) -> None:
    with pytest.raises(UserError, match=message) as raised:
        as_embedder(embed).embed(TEXTS)
    assert "\n" not in str(raised.value)


def test_the_dimension_must_stay() -> None:
    embedder = as_embedder(lambda texts: np.ones((len(texts), 2 + len(texts[0]))))
    embedder.embed(["a"])
    with pytest.raises(UserError, match=r"gave an array of shape \(1, 5\) for 1 texts, not \(1, 3\)"):
        embedder.embed(["bbb"])


def test_the_dimension_must_be_what_the_object_says() -> None:
    class Liar(Foreseen):
        def embed(self, texts: Sequence[str]) -> Vectors:
            return vectors_of(texts, 3)

    with pytest.raises(UserError, match=r"not \(3, 8\)"):
        as_embedder(Liar()).embed(TEXTS)


@pytest.mark.parametrize("kind", [LookupError, SystemExit, GeneratorExit])
def test_an_error_of_the_caller_s_own_is_named(kind: type[BaseException]) -> None:
    def embed(texts: list[str]) -> Vectors:
        raise kind("no such model")

    with pytest.raises(UserError, match=f"{kind.__name__}: no such model"):
        as_embedder(embed).embed(TEXTS)


MODULE = """
import numpy as np

dim = 3


def embed(texts):
    return np.ones((len(texts), dim))


class Embedder:
    dim = 3

    def embed(self, texts):
        return embed(texts)


class Needy(Embedder):
    def __init__(self, key):
        pass


class Callable:
    def __call__(self, texts):
        return embed(texts)


def make():
    return Embedder()


def make_function(size=3):
    return embed


def break_down():
    raise OSError("no such file")


made = Embedder()
callable_object = Callable()
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module in the current folder."""
    (tmp_path / "their_embedder.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "their_broken.py").write_text("import no_such_library\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry != str(tmp_path)])
    yield "their_embedder"
    for module in ("their_embedder", "their_broken"):
        sys.modules.pop(module, None)


@pytest.mark.parametrize("name", ["embed", "Embedder", "make", "make_function", "made", "callable_object"])
def test_an_embedder_is_found_by_module_and_name(here: str, name: str) -> None:
    embedder = embedder_named(f"{here}:{name}")
    np.testing.assert_allclose(embedder.embed(TEXTS), np.full((3, 3), 3**-0.5), rtol=1e-6)


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("their_embedder", 'neither "default" nor MODULE:NAME'),
        (":embed", 'neither "default" nor MODULE:NAME'),
        ("their_embedder:", 'neither "default" nor MODULE:NAME'),
        ("sub/emb.py:name", "names a file, not a module; give emb:name, in the folder of that file"),
        ("no_such_module:embed", "No module named 'no_such_module'"),
        ("their_broken:embed", "ModuleNotFoundError: No module named 'no_such_library'"),
        ("their_embedder:embedd", "AttributeError: module 'their_embedder' has no attribute 'embedd'"),
        ("their_embedder:Needy", "missing 1 required positional argument: 'key'"),
        ("their_embedder:break_down", r"OSError: no such file"),
        ("their_embedder:dim", "3 cannot embed"),
    ],
)
def test_an_embedder_that_is_not_there_is_one_line(here: str, word: str, message: str) -> None:
    with pytest.raises(UserError, match=message) as raised:
        embedder_named(word)
    assert "\n" not in str(raised.value)


def test_an_embedder_has_a_name_that_a_file_can_hold() -> None:
    class Named(Foreseen):
        name = "e\udcff"

    with pytest.raises(UserError, match=r"embedder: 'e\\udcff' is not UTF-8"):
        as_embedder(Named())
