"""Fetching: from a server on loopback, checked against the pinned sum, and nothing left where it is not met."""

import gzip
import hashlib
import io
import json
import sys
import tarfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forgeteval.errors import UserError
from forgeteval.limits import Limits
from lethe.crosseval import fetch
from lethe.crosseval.datasets import data_sha256, dataset_rows
from lethe.crosseval.fetch import fetch_dataset
from lethe.crosseval.released import RELEASED, Released

DATA = Path(__file__).parent / "data"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None: ...


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder and the URL it is served at."""
    folder = tmp_path / "served"
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


def archive(path: Path) -> None:
    """The repository's archive as a host packs it: everything below one folder."""
    with tarfile.open(path, "w:gz") as stream:
        stream.add(DATA / "memora" / "weekly", "Memora-a649/data/weekly")
        note = tarfile.TarInfo("Memora-a649/README.md")
        note.size = 2
        stream.addfile(note, io.BytesIO(b"hi"))


def test_the_sum_of_a_folder_turns_on_names_and_content(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one").write_text("1", encoding="utf-8")
    (tmp_path / "two").write_text("2", encoding="utf-8")
    lines = "".join(f"{hashlib.sha256(c.encode()).hexdigest()}  {n}\n" for n, c in (("a/one", "1"), ("two", "2")))
    assert data_sha256(tmp_path) == hashlib.sha256(lines.encode()).hexdigest()
    before = data_sha256(tmp_path)
    (tmp_path / "two").rename(tmp_path / "three")
    assert data_sha256(tmp_path) != before


def test_what_is_read_says_whether_it_is_what_was_released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "longmemeval.json"
    path.write_bytes((DATA / "longmemeval" / "longmemeval_s.json").read_bytes())
    released = RELEASED["longmemeval"]._replace(sha256=data_sha256(path))
    monkeypatch.setitem(RELEASED, "longmemeval", released)
    for end, is_released in (("", True), ("\n", False)):
        with path.open("a", encoding="utf-8") as stream:
            stream.write(end)
        _, sizes = dataset_rows("longmemeval", {"path": str(path)})["sizes"]
        assert {row["released"] for row in sizes} == {is_released}


def test_what_a_file_manager_leaves_is_none_of_the_data(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"x")
    before = data_sha256(tmp_path)
    (tmp_path / ".DS_Store").touch()
    assert data_sha256(tmp_path) == before


def test_memora_is_the_weekly_folder_of_an_archive(served: tuple[Path, str], tmp_path: Path) -> None:
    folder, url = served
    archive(folder / "memora.tar.gz")
    path = tmp_path / "data" / "weekly"
    released = Released("", f"{url}/memora.tar.gz", data_sha256(DATA / "memora" / "weekly"))
    assert fetch_dataset("memora", released, path).endswith(f"fetched from {url}/memora.tar.gz")
    assert data_sha256(path) == released.sha256
    assert [entry.name for entry in path.parent.iterdir()] == ["weekly"]


def test_factconsolidation_becomes_json(served: tuple[Path, str], tmp_path: Path) -> None:
    folder, url = served
    entries = json.loads((DATA / "factconsolidation" / "Conflict_Resolution.json").read_text(encoding="utf-8"))
    pq.write_table(pa.Table.from_pylist(entries), folder / "split.parquet")
    path = tmp_path / "factcons.json"
    wanted = hashlib.sha256(json.dumps(entries, ensure_ascii=False, indent=2).encode()).hexdigest()
    fetch_dataset("factcons", Released("", f"{url}/split.parquet", wanted), path)
    assert json.loads(path.read_text(encoding="utf-8")) == entries


def test_another_content_is_not_kept(served: tuple[Path, str], tmp_path: Path) -> None:
    folder, url = served
    (folder / "longmemeval.json").write_text("[]", encoding="utf-8")
    path = tmp_path / "data" / "longmemeval.json"
    released = Released("", f"{url}/longmemeval.json", "0" * 64)
    with pytest.raises(UserError, match=r"is not the data set \(sha256 is 4f53cda1.*not 0000.*\); fetch it by hand"):
        fetch_dataset("longmemeval", released, path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["served"]


def test_data_that_is_there_is_only_checked(tmp_path: Path) -> None:
    path = DATA / "longmemeval" / "longmemeval_s.json"
    released = Released("", "http://127.0.0.1:9/never-asked", data_sha256(path))
    assert fetch_dataset("longmemeval", released, path).endswith("there already")
    with pytest.raises(UserError, match=r"not 0000.*another release has other results: remove it, then fetch again"):
        fetch_dataset("longmemeval", released._replace(sha256="0" * 64), path)


def test_a_server_that_has_it_not_and_an_archive_that_is_none(served: tuple[Path, str], tmp_path: Path) -> None:
    folder, url = served
    path, released = tmp_path / "weekly", Released("", f"{url}/gone.tar.gz", "0" * 64)
    with pytest.raises(UserError, match=r"memora: .*gone\.tar\.gz cannot be fetched .*404"):
        fetch_dataset("memora", released, path)
    with tarfile.open(folder / "empty.tar.gz", "w:gz"):
        pass
    with pytest.raises(UserError, match="what its address gives is not the data set"):
        fetch_dataset("memora", released._replace(url=f"{url}/empty.tar.gz"), path)
    assert not (tmp_path / "weekly").exists()


def test_a_page_in_place_of_a_file_is_no_archive(served: tuple[Path, str], tmp_path: Path) -> None:
    folder, url = served
    (folder / "locomo10.json").write_text("<!DOCTYPE html>\n<html>sign in</html>", encoding="utf-8")
    with pytest.raises(
        UserError, match=r"locomo: .*is not the data set \(sha256 is .*, not 0000.*\); fetch it by hand"
    ):
        fetch_dataset("locomo", Released("", f"{url}/locomo10.json", "0" * 64), tmp_path / "locomo10.json")
    assert [entry.name for entry in tmp_path.iterdir()] == ["served"]


def _pax(name: str) -> bytes:
    """A tar whose only file has a name that its header could not hold."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", format=tarfile.PAX_FORMAT) as stream:
        member = tarfile.TarInfo("Memora/weekly/a.json")
        member.pax_headers = {"path": name}
        stream.addfile(member)
    return packed.getvalue()


def _deep(folders: int) -> bytes:
    """A tar of folders in each other, each with a file, which is deeper than Python's stack."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as stream:
        for depth in range(1, folders):
            stream.addfile(tarfile.TarInfo("/".join(["weekly", *["d"] * depth, "a"])))
    return packed.getvalue()


def _chained(headers: int) -> bytes:
    link = tarfile.TarInfo("././@LongLink")
    link.type, link.size = tarfile.GNUTYPE_LONGNAME, 2
    chain = (link.tobuf(tarfile.GNU_FORMAT) + b"a\0".ljust(512, b"\0")) * headers
    return gzip.compress(chain + tarfile.TarInfo("weekly/a").tobuf() + b"\0" * 1024)


def _parquet(column: pa.Array) -> bytes:
    written = io.BytesIO()
    pq.write_table(pa.table({"column": column}), written)
    return written.getvalue()


def _long_name(size: int) -> bytes:
    """A tar of a GNU name of `size` bytes, which packs to little."""
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, size
    return gzip.compress(header.tobuf() + b"a" * size, 1)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (_pax("Memora/weekly/a\0b"), "null"),
        (_pax("/".join(["Memora/weekly", *["d"] * 1900, "a"])), "name too long|recursion|RecursionError"),
        (_deep(1500), ""),
        (_chained(3000), ""),
        (_pax("Memora/daily/a"), "no folder weekly"),
        (b"PAR1 is not all", "cannot be read as Parquet"),
        (_parquet(pa.array([b"bytes"])), "not JSON serializable"),
        (_parquet(pa.array([1], pa.time64("us"))), "not JSON serializable"),
    ],
)
def test_a_hostile_file_is_one_line_that_names_the_key(
    served: tuple[Path, str], tmp_path: Path, content: bytes, said: str
) -> None:
    (served[0] / "file").write_bytes(content)
    path = tmp_path / ("factcons.json" if content.startswith(b"PAR1") else "weekly")
    released = Released("", f"{served[1]}/file", "0" * 64)
    with pytest.raises(UserError, match=rf"(?i)^memora: what its address gives is not .*({said}).*by hand$") as told:
        fetch_dataset("memora", released, path)
    assert "fetched/" not in str(told.value) and sorted(each.name for each in tmp_path.iterdir()) == ["served"]


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone keeps to a limit of memory")
def test_what_would_fill_the_memory_is_refused(
    served: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "_LIMITS", Limits(memory=64 << 20, seconds=60))
    # More than the allocator of a process that ran many tests may hold in reserve.
    (served[0] / "file").write_bytes(_long_name(400 << 20))
    path, released = tmp_path / "weekly", Released("", f"{served[1]}/file", "0" * 64)
    with pytest.raises(UserError, match=r"memora: .*more than 64 MiB of memory"):
        fetch_dataset("memora", released, path)


def test_two_that_fetch_at_once_have_it_once(served: tuple[Path, str], tmp_path: Path) -> None:
    content = b'{"a": 1}'
    (served[0] / "file").write_bytes(content)
    path, sha256 = tmp_path / "data" / "set.json", hashlib.sha256(content).hexdigest()
    released = Released("", f"{served[1]}/file", sha256)
    with ThreadPoolExecutor(4) as pool:
        said = sorted(pool.map(partial(fetch_dataset, "locomo", released), [path] * 4))
    assert path.read_bytes() == content
    assert ["fetched from" in line for line in said] == [True, False, False, False], said


def test_a_link_that_leads_nowhere_is_named(served: tuple[Path, str], tmp_path: Path) -> None:
    path = tmp_path / "weekly"
    path.symlink_to(tmp_path / "nothing")
    released = Released("", f"{served[1]}/file", "0" * 64)
    with pytest.raises(UserError, match="weekly: is there and holds no data; remove it"):
        fetch_dataset("memora", released, path)
