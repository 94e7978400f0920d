"""The few functions of torch that HippoRAG's search for synonyms calls, made of NumPy.

PyPI's torch for Linux brings several gigabytes of CUDA with it; HippoRAG, with its vectors from an endpoint, asks it
for one thing: the nearest entities of each entity, by cosine. `hipporag.utils.embed_utils.retrieve_knn` runs as it is
on what stands here.
"""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lethe.systems.stand_ins import stand_in


def install() -> None:
    """Let `import torch` find what stands here, on a machine without a GPU."""
    functional = SimpleNamespace(normalize=normalize)
    stand_in(
        "torch",
        Tensor=Tensor,
        tensor=tensor,
        mm=mm,
        topk=topk,
        cat=cat,
        float32=np.float32,
        device=str,
        nn=SimpleNamespace(functional=functional),
    )
    stand_in("torch.cuda", is_available=lambda: False, empty_cache=lambda: None)


class Tensor:
    """An array of one or two dimensions with torch's names for what is done to it; it lives on one device."""

    def __init__(self, values: Any, dtype: Any = np.float32) -> None:
        self._values: NDArray[Any] = np.asarray(values, dtype=dtype)

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, key: Any) -> "Tensor":
        return _wrap(self._values[key.numpy() if isinstance(key, Tensor) else key])

    def __iadd__(self, other: Any) -> "Tensor":
        self._values += other
        return self

    @property
    def T(self) -> "Tensor":
        return _wrap(self._values.T)

    def size(self, dim: int) -> int:
        return int(self._values.shape[dim])

    def numpy(self) -> NDArray[Any]:
        return self._values

    def clone(self) -> "Tensor":
        return _wrap(self._values.copy())

    def detach(self) -> "Tensor":
        return self

    def to(self, device: Any) -> "Tensor":
        return self

    def cpu(self) -> "Tensor":
        return self


def tensor(values: Any, dtype: Any = np.float32) -> Tensor:
    """A tensor with these values."""
    return Tensor(np.array(values), dtype)


def normalize(vectors: Tensor, dim: int) -> Tensor:
    """Vectors of length 1 along `dim`; those near zero are divided by 1e-12 instead, as torch does."""
    values = vectors.numpy()
    return _wrap(values / np.maximum(np.linalg.norm(values, axis=dim, keepdims=True), 1e-12))


def mm(left: Tensor, right: Tensor) -> Tensor:
    """The product of two matrices."""
    return _wrap(left.numpy() @ right.numpy())


def topk(values: Tensor, k: int, dim: int, largest: bool, sorted: bool) -> tuple[Tensor, Tensor]:
    """The k largest values along `dim`, best first, and where they stood; equal ones in the order they stood in.

    Raises:
        ValueError: for the smallest, or without order, which nobody asks for here.
    """
    if not (largest and sorted):
        raise ValueError("topk: only largest and sorted")
    best = np.argsort(-values.numpy(), axis=dim, kind="stable").take(range(k), axis=dim)
    return _wrap(np.take_along_axis(values.numpy(), best, axis=dim)), _wrap(best)


def cat(tensors: Sequence[Tensor], dim: int) -> Tensor:
    """The tensors joined along `dim`."""
    return _wrap(np.concatenate([each.numpy() for each in tensors], axis=dim))


def _wrap(values: NDArray[Any]) -> Tensor:
    return Tensor(values, values.dtype)
