"""The few functions of torch that HippoRAG's search for synonyms calls, written with NumPy.

PyPI's torch for Linux brings several gigabytes of CUDA with it. With vectors from an endpoint, HippoRAG needs it for
one thing only: the nearest entities of each entity, by cosine. `hipporag.utils.embed_utils.retrieve_knn` runs
unchanged on this module.
"""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lethe.systems.stand_ins import stand_in


def install() -> None:
    """Make `import torch` find this module's functions, on a machine without a GPU."""
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
    """An array of one or two dimensions with torch's method names."""

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
    """Make a tensor of these values."""
    return Tensor(np.array(values), dtype)


def normalize(vectors: Tensor, dim: int) -> Tensor:
    """Scale vectors to length 1 along `dim`; those shorter than 1e-12 are divided by 1e-12, as in torch."""
    values = vectors.numpy()
    return _wrap(values / np.maximum(np.linalg.norm(values, axis=dim, keepdims=True), 1e-12))


def mm(left: Tensor, right: Tensor) -> Tensor:
    """The product of two matrices."""
    return _wrap(left.numpy() @ right.numpy())


def topk(values: Tensor, k: int, dim: int, largest: bool, sorted: bool) -> tuple[Tensor, Tensor]:
    """The k largest values along `dim`, largest first, and their positions; equal values keep their order.

    Raises:
        ValueError: unless both `largest` and `sorted`, the only combination that is used.
    """
    if not (largest and sorted):
        raise ValueError("topk supports only largest=True and sorted=True")
    best = np.argsort(-values.numpy(), axis=dim, kind="stable").take(range(k), axis=dim)
    return _wrap(np.take_along_axis(values.numpy(), best, axis=dim)), _wrap(best)


def cat(tensors: Sequence[Tensor], dim: int) -> Tensor:
    """The tensors joined along `dim`."""
    return _wrap(np.concatenate([each.numpy() for each in tensors], axis=dim))


def _wrap(values: NDArray[Any]) -> Tensor:
    return Tensor(values, values.dtype)
