"""A BERT encoder in NumPy."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_LAYER_NORM_EPSILON = 1e-12
_GELU_BLOCK = 16_384
"""Numbers that are worked on at once; what is computed of them stays in the processor's cache."""
_ERFC = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
_ERFC_SCALE = 0.3275911
"""Abramowitz and Stegun 7.1.26: the error is at most 1.5e-7."""

Floats = NDArray[np.float32]
Weights = Mapping[str, Floats]
"""Weights by the names that BertModel gives them."""


@dataclass(frozen=True, slots=True)
class _Linear:
    kernel: Floats
    bias: Floats

    def __call__(self, hidden: Floats) -> Floats:
        output: Floats = hidden @ self.kernel
        output += self.bias
        return output


@dataclass(frozen=True, slots=True)
class _LayerNorm:
    weight: Floats
    bias: Floats

    def __call__(self, hidden: Floats) -> Floats:
        centred: Floats = hidden - hidden.mean(axis=-1, keepdims=True)
        variance = np.einsum("...i,...i->...", centred, centred)[..., None] / centred.shape[-1]
        centred /= np.sqrt(variance + _LAYER_NORM_EPSILON)
        centred *= self.weight
        centred += self.bias
        return centred


@dataclass(frozen=True, slots=True)
class _Layer:
    heads: int
    query_key_value: _Linear
    attended: _Linear
    attended_norm: _LayerNorm
    wide: _Linear
    narrow: _Linear
    output_norm: _LayerNorm

    def __call__(self, hidden: Floats, texts: int) -> Floats:
        """The next hidden state, shape (texts * length, dim) as the one before."""
        attended = self.attended(self._attention(hidden, texts))
        attended += hidden
        normed = self.attended_norm(attended)
        narrow = self.narrow(gelu(self.wide(normed)))
        narrow += normed
        return self.output_norm(narrow)

    def _attention(self, hidden: Floats, texts: int) -> Floats:
        tokens, dim = hidden.shape
        split = self.query_key_value(hidden).reshape(texts, tokens // texts, 3, self.heads, dim // self.heads)
        query, key, value = np.ascontiguousarray(split.transpose(2, 0, 3, 1, 4))
        products: Floats = query @ key.transpose(0, 1, 3, 2)
        products *= (dim // self.heads) ** -0.5
        products -= products.max(axis=-1, keepdims=True)
        shares = np.exp(products, out=products)
        shares /= shares.sum(axis=-1, keepdims=True)
        mixed: Floats = shares @ value
        return mixed.transpose(0, 2, 1, 3).reshape(tokens, dim)


class BertEncoder:
    """The encoder for texts of one length in tokens, so that nothing is padded."""

    def __init__(self, weights: Weights, layers: int, heads: int) -> None:
        self._words = weights["embeddings.word_embeddings.weight"]
        self._positions = weights["embeddings.position_embeddings.weight"]
        self._type = weights["embeddings.token_type_embeddings.weight"][0]
        self._norm = _layer_norm(weights, "embeddings.LayerNorm")
        self._layers = [_layer(weights, f"encoder.layer.{number}", heads) for number in range(layers)]

    def mean_over_tokens(self, tokens: NDArray[np.int64]) -> Floats:
        """The mean of each text's last hidden states, shape (n, dim), not normalised, for `tokens` (n, length)."""
        texts, length = tokens.shape
        embedded = self._words[tokens] + self._positions[:length] + self._type
        hidden = self._norm(embedded.reshape(texts * length, -1))
        for layer in self._layers:
            hidden = layer(hidden, texts)
        mean: Floats = hidden.reshape(texts, length, -1).mean(axis=1)
        return mean


def gelu(values: Floats) -> Floats:
    """x times the share of a normal distribution below x, in place; `values` is contiguous."""
    flat = values.reshape(-1)
    for start in range(0, len(flat), _GELU_BLOCK):
        block = flat[start : start + _GELU_BLOCK]
        size = np.abs(block)
        slope = 1 / (1 + (_ERFC_SCALE * 0.5**0.5) * size)
        tail = _ERFC[-1] * slope
        for factor in reversed(_ERFC[:-1]):
            tail += factor
            tail *= slope
        tail *= np.exp(-0.5 * size * size)
        # Above 0 the share is 1 - tail / 2, below 0 it is tail / 2.
        np.maximum(block, 0, out=block)
        block -= 0.5 * size * tail
    return values


def _layer(weights: Weights, name: str, heads: int) -> _Layer:
    attention = [_linear(weights, f"{name}.attention.self.{part}") for part in ("query", "key", "value")]
    return _Layer(
        heads=heads,
        query_key_value=_Linear(
            np.concatenate([part.kernel for part in attention], axis=1),
            np.concatenate([part.bias for part in attention]),
        ),
        attended=_linear(weights, f"{name}.attention.output.dense"),
        attended_norm=_layer_norm(weights, f"{name}.attention.output.LayerNorm"),
        wide=_linear(weights, f"{name}.intermediate.dense"),
        narrow=_linear(weights, f"{name}.output.dense"),
        output_norm=_layer_norm(weights, f"{name}.output.LayerNorm"),
    )


def _linear(weights: Weights, name: str) -> _Linear:
    return _Linear(np.ascontiguousarray(weights[f"{name}.weight"].T), weights[f"{name}.bias"])


def _layer_norm(weights: Weights, name: str) -> _LayerNorm:
    return _LayerNorm(weights[f"{name}.weight"], weights[f"{name}.bias"])
