"""Vectors are embedded once and found again by another object, another process and another run."""

import functools
import multiprocessing
import os
import random
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from forgeteval.embed.disk_cache import DiskCache, remembering
from forgeteval.embed.embedder import CachedEmbedder, Vectors
from tests.forgeteval.embed.support import Foreseen, vectors_of

TEXTS = [f"Text {number} of a run." for number in range(40)]
MANY = [f"The {number}th fact of a suite, about a dentist who moved to Thursday." for number in range(4000)]


@pytest.fixture
def embedder() -> Foreseen:
    return Foreseen()


def cached(folder: Path, embedder: Foreseen | None = None, name: str = "foreseen 1") -> DiskCache:
    return DiskCache(embedder or Foreseen(), name, folder)


def assert_right(found: Vectors, texts: Sequence[str]) -> None:
    np.testing.assert_array_equal(found, vectors_of(texts))


def asked(embedder: Foreseen) -> list[str]:
    return [text for batch in embedder.batches for text in batch]


def test_vectors_come_in_the_order_of_the_texts(tmp_path: Path) -> None:
    texts = [TEXTS[3], TEXTS[0], TEXTS[3]]
    found = cached(tmp_path).embed(texts)
    assert found.dtype == np.float32
    assert_right(found, texts)


def test_a_text_is_embedded_once(tmp_path: Path, embedder: Foreseen) -> None:
    cache = cached(tmp_path, embedder)
    cache.embed([TEXTS[0], TEXTS[0]])
    cache.embed(TEXTS[:2])
    assert asked(embedder) == TEXTS[:2]
    assert cache.new_texts == 2


def test_the_next_run_embeds_nothing(tmp_path: Path, embedder: Foreseen) -> None:
    cached(tmp_path).embed(TEXTS)
    again = cached(tmp_path, embedder)
    assert_right(again.embed(TEXTS), TEXTS)
    assert again.new_texts == 0
    assert embedder.batches == []


def test_the_next_run_embeds_only_what_is_new(tmp_path: Path, embedder: Foreseen) -> None:
    cached(tmp_path).embed(TEXTS[:30])
    assert_right(cached(tmp_path, embedder).embed(TEXTS), TEXTS)
    assert sorted(asked(embedder)) == sorted(TEXTS[30:])


def test_another_name_has_vectors_of_its_own(tmp_path: Path, embedder: Foreseen) -> None:
    cached(tmp_path, name="foreseen 1").embed(TEXTS)
    cached(tmp_path, embedder, name="foreseen-1").embed(TEXTS)
    assert sorted(asked(embedder)) == sorted(TEXTS)


def test_no_texts_make_no_rows_and_no_file(tmp_path: Path) -> None:
    cache = cached(tmp_path)
    assert cache.embed([]).shape == (0, 8)
    assert not cache.path.exists()


def test_any_text_has_a_key(tmp_path: Path, embedder: Foreseen) -> None:
    texts = ["", "é", "é", "\x00", "\ud800 alone"]
    cached(tmp_path).embed(texts)
    assert_right(cached(tmp_path, embedder).embed(texts), texts)
    assert embedder.batches == []


def test_texts_are_not_in_the_file(tmp_path: Path) -> None:
    cache = cached(tmp_path)
    cache.embed(["the secret word is quincunx"])
    assert b"quincunx" not in cache.path.read_bytes()


def test_new_texts_are_embedded_in_batches_the_longest_first(tmp_path: Path, embedder: Foreseen) -> None:
    DiskCache(embedder, "small batches", tmp_path, batch_size=2).embed(["a", "ccc", "bb", "dddd", "ccc"])
    assert embedder.batches == [["dddd", "ccc"], ["bb", "a"]]


def test_prefetch_tells_of_each_distinct_text_once(tmp_path: Path) -> None:
    cached(tmp_path).embed(TEXTS[:10])
    told: list[int] = []
    cache = DiskCache(Foreseen(), "foreseen 1", tmp_path, batch_size=20)
    cache.prefetch([*TEXTS, *TEXTS], told.append)
    assert told == [10, 20, 10]
    told.clear()
    cache.prefetch(TEXTS, told.append)
    assert told == [40]


def test_a_killed_run_keeps_the_batches_that_were_done(tmp_path: Path, embedder: Foreseen) -> None:
    class Dying(Foreseen):
        def embed(self, texts: Sequence[str]) -> Vectors:
            if len(self.batches) == 3:
                raise KeyboardInterrupt
            return super().embed(texts)

    with pytest.raises(KeyboardInterrupt):
        DiskCache(Dying(), "foreseen 1", tmp_path, batch_size=10).embed(TEXTS)
    cached(tmp_path, embedder).embed(TEXTS)
    assert len(asked(embedder)) == 10


def test_four_thousand_vectors_are_read_in_a_moment(tmp_path: Path) -> None:
    cached(tmp_path, Foreseen(384)).prefetch(MANY)
    cache = cached(tmp_path, Foreseen(384))
    started = time.process_time()
    cache.embed(MANY)
    assert time.process_time() - started < 0.3
    assert cache.new_texts == 0


def test_what_is_asked_again_is_not_read_again(tmp_path: Path) -> None:
    cache = cached(tmp_path)
    cache.embed(TEXTS)
    cache.path.unlink()
    assert_right(cache.embed(TEXTS), TEXTS)
    assert cache.new_texts == len(TEXTS)


class Slow(Foreseen):
    """Takes long enough that processes write at the same time."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        time.sleep(0.002)
        return super().embed(texts)


def embed_in_this_process(folder: Path, first: int, barrier: Any, found: Any) -> None:
    barrier.wait()
    cache = DiskCache(Slow(), "shared", folder, batch_size=3)
    texts = [f"Shared {number}" for number in range(first, first + 60)]
    right = bool((cache.embed(texts) == vectors_of(texts)).all())
    found.put((right, cache.new_texts))


def test_processes_share_one_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    spawn = multiprocessing.get_context("spawn")
    barrier, found = spawn.Barrier(3), spawn.Queue()
    starts = (0, 20, 40)
    writers = [spawn.Process(target=embed_in_this_process, args=(tmp_path, first, barrier, found)) for first in starts]
    for writer in writers:
        writer.start()
    results = [found.get(timeout=60) for _ in writers]
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    assert [right for right, _ in results] == [True, True, True]
    assert capfd.readouterr().err == ""
    texts = [f"Shared {number}" for number in range(100)]
    cache = cached(tmp_path, name="shared")
    assert_right(cache.embed(texts), texts)
    assert cache.new_texts == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
def test_a_forked_process_goes_on_with_the_same_cache(tmp_path: Path) -> None:
    cache = cached(tmp_path)
    cache.embed(TEXTS[:5])
    fork = multiprocessing.get_context("fork")
    child = fork.Process(target=functools.partial(cache.embed, TEXTS[:20]))
    child.start()
    child.join()
    assert child.exitcode == 0
    assert_right(cache.embed(TEXTS), TEXTS)
    assert cache.new_texts == 5 + 20


def one_warning(capsys: pytest.CaptureFixture[str]) -> str:
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("warning: ")
    return str(line)


@pytest.mark.parametrize(
    "content", [b"not a database" * 500, b"SQLite format 3\x00" + b"\xff" * 5000], ids=["text", "header"]
)
def test_a_file_that_is_no_database_is_put_aside(
    tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    path = cached(tmp_path).path
    path.write_bytes(content)
    assert_right(cached(tmp_path).embed(TEXTS), TEXTS)
    line = one_warning(capsys)
    assert str(path) in line
    assert "damaged" in line
    assert path.with_name(path.name + ".aside").read_bytes() == content
    assert cached(tmp_path).embed(TEXTS).shape == (40, 8)
    assert capsys.readouterr().err == ""


def test_a_file_that_is_cut_off_is_put_aside(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = cached(tmp_path).path
    cached(tmp_path).embed(TEXTS)
    with path.open("r+b") as stream:
        stream.truncate(path.stat().st_size - 4096)
    assert_right(cached(tmp_path).embed(TEXTS), TEXTS)
    assert "damaged" in one_warning(capsys)


def test_a_changed_vector_is_never_given_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = cached(tmp_path).path
    cached(tmp_path).embed(TEXTS)
    content = path.read_bytes()
    stored = vectors_of(TEXTS[:1]).tobytes()
    assert content.count(stored) == 1
    path.write_bytes(content.replace(stored, vectors_of(["another text"]).tobytes()))
    assert_right(cached(tmp_path).embed(TEXTS), TEXTS)
    assert "a checksum is wrong" in one_warning(capsys)


def test_vectors_of_two_texts_that_changed_places_are_not_given_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = cached(tmp_path).path
    cached(tmp_path).embed(TEXTS[:2])
    connection = sqlite3.connect(path)
    (one, first), (two, second) = connection.execute("SELECT key, vector FROM vectors").fetchall()
    connection.executemany("UPDATE vectors SET vector = ? WHERE key = ?", [(second, one), (first, two)])
    connection.commit()
    connection.close()
    assert_right(cached(tmp_path).embed(TEXTS[:2]), TEXTS[:2])
    assert "a checksum is wrong" in one_warning(capsys)


@pytest.mark.parametrize("seed", range(30))
def test_whatever_bytes_change_the_vectors_are_right(tmp_path: Path, seed: int) -> None:
    path = cached(tmp_path).path
    cached(tmp_path).embed(TEXTS)
    drawn = random.Random(seed)
    content = bytearray(path.read_bytes())
    for _ in range(drawn.choice([1, 10, 300])):
        content[drawn.randrange(len(content))] = drawn.randrange(256)
    path.write_bytes(content)
    assert_right(cached(tmp_path).embed(TEXTS), TEXTS)
    assert_right(cached(tmp_path).embed(TEXTS), TEXTS)


def test_vectors_of_another_dimension_are_put_aside(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cached(tmp_path, Foreseen(3)).embed(TEXTS)
    assert_right(cached(tmp_path).embed(TEXTS), TEXTS)
    assert "its vectors have 3 numbers, new ones 8" in one_warning(capsys)
    assert cached(tmp_path).path.with_name(cached(tmp_path).path.name + ".aside").exists()


def test_a_file_of_a_later_version_is_put_aside(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cached(tmp_path).embed(TEXTS)
    connection = sqlite3.connect(cached(tmp_path).path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    assert_right(cached(tmp_path).embed(TEXTS), TEXTS)
    assert "another version" in one_warning(capsys)


def test_a_damaged_file_that_is_only_written_to_is_put_aside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], embedder: Foreseen
) -> None:
    cache = cached(tmp_path)
    cache.embed(TEXTS[:1])
    cache.path.write_bytes(b"not a database" * 500)
    cache._file.write({TEXTS[1]: vectors_of(TEXTS[1:2])[0]})
    assert "damaged" in one_warning(capsys)
    assert_right(cached(tmp_path, embedder).embed(TEXTS[1:2]), TEXTS[1:2])
    assert embedder.batches == []


def test_without_a_folder_vectors_last_as_long_as_the_object(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], embedder: Foreseen
) -> None:
    (tmp_path / "in the way").write_text("a file")
    cache = DiskCache(embedder, "nowhere", tmp_path / "in the way" / "vectors", batch_size=7)
    assert_right(cache.embed(TEXTS), TEXTS)
    assert_right(cache.embed(TEXTS), TEXTS)
    assert len(asked(embedder)) == len(TEXTS)
    line = one_warning(capsys)
    assert "vectors cannot be kept (Not a directory)" in line
    assert "FORGETEVAL_CACHE" in line


def test_a_full_disk_stops_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, embedder: Foreseen
) -> None:
    cached(tmp_path).embed(TEXTS[:5])
    connect = sqlite3.connect

    def connect_to_full_disk(*given: Any, **named: Any) -> sqlite3.Connection:
        connection = connect(*given, **named)
        connection.execute("PRAGMA max_page_count = 1")
        return connection

    monkeypatch.setattr(sqlite3, "connect", connect_to_full_disk)
    many = MANY[:1000]
    cache = cached(tmp_path, embedder)
    assert_right(cache.embed([*TEXTS[:5], *many]), [*TEXTS[:5], *many])
    assert "vectors cannot be kept (database or disk is full)" in one_warning(capsys)
    monkeypatch.undo()
    again = cached(tmp_path)
    again.embed(TEXTS[:5])
    assert again.new_texts == 0


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Nothing in the folder can be written; root, whom no permission binds, is somebody else meanwhile."""
    root = os.geteuid() == 0
    for path in (*folder.iterdir(), folder):
        path.chmod(0o555)
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o755)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder below which everybody may read."""
    if not hasattr(os, "geteuid"):
        pytest.skip("this platform has other permissions")
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def test_vectors_in_a_folder_that_cannot_be_written_are_read(
    open_folder: Path, capsys: pytest.CaptureFixture[str], embedder: Foreseen
) -> None:
    cached(open_folder).embed(TEXTS[:30])
    with read_only(open_folder):
        assert_right(cached(open_folder, embedder).embed(TEXTS), TEXTS)
    assert sorted(asked(embedder)) == sorted(TEXTS[30:])
    assert "vectors cannot be kept (attempt to write a readonly database)" in one_warning(capsys)


def test_a_file_is_not_begun_in_a_folder_that_cannot_be_written(
    open_folder: Path, capsys: pytest.CaptureFixture[str], embedder: Foreseen
) -> None:
    cache = DiskCache(embedder, "foreseen 1", open_folder, batch_size=7)
    with read_only(open_folder):
        assert_right(cache.embed(TEXTS), TEXTS)
    assert "vectors cannot be kept (unable to open database file)" in one_warning(capsys)


def test_a_damaged_file_that_cannot_be_renamed_is_done_without(
    open_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cached(open_folder).path.write_bytes(b"not a database" * 500)
    with read_only(open_folder):
        assert_right(cached(open_folder).embed(TEXTS), TEXTS)
    line = one_warning(capsys)
    assert "it is damaged" in line
    assert "cannot be renamed (Permission denied)" in line


def test_a_locked_file_is_done_without(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forgeteval.embed.vector_file._WAIT_S", 0.1)
    cached(tmp_path).embed(TEXTS[:5])
    other = sqlite3.connect(cached(tmp_path).path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    assert_right(cached(tmp_path).embed(TEXTS), TEXTS)
    other.close()
    assert "vectors cannot be kept (database is locked)" in one_warning(capsys)


def test_vectors_are_kept_in_the_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORGETEVAL_CACHE", str(tmp_path))
    cache = DiskCache(Foreseen(), "a name / with: signs")
    cache.embed(TEXTS)
    assert cache.path.parent == tmp_path / "vectors"
    assert cache.path.name.startswith("a-name-with-signs-")
    assert cache.path.exists()


def test_an_embedder_with_a_name_is_remembered_on_disk(tmp_path: Path) -> None:
    class Named(Foreseen):
        name = "foreseen 2"

    remembered = remembering(Named(), tmp_path)
    assert isinstance(remembered, DiskCache)
    assert remembered.name == "foreseen 2"


def test_an_embedder_without_a_name_is_remembered_as_long_as_it_lasts(tmp_path: Path, embedder: Foreseen) -> None:
    remembered = remembering(embedder, tmp_path)
    assert isinstance(remembered, CachedEmbedder)
    remembered.embed(TEXTS)
    remembered.embed(TEXTS)
    assert asked(embedder) == TEXTS
    assert not list(tmp_path.iterdir())
