"""Fetching: from a server on loopback, checked against the pinned sum, and nothing left where it is not met."""

import hashlib
import io
import json
import tarfile
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forgeteval.errors import UserError
from lethe.crosseval.fetch import data_sha256, fetch_dataset

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
        stream.add(DATA / "memora", "Memora-a649/data/weekly")
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


def test_memora_is_the_weekly_folder_of_an_archive(served: tuple[Path, str], tmp_path: Path) -> None:
    folder, url = served
    archive(folder / "memora.tar.gz")
    path = tmp_path / "data" / "weekly"
    options = {"path": str(path), "url": f"{url}/memora.tar.gz", "sha256": data_sha256(DATA / "memora")}
    assert fetch_dataset("memora", options).endswith(f"fetched from {url}/memora.tar.gz")
    assert data_sha256(path) == options["sha256"]
    assert [entry.name for entry in path.parent.iterdir()] == ["weekly"]


def test_factconsolidation_becomes_json(served: tuple[Path, str], tmp_path: Path) -> None:
    folder, url = served
    entries = json.loads((DATA / "factcons.json").read_text(encoding="utf-8"))
    pq.write_table(pa.Table.from_pylist(entries), folder / "split.parquet")
    path = tmp_path / "factcons.json"
    wanted = hashlib.sha256(json.dumps(entries, ensure_ascii=False, indent=2).encode()).hexdigest()
    fetch_dataset("factcons", {"path": str(path), "url": f"{url}/split.parquet", "sha256": wanted})
    assert json.loads(path.read_text(encoding="utf-8")) == entries


def test_another_content_is_not_kept(served: tuple[Path, str], tmp_path: Path) -> None:
    folder, url = served
    (folder / "longmemeval.json").write_text("[]", encoding="utf-8")
    path = tmp_path / "data" / "longmemeval.json"
    options = {"path": str(path), "url": f"{url}/longmemeval.json", "sha256": "0" * 64}
    with pytest.raises(UserError, match=r"sha256 is 4f53cda1.*not the 0000.*crosseval\.longmemeval\.sha256"):
        fetch_dataset("longmemeval", options)
    assert [entry.name for entry in tmp_path.iterdir()] == ["served"]


def test_data_that_is_there_is_only_checked(tmp_path: Path) -> None:
    path = DATA / "longmemeval_s.json"
    options = {"path": str(path), "url": "http://127.0.0.1:9/never-asked", "sha256": data_sha256(path)}
    assert fetch_dataset("longmemeval", options).endswith("there already")
    with pytest.raises(UserError, match="and none is pinned"):
        fetch_dataset("longmemeval", {**options, "sha256": ""})


def test_nothing_is_fetched_without_a_pinned_sum(tmp_path: Path) -> None:
    options = {"path": str(tmp_path / "none.json"), "url": "http://127.0.0.1:9/never-asked", "sha256": ""}
    with pytest.raises(UserError, match=r"crosseval\.longmemeval\.sha256: no checksum is pinned"):
        fetch_dataset("longmemeval", options)


def test_a_server_that_has_it_not_and_an_archive_that_is_none(served: tuple[Path, str], tmp_path: Path) -> None:
    folder, url = served
    options = {"path": str(tmp_path / "weekly"), "url": f"{url}/gone.tar.gz", "sha256": "0" * 64}
    with pytest.raises(UserError, match=r"crosseval\.memora\.url: .*gone\.tar\.gz cannot be fetched .*404"):
        fetch_dataset("memora", options)
    with tarfile.open(folder / "empty.tar.gz", "w:gz"):
        pass
    with pytest.raises(UserError, match="its content is not the data set"):
        fetch_dataset("memora", {**options, "url": f"{url}/empty.tar.gz"})
    assert not (tmp_path / "weekly").exists()
