"""Embedders that a caller gives: a function, an object, or a word on a command line."""

import importlib
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from forgeteval.embed.disk_cache import DiskCache
from forgeteval.embed.embedder import CachedEmbedder, Embedder, Vectors
from forgeteval.embed.minilm import MiniLM, default_embedder
from forgeteval.errors import ENDS_A_RUN, RAISED_BY_OTHERS, UserError, check_name

DEFAULT = "default"
_NOT_UNIT = 1e-3
"""A length that differs from 1 by more is made 1; less is rounding, and the vector stays as it was given."""


def as_embedder(given: Any) -> Embedder:
    """What a caller gives as an embedder, its vectors checked and made unit vectors.

    Example:
        >>> as_embedder(lambda texts: [[3.0, 4.0] for text in texts]).embed(["a", "b"]).tolist()
        [[0.6000000238418579, 0.800000011920929], [0.6000000238418579, 0.800000011920929]]

    Args:
        given: a function that takes a list of n texts and returns an array-like of shape (n, dim) or yields n vectors,
            or an object with such a method `embed`. Its `dim`, if it has one, is what the vectors must have; its
            `name`, if it has one, is what they can be kept under.

    Raises:
        UserError: if `given` is neither. The embedder raises it where vectors come in the wrong number or shape, with
            numbers that are not finite, or with length zero.
    """
    if isinstance(given, MiniLM | DiskCache | CachedEmbedder | GivenEmbedder):
        return given
    function = getattr(given, "embed", given)
    if callable(function) and not inspect.isclass(given):
        dim, name = getattr(given, "dim", None), getattr(given, "name", None)
        if isinstance(name, str):
            check_name("embedder", name)
        return GivenEmbedder(function, dim if isinstance(dim, int) else None, name if isinstance(name, str) else None)
    raise UserError(
        f"embedder: {_short(given)} cannot embed; give a function from a list of texts to an array (n, dim), or an "
        "object with such a method `embed`"
    )


def embedder_named(word: str) -> Embedder:
    """The embedder that a word on a command line means.

    Args:
        word: "default" for that of the extra `embed`; "MODULE:NAME" for one of the caller's own, also from a module in
            the current folder. NAME is what `as_embedder` takes, or a class or function that makes it if called without
            arguments.

    Raises:
        UserError: if there is no such embedder, or it cannot be made.
    """
    if word == DEFAULT:
        return default_embedder()
    module, colon, name = word.partition(":")
    if not module or not colon or not name:
        raise UserError(f'embedder: {word!r} is neither "{DEFAULT}" nor MODULE:NAME')
    if module.endswith(".py"):
        there = f"{Path(module).stem}:{name}"
        raise UserError(f"embedder: {word!r} names a file, not a module; give {there}, in the folder of that file")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)
    try:
        found = getattr(importlib.import_module(module), name)
        made = found() if _makes_embedder(found) else found
    except UserError:
        raise
    except RAISED_BY_OTHERS as error:
        raise UserError(f"embedder: {word} cannot be had ({type(error).__name__}: {error})") from error
    return as_embedder(made)


class GivenEmbedder:
    """A caller's function as an embedder, its vectors checked and made unit vectors."""

    def __init__(self, function: Callable[[list[str]], Any], dim: int | None = None, name: str | None = None) -> None:
        self._function, self._dim = function, dim
        self.name = name

    @property
    def dim(self) -> int:
        """How many numbers a vector has; if nobody said, a text is embedded to find out."""
        if self._dim is None:
            self._dim = self.embed(["dimension"]).shape[1]
        return self._dim

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of `texts`, shape (n, dim)."""
        if not texts:
            return np.empty((0, self.dim), dtype=np.float32)
        vectors = _numbers(self._called(list(texts)))
        expected = (len(texts), self._dim or (vectors.shape[1] if vectors.ndim == 2 else 0))
        if vectors.shape != expected or not vectors.shape[1]:
            wanted = f"({len(texts)}, {self._dim or 'dim'})"
            raise UserError(f"embedder: gave an array of shape {vectors.shape} for {len(texts)} texts, not {wanted}")
        self._dim = vectors.shape[1]
        return _unit(vectors, texts)

    def _called(self, texts: list[str]) -> Any:
        try:
            return self._function(texts)
        except (UserError, *ENDS_A_RUN):
            raise
        except BaseException as error:
            said = " ".join(f"{type(error).__name__}: {error}".split())
            raise UserError(f"embedder: cannot embed {len(texts)} texts ({said[:200]})") from error


def _makes_embedder(found: Any) -> bool:
    """Whether it must be called without arguments to have the embedder."""
    if inspect.isclass(found):
        return True
    if not inspect.isroutine(found):
        return False
    try:
        inspect.signature(found).bind()
    except (TypeError, ValueError):
        return False
    return True


def _numbers(given: Any) -> Vectors:
    try:
        values = np.asarray(list(given) if isinstance(given, Iterator) else given)
    except RAISED_BY_OTHERS as error:
        raise UserError(f"embedder: gave {_short(given)}, which is not an array ({error})") from error
    if values.dtype.kind not in "fiu":
        raise UserError(f"embedder: gave {_short(given)}, not an array of numbers of shape (n, dim)")
    with np.errstate(over="ignore"):
        return values.astype(np.float32, copy=False)


def _unit(vectors: Vectors, texts: Sequence[str]) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    for wrong, what in (~np.isfinite(lengths), "no finite length"), (lengths == 0, "length zero"):
        if wrong.any():
            text = texts[int(np.argmax(wrong))]
            raise UserError(f"embedder: gave a vector of {what} for the text {_short(text)}")
    divisors = np.where(abs(lengths - 1) <= _NOT_UNIT, 1, lengths).astype(np.float32)
    return vectors / divisors


def _short(value: Any) -> str:
    shown = " ".join(repr(value).split())
    return shown if len(shown) <= 80 else f"{shown[:77]}..."
