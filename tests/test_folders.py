"""Files are written whole or not at all."""

import io
import os
import tarfile
from pathlib import Path

import pytest

from forgeteval.errors import UserError
from forgeteval.files import BEING_WRITTEN, atomic_write, write_text
from lethe.folders import remove_folder, unpack_tar


class Boom(Exception):
    """Something that goes wrong while a file is written."""


@pytest.mark.parametrize("error", [Boom, KeyboardInterrupt, OSError])
@pytest.mark.parametrize("existed", [True, False])
def test_an_interrupted_write_changes_nothing(tmp_path: Path, error: type[BaseException], existed: bool) -> None:
    target = tmp_path / "out.bin"
    if existed:
        target.write_bytes(b"before")
    with pytest.raises(UserError if error is OSError else error), atomic_write(target) as stream:
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


@pytest.mark.parametrize("name", ["o" * 255, "\u00e9" * 127, "a" + "\u8a18" * 84])
def test_a_file_with_the_longest_name_is_written(tmp_path: Path, name: str) -> None:
    with atomic_write(tmp_path / name) as stream:
        (temporary,) = tmp_path.iterdir()
        assert temporary.name.startswith(f".{name[:30]}") and temporary.name.endswith(BEING_WRITTEN)
        stream.write(b"whole")
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("device", ["/dev/null", "/dev/full"])
def test_a_device_is_written_to_and_stays(tmp_path: Path, device: str) -> None:
    # By a link, which a mistake would replace in place of the device.
    (tmp_path / "device").symlink_to(device)
    if device == "/dev/full":
        with pytest.raises(UserError, match="No space left on device"):
            write_text(tmp_path / "device", "text")
    else:
        write_text(tmp_path / "device", "text")
    assert [(path.name, path.is_symlink()) for path in tmp_path.iterdir()] == [("device", True)]


def test_a_written_file_has_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").write_text("x")
    write_text(tmp_path / "atomic", "x")
    assert (tmp_path / "atomic").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_text_is_utf8_with_its_own_line_ends(tmp_path: Path) -> None:
    write_text(tmp_path / "t.txt", "Ł\n王\r\n")
    assert (tmp_path / "t.txt").read_bytes() == "Ł\n王\r\n".encode()


def test_a_target_that_is_a_folder_is_named_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "out" / "inner").mkdir(parents=True)
    with pytest.raises(UserError, match=f"writing {tmp_path / 'out'}: "):
        write_text(tmp_path / "out", "x")
    assert [file.name for file in tmp_path.iterdir()] == ["out"]


def test_of_an_archive_the_files_are_unpacked(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        for name, kind, mode in (("top/run", tarfile.REGTYPE, 0o755), ("top/in/text", tarfile.REGTYPE, 0o600)):
            member = tarfile.TarInfo(name)
            member.type, member.mode, member.size = kind, mode, 2
            archive.addfile(member, io.BytesIO(b"hi"))
        for name, kind in (
            ("top/link", tarfile.SYMTYPE),
            ("top/pipe", tarfile.FIFOTYPE),
            ("top/empty", tarfile.DIRTYPE),
        ):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc/passwd"
            archive.addfile(member)
    unpack_tar(tmp_path / "a.tar.gz", tmp_path / "out")
    found = {str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*") if not path.is_dir()}
    assert found == {"top/run", "top/in/text"}
    assert os.access(tmp_path / "out/top/run", os.X_OK) and not os.access(tmp_path / "out/top/in/text", os.X_OK)


@pytest.mark.parametrize("name", ["../out2/x", "/tmp/lethe_x", "top/../../x"])
def test_an_archive_writes_nothing_outside_of_its_folder(tmp_path: Path, name: str) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        archive.addfile(tarfile.TarInfo(name))
    with pytest.raises(tarfile.TarError, match="leads out of the folder"):
        unpack_tar(tmp_path / "a.tar", tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["a.tar"]


def test_an_archive_that_unpacks_to_more_than_it_may_is_refused(tmp_path: Path) -> None:
    member = tarfile.TarInfo("zeros")
    member.size = 3_000_000
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        archive.addfile(member, io.BytesIO(bytes(member.size)))
    with pytest.raises(tarfile.TarError, match="more than 2,000,000 bytes"):
        unpack_tar(tmp_path / "a.tar.gz", tmp_path / "out", most=2_000_000)
    assert [path.name for path in tmp_path.iterdir()] == ["a.tar.gz"]
    sparse = tarfile.TarInfo("sparse")
    sparse.pax_headers = {"GNU.sparse.major": "0", "GNU.sparse.size": "9000000", "GNU.sparse.map": "0,0"}
    with tarfile.open(tmp_path / "b.tar", "w") as archive:
        archive.addfile(sparse)
    with pytest.raises(tarfile.TarError, match="more than 2,000,000 bytes"):
        unpack_tar(tmp_path / "b.tar", tmp_path / "out", most=2_000_000)


@pytest.mark.parametrize("cut", [3, 40, -20])
def test_an_archive_that_breaks_off_is_named(tmp_path: Path, cut: int) -> None:
    with tarfile.open(tmp_path / "whole.tar.gz", "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("text"))
    (tmp_path / "a.tar.gz").write_bytes((tmp_path / "whole.tar.gz").read_bytes()[:cut])
    with pytest.raises(tarfile.TarError, match="breaks off or is damaged"):
        unpack_tar(tmp_path / "a.tar.gz", tmp_path / "out")


def test_a_folder_is_removed_whatever_its_folders_permit(tmp_path: Path) -> None:
    inner = tmp_path / "home" / "a" / "b"
    inner.mkdir(parents=True)
    (inner / "file").write_text("x")
    for folder in (inner, inner.parent, inner.parent.parent):
        folder.chmod(0)
    remove_folder(tmp_path / "home")
    assert list(tmp_path.iterdir()) == []
