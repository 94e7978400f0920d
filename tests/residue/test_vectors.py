import json
import pickle
import struct
from collections.abc import Callable

import numpy as np
import pytest

from lethe.residue.vectors import covered_forms, find_vector

RANDOM = np.random.default_rng(11)
NOISE = RANDOM.integers(0, 256, 200_001, dtype=np.uint8).tobytes()
FLOATS = (RANDOM.normal(size=100_000) * 0.05).astype("<f4").tobytes()


def _unit(dim: int = 384) -> np.ndarray:
    vector = RANDOM.normal(size=dim).astype(np.float32)
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


VECTOR = _unit()
_CODES = np.round(VECTOR * 127)
PLANTED = {
    "float32": VECTOR.astype("<f4").tobytes(),
    "float64": VECTOR.astype("<f8").tobytes(),
    "float16": VECTOR.astype("<f2").tobytes(),
    "big-endian float32": VECTOR.astype(">f4").tobytes(),
    "big-endian float64": VECTOR.astype(">f8").tobytes(),
    "big-endian float16": VECTOR.astype(">f2").tobytes(),
    "int8": np.round(VECTOR / np.abs(VECTOR).max() * 127).astype(np.int8).tobytes(),
    "pickled numbers": pickle.dumps(VECTOR.tolist()),
    "MessagePack": b"".join(b"\xcb" + struct.pack(">d", number) for number in VECTOR),
    "MessagePack, 32 bits": b"".join(b"\xca" + struct.pack(">f", number) for number in VECTOR),
    "CBOR": b"".join(b"\xfb" + struct.pack(">d", number) for number in VECTOR),
    "CBOR, 32 bits": b"".join(b"\xfa" + struct.pack(">f", number) for number in VECTOR),
    "decimal": json.dumps(VECTOR.tolist()).encode(),
    "decimal with an exponent": ",".join(f"{number:.8e}" for number in VECTOR).encode(),
}
WRITERS: dict[str, Callable[[np.ndarray], bytes]] = {
    "rounded": lambda vector: ",".join(f"{number:.6f}" for number in vector).encode(),
    "without the zero": lambda vector: ",".join(f"{number:.7f}" for number in vector).replace("0.", ".").encode(),
    "a line each": lambda vector: "\n".join(f"{number:.7f}" for number in vector).encode(),
    "with exponents, rounded": lambda vector: "\t".join(f"{number:.4e}" for number in vector).encode(),
    "NumPy's numbers": lambda vector: repr(list(vector)).encode(),
    "Python's numbers": lambda vector: repr(vector.tolist()).encode(),
    "pickled as text": lambda vector: pickle.dumps(vector.tolist(), 0),
    "numbered": lambda vector: json.dumps({str(at): float(number) for at, number in enumerate(vector)}).encode(),
}


def forms(data: bytes, vector: np.ndarray = VECTOR) -> set[str]:
    return {found.form for found in find_vector(data, vector)}


def test_every_form_that_is_covered_is_planted() -> None:
    assert set(PLANTED) == set(covered_forms())


@pytest.mark.parametrize("form", PLANTED)
@pytest.mark.parametrize("shift", range(4))
def test_a_planted_vector_is_found_in_its_form_alone(form: str, shift: int) -> None:
    assert forms(NOISE[: 1000 + shift] + PLANTED[form] + NOISE) == {form}


@pytest.mark.parametrize("kind", ["<f4", "<f8", "<f2", ">f4", ">f8", ">f2"])
def test_a_float_is_told_where_it_stands(kind: str) -> None:
    (found,) = find_vector(NOISE[:1001] + VECTOR.astype(kind).tobytes() + NOISE, VECTOR)
    assert 1001 <= found.offset < 1001 + len(VECTOR) * np.dtype(kind).itemsize
    assert (found.offset - 1001) % np.dtype(kind).itemsize == 0


@pytest.mark.parametrize("codes", [_CODES.astype(np.int8), (_CODES + 128).astype(np.uint8)])
def test_codes_of_a_range_of_one_are_found_signed_and_raised(codes: np.ndarray) -> None:
    assert forms(NOISE + codes.tobytes()) == {"int8"}


def test_a_vector_that_was_brought_to_unit_length_is_found() -> None:
    assert forms(FLOATS + VECTOR.tobytes(), VECTOR * 3) == {"float32"}


def test_one_that_was_rounded_once_more_is_found() -> None:
    again = (VECTOR.astype(np.float64) / np.linalg.norm(VECTOR.astype(np.float64))).astype("<f4")
    assert forms(FLOATS + np.nextafter(again, np.float32(1)).tobytes()) == {"float32"}


@pytest.mark.parametrize("kept", [slice(0, 128), slice(128, 256), slice(256, 384)])
@pytest.mark.parametrize("kind", ["<f4", "<f8", "<f2", ">f4", ">f8", ">f2"])
def test_a_third_of_it_is_enough(kept: slice, kind: str) -> None:
    assert forms(FLOATS + VECTOR[kept].astype(kind).tobytes())


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("dim", [64, 384, 1536])
def test_decimals_are_found_however_they_are_written_and_no_others(writer: str, dim: int) -> None:
    for _ in range(40):
        vector, other = _unit(dim), _unit(dim)
        found = forms(NOISE[:1000] + WRITERS[writer](vector), vector)
        assert found == {"decimal with an exponent" if "exponents" in writer else "decimal"}
        assert not forms(WRITERS[writer](other), vector)


@pytest.mark.parametrize("kept", [slice(0, 128), slice(128, 256), slice(256, 384)])
@pytest.mark.parametrize("writer", WRITERS)
def test_a_third_of_the_decimals_is_enough(kept: slice, writer: str) -> None:
    assert forms(WRITERS[writer](VECTOR[kept]))


def test_large_numbers_are_found() -> None:
    vector = VECTOR * 1000
    for writer in WRITERS.values():
        assert forms(writer(vector), vector) & {"decimal", "decimal with an exponent"}


@pytest.mark.parametrize("data", [NOISE, FLOATS, bytes(100_000), b"", b"abc"], ids=["noise", "floats", "0", "", "abc"])
def test_nothing_is_found_where_nothing_is(data: bytes) -> None:
    assert not find_vector(data, VECTOR)


def test_another_vector_is_not_taken_for_it() -> None:
    other = _unit()
    planted = [other.astype(kind).tobytes() for kind in ("<f4", "<f8", "<f2")] + [json.dumps(other.tolist()).encode()]
    planted += [tag + struct.pack(">d", number) for tag in (b"G", b"\xcb", b"\xfb") for number in other]
    assert not find_vector(b"".join(planted), VECTOR)


def test_as_little_as_can_be_found_is_found_alone() -> None:
    assert forms(VECTOR[:8].astype("<f2").tobytes()) == {"float16"}
    assert not forms(VECTOR[:7].astype("<f2").tobytes()) and not forms(b"c")
