"""Acts on stores: their copies."""

import errno
import os
import subprocess
from pathlib import Path

import pytest

from lethe.jobs.acting import _copy

HOLE = 1 << 24
SPARSE: dict[str, list[int]] = {"nothing": [], "first": [0], "middle": [HOLE, 3 * HOLE], "last": [4 * HOLE - 4]}
"""By the name of a file of four holes' size, where it has four bytes."""


@pytest.fixture
def holed(tmp_path: Path) -> Path:
    """A store whose files are holes but for a few bytes."""
    store = tmp_path / "store"
    store.mkdir()
    for name, places in SPARSE.items():
        with (store / name).open("wb") as file:
            file.truncate(4 * HOLE)
            for place in places:
                file.seek(place)
                file.write(b"data")
        (store / name).chmod(0o640)
        os.utime(store / name, ns=(1, 2))
        if (store / name).stat().st_blocks * 512 >= HOLE:
            pytest.skip("the file system keeps no holes")
    return store


def check_copy(store: Path, copy: Path) -> None:
    for name in SPARSE:
        assert (copy / name).read_bytes() == (store / name).read_bytes(), name
        was, status = (store / name).stat(), (copy / name).stat()
        assert (status.st_mode, status.st_mtime_ns) == (was.st_mode, 2), name


def test_a_store_is_copied_with_its_holes(holed: Path, tmp_path: Path) -> None:
    _copy(holed, tmp_path / "copy")
    check_copy(holed, tmp_path / "copy")
    taken = {name: (tmp_path / "copy" / name).stat().st_blocks * 512 for name in SPARSE}
    assert max(taken.values()) < HOLE, taken
    assert taken["nothing"] == 0


def test_a_store_is_copied_where_the_file_system_does_not_tell_holes(
    holed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(_file: int, _offset: int, _whence: int) -> int:
        raise OSError(errno.EINVAL, "no such way to seek")

    monkeypatch.setattr(os, "lseek", unknown)
    _copy(holed, tmp_path / "copy")
    check_copy(holed, tmp_path / "copy")


def test_a_store_that_cannot_be_read_is_not_copied(
    holed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_file: int, _offset: int, _whence: int) -> int:
        raise OSError(errno.EIO, "the disk is broken")

    monkeypatch.setattr(os, "lseek", broken)
    with pytest.raises(OSError, match="the disk is broken"):
        _copy(holed, tmp_path / "copy")


def test_what_of_a_store_cannot_be_copied_is_said_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "store"
    (store / "within").mkdir(parents=True)
    monkeypatch.chdir(store)
    for _ in range(20):
        Path("d" * 240).mkdir()
        os.chdir("d" * 240)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OSError, match=r"^a store's folder cannot be copied: \[Errno 36\] File name too long: "):
        _copy(store, tmp_path / "copy")
    subprocess.run(["rm", "-rf", str(store)], check=True)
