"""Files are written whole or not at all."""

from pathlib import Path

import pytest

from lethe.errors import LetheError
from lethe.files import atomic_write, write_text


class Boom(Exception):
    """Something that goes wrong while a file is written."""


@pytest.mark.parametrize("error", [Boom, KeyboardInterrupt, OSError])
@pytest.mark.parametrize("existed", [True, False])
def test_an_interrupted_write_changes_nothing(tmp_path: Path, error: type[BaseException], existed: bool) -> None:
    target = tmp_path / "out.bin"
    if existed:
        target.write_bytes(b"before")
    with pytest.raises(LetheError if error is OSError else error), atomic_write(target) as stream:
        stream.write(b"half")
        raise error
    assert [file.name for file in tmp_path.iterdir()] == (["out.bin"] if existed else [])
    if existed:
        assert target.read_bytes() == b"before"


def test_the_target_changes_only_at_the_end(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "er" / "out.bin"
    with atomic_write(target) as stream:
        stream.write(b"new")
        assert not target.exists()
    assert target.read_bytes() == b"new"
    with atomic_write(target) as stream:
        stream.write(b"newer")
        assert target.read_bytes() == b"new"
    assert target.read_bytes() == b"newer"
    assert [file.name for file in target.parent.iterdir()] == ["out.bin"]


def test_a_written_file_has_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").write_text("x")
    write_text(tmp_path / "atomic", "x")
    assert (tmp_path / "atomic").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_text_is_utf8_with_its_own_line_ends(tmp_path: Path) -> None:
    write_text(tmp_path / "t.txt", "Ł\n王\r\n")
    assert (tmp_path / "t.txt").read_bytes() == "Ł\n王\r\n".encode()


def test_a_target_that_is_a_folder_is_named_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "out" / "inner").mkdir(parents=True)
    with pytest.raises(LetheError, match=f"writing {tmp_path / 'out'}: "):
        write_text(tmp_path / "out", "x")
    assert [file.name for file in tmp_path.iterdir()] == ["out"]
