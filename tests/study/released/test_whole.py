"""A released file that is not whole is named before anything is counted from it."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from forgeteval.errors import UserError
from lethe.config.model import RELEASED_FILES
from lethe.study.released.reading import CASES_SHA256, SHA256, check_released, released_rows
from tests.support.config import load, released_folder

RELEASE = released_folder()


def test_every_released_file_is_pinned() -> None:
    assert tuple(SHA256) == RELEASED_FILES and all(len(checksum) == 64 for checksum in SHA256.values())


def test_the_pins_are_of_the_shipped_suite() -> None:
    assert load("suites.yaml")["suites"]["published"]["sha256"] == CASES_SHA256


@pytest.mark.parametrize("content", [b"", b"case_id\n", b"case_id\nlockers\n"])
def test_another_content_is_refused_with_the_file_and_the_remedy(tmp_path: Path, content: bytes) -> None:
    for name in RELEASED_FILES:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError) as caught:
        released_rows(str(tmp_path), pinned=True)
    told = str(caught.value)
    assert told.startswith(f"{tmp_path / RELEASED_FILES[0]}: sha256 is ") and "give the sha256 of its cases" in told
    assert "\n" not in told


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"gone\.csv: cannot be read .*check datasets/forgeteval"):
        check_released(tmp_path / "gone.csv", "0" * 64)


def test_another_release_is_read_where_it_is_said_to_be_one(tmp_path: Path) -> None:
    for name in RELEASED_FILES:
        (tmp_path / name).write_text("suite\n")
    assert all(rows == [] for _, rows in released_rows(str(tmp_path), pinned=False).values())


HALVED: dict[str, Callable[[bytes], bytes]] = {
    "half of its lines": lambda content: b"".join(content.splitlines(True)[: content.count(b"\n") // 2]),
    "its header": lambda content: content.splitlines(True)[0],
    "nothing": lambda content: b"",
}


@pytest.mark.skipif(not (RELEASE / RELEASED_FILES[0]).is_file(), reason="needs data that are not part of the project")
@pytest.mark.parametrize("kept", HALVED)
def test_each_file_of_the_release_is_whole_or_named(tmp_path: Path, kept: str) -> None:
    for name in RELEASED_FILES:
        shutil.copyfile(RELEASE / name, tmp_path / name)
        check_released(tmp_path / name, SHA256[name])
        (tmp_path / name).write_bytes(HALVED[kept]((RELEASE / name).read_bytes()))
        with pytest.raises(UserError, match=f"{name}: sha256 is .* incomplete or changed"):
            check_released(tmp_path / name, SHA256[name])
