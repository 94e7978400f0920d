import base64
import bz2
import gzip
import io
import lzma
import os
import pickle
import sqlite3
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import apsw
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forgeteval.errors import UserError
from forgeteval.limits import MOST_BYTES
from lethe.residue import unpacking
from lethe.residue.scanning import Scanner, Trace

MARKER = "cw5dr4gd3vz9rc5ck2pp3tj9"
TEXT = f"The door code of the boathouse is {MARKER}."
OTHER = "Swallows nest under the roof of the mill, " * 40
NUMBERS = " ".join(map(str, range(35_000))).encode()
VECTOR = np.random.default_rng(3).normal(size=64).astype(np.float32)


def scan(*paths: Path) -> list[Trace]:
    return Scanner(MARKER, VECTOR).scan((path.name, path) for path in paths)


def kinds(traces: list[Trace]) -> set[str]:
    return {trace.kind for trace in traces}


def _arrow(codec: str) -> Callable[[bytes], bytes]:
    def pack(data: bytes) -> bytes:
        sink = pa.BufferOutputStream()
        with pa.CompressedOutputStream(sink, codec) as stream:
            stream.write(data)
        return bytes(sink.getvalue())

    return pack


def _zip(method: int) -> Callable[[bytes], bytes]:
    def pack(data: bytes) -> bytes:
        sink = io.BytesIO()
        with zipfile.ZipFile(sink, "w", method) as archive:
            archive.writestr("notes.txt", data)
        return sink.getvalue()

    return pack


def _zlib(level: int, window: int) -> Callable[[bytes], bytes]:
    def pack(data: bytes) -> bytes:
        packer = zlib.compressobj(level, zlib.DEFLATED, window)
        return packer.compress(data) + packer.flush()

    return pack


PACKERS = {
    "gzip": gzip.compress,
    "zlib": zlib.compress,
    **{f"zlib, {level}, {window}": _zlib(level, window) for level, window in ((1, 9), (5, 12), (6, 14), (9, 11))},
    "bzip2": lambda data: bz2.compress(data, 1),
    "xz": lzma.compress,
    "zstd": _arrow("zstd"),
    "LZ4": _arrow("lz4"),
    "zip": _zip(zipfile.ZIP_DEFLATED),
    "zip, LZMA": _zip(zipfile.ZIP_LZMA),
}


def both(packer: str) -> set[tuple[str, str]]:
    """What is found of a text and a vector that it packed: its form is its name's first word."""
    form, *_ = packer.split(",")
    return {("text", form), ("vector", form)}


@pytest.mark.parametrize("form", PACKERS)
def test_what_is_packed_is_unpacked(form: str, tmp_path: Path) -> None:
    path = tmp_path / "packed"
    path.write_bytes(b"head" + PACKERS[form]((OTHER + TEXT).encode() + VECTOR.tobytes()) + b"tail")
    assert {(trace.kind, trace.where) for trace in scan(path) if trace.where} == both(form)


@pytest.mark.parametrize("codec", ["none", "snappy", "zstd", "gzip", "lz4", "brotli"])
def test_parquet_of_every_codec_is_read(codec: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    vectors = pa.array([VECTOR.tolist()], pa.list_(pa.float32()))
    pq.write_table(pa.table({"text": [OTHER + TEXT], "vector": vectors}), path, compression=codec)
    assert {("text", "Parquet"), ("vector", "Parquet")} <= {(trace.kind, trace.where) for trace in scan(path)}


@pytest.mark.parametrize("form", PACKERS)
def test_of_a_stream_that_breaks_off_the_beginning_is_read(form: str, tmp_path: Path) -> None:
    path = tmp_path / "broken"
    # So little of zstd and LZ4 that Arrow unpacks the text and comes to the break at once.
    after = (OTHER * 400).encode() if form in ("zstd", "LZ4") else NUMBERS
    packed = PACKERS[form]((OTHER + TEXT).encode() + after)
    path.write_bytes(packed[: len(packed) * 3 // 4] + b"\xff" * 4_000)
    assert both(form) & {(trace.kind, trace.where) for trace in scan(path)}


@pytest.mark.parametrize("codec", ["none", "zstd"])
@pytest.mark.parametrize("nested", [False, True])
def test_a_parquet_file_of_dictionaries_is_read(codec: str, nested: bool, tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    texts = [*(f"{OTHER}{number}" for number in range(99)), OTHER + TEXT]
    kind = pa.dictionary(pa.int32(), pa.string())
    column = pa.array([[{"text": text}] for text in texts], pa.list_(pa.struct([("text", kind)])))
    table = pa.table({"text": column if nested else pa.array(texts).dictionary_encode()})
    pq.write_table(table, path, compression=codec, row_group_size=10)
    assert ("text", "Parquet") in {(trace.kind, trace.where) for trace in scan(path)}


def test_what_is_packed_in_a_parquet_file_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"blob": [zlib.compress((OTHER + TEXT).encode())]}), path, compression="none")
    assert [(trace.kind, trace.where) for trace in scan(path)] == [("text", "zlib")]


@pytest.mark.parametrize("form", ["gzip", "zstd", "zip, LZMA"])
def test_what_unpacks_to_too_much_is_not_clean(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "_MOST_BYTES", 1 << 20)
    path = tmp_path / "packed"
    path.write_bytes(PACKERS[form](bytes(1 << 20)))
    assert scan(path) == []
    path.write_bytes(PACKERS[form](bytes(1 << 20) + TEXT.encode()))
    with pytest.raises(UserError, match=f"reading packed: {form[:3]}.* at byte 0 unpacks to more than 1 MiB"):
        scan(path)


def test_a_table_that_finds_no_room_is_not_clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def without_room(source: object) -> pa.Table:
        raise pa.ArrowMemoryError("malloc of size 6442450944 failed")

    path = tmp_path / "table.parquet"
    pq.write_table(pa.table({"text": [TEXT]}), path)
    monkeypatch.setattr(pq, "read_table", without_room)
    with pytest.raises(UserError, match=r"reading table\.parquet: Parquet unpacks to more than 1024 MiB"):
        scan(path)


@pytest.mark.parametrize("codec", ["snappy", "lz4_raw"])
def test_a_block_without_a_header_keeps_the_marker_as_it_is(codec: str, tmp_path: Path) -> None:
    path = tmp_path / "block"
    path.write_bytes(pa.compress((OTHER + TEXT + OTHER).encode(), codec=codec, asbytes=True))
    assert [(trace.kind, trace.form) for trace in scan(path)] == [("text", "UTF-8")]


def test_a_pickle_and_a_plain_file_are_read(tmp_path: Path) -> None:
    path = tmp_path / "index.pickle"
    path.write_bytes(pickle.dumps({"document": TEXT, "vector": VECTOR.tolist()}))
    assert {(trace.kind, trace.form) for trace in scan(path)} == {("text", "UTF-8"), ("vector", "pickled numbers")}


def test_a_sentence_is_told_from_its_words(tmp_path: Path) -> None:
    path = tmp_path / "store"

    def found() -> set[tuple[str, str]]:
        return {(trace.kind, trace.where) for trace in Scanner(MARKER, VECTOR, TEXT).scan([("store", path)])}

    for words in (f'["door", "code", "boathouse", "{MARKER}."]', f"boathouse\x00{MARKER}\x00door"):
        path.write_text(words, encoding="utf-8")
        assert found() == {("text", "")}
    for written in (TEXT, TEXT.upper(), TEXT.lower()):
        for encoding in ("utf-8", "utf-16-le", "utf-32-be"):
            path.write_text(written if encoding == "utf-8" else TEXT, encoding=encoding)
            assert found() == {("text", ""), ("sentence", "")}
    path.write_bytes(gzip.compress(TEXT.encode()))
    assert found() == {("text", "gzip"), ("sentence", "gzip")}
    path.write_bytes(bytes(byte ^ 7 for byte in TEXT.encode()))
    assert found() == {("text", ""), ("sentence", "")}


def test_a_row_a_deleted_row_and_a_vacuumed_file_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "rows.sqlite3"
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA secure_delete = off")
        database.execute("CREATE TABLE queue (id INTEGER PRIMARY KEY, body TEXT, vector BLOB)")
        database.executemany(
            "INSERT INTO queue VALUES (?, ?, ?)", [(1, TEXT, VECTOR.tobytes()), (2, OTHER, None), (3, OTHER, None)]
        )
        database.commit()
        assert set(scan(path)) == {
            Trace("text", path.name, "table queue, row", "UTF-8"),
            Trace("vector", path.name, "table queue", "float32"),
        }
        database.execute("DELETE FROM queue WHERE id = 1")
        database.commit()
        assert Trace("text", path.name, "table queue, free space", "UTF-8") in scan(path)
        database.execute("VACUUM")
        assert not scan(path)
    database.close()


def test_a_page_that_was_given_back_is_a_free_page(tmp_path: Path) -> None:
    path = tmp_path / "dropped.sqlite3"
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA secure_delete = off")
        database.execute("CREATE TABLE gone (body TEXT)")
        database.execute("INSERT INTO gone VALUES (?)", (TEXT,))
        database.commit()
        database.execute("DROP TABLE gone")
        database.commit()
        assert [trace.where for trace in scan(path)] == ["free page"]
    database.close()


def test_a_text_that_spills_over_to_other_pages_is_found(tmp_path: Path) -> None:
    for length in range(3900, 4100, 5):
        path = tmp_path / f"{length}.sqlite3"
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE long (body TEXT)")
            database.execute("INSERT INTO long VALUES (?)", ("x" * length + TEXT + "y" * 5000,))
        database.close()
        assert "text" in kinds(scan(path))


@pytest.mark.parametrize("form", PACKERS)
@pytest.mark.parametrize("options", ["", "WITHOUT ROWID"])
def test_what_is_packed_over_many_pages_is_unpacked(form: str, options: str, tmp_path: Path) -> None:
    path = tmp_path / "archive.sqlite3"
    with sqlite3.connect(path) as database:
        database.execute(f'CREATE TABLE "a""b" (id INTEGER PRIMARY KEY, "x""y") {options}')
        database.execute(
            'INSERT INTO "a""b" VALUES (1, ?)', (PACKERS[form](NUMBERS + TEXT.encode() + VECTOR.tobytes()),)
        )
    database.close()
    assert both(form) <= {(trace.kind, trace.where) for trace in scan(path)}


def test_what_is_packed_in_a_damaged_database_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "archive.sqlite3"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE archive (blob)")
        database.execute("INSERT INTO archive VALUES (?)", (zlib.compress(NUMBERS + TEXT.encode()),))
        database.execute("CREATE TABLE other (text)")
        (page,) = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'other'").fetchone()
    database.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xff" * 4096)
    assert [(trace.kind, trace.where) for trace in scan(path)] == [("text", "zlib")]


def test_a_write_ahead_log_is_read_and_its_older_pages_are_named(tmp_path: Path) -> None:
    path = tmp_path / "logged.sqlite3"
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode = wal")
    database.execute("PRAGMA secure_delete = on")
    database.execute("CREATE TABLE facts (id INTEGER PRIMARY KEY, body TEXT)")
    database.execute("INSERT INTO facts VALUES (1, ?)", (TEXT,))
    log = path.with_name(f"{path.name}-wal")
    files = [("main", path), ("log", log)]
    assert [trace.where for trace in Scanner(MARKER, VECTOR).scan(files)] == ["write-ahead log of table facts, row"]
    database.execute("DELETE FROM facts")
    assert [trace.where for trace in Scanner(MARKER, VECTOR).scan(files)] == ["write-ahead log, an older page"]
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert not Scanner(MARKER, VECTOR).scan(files)
    database.close()


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16"])
@pytest.mark.parametrize("using", ["USING fts5", "USING FTS5", "\n  using\n  Fts5 ", 'USING "fts5"'])
@pytest.mark.parametrize("tokenizer", ["unicode61", "porter unicode61", "trigram"])
def test_terms_of_a_deleted_row_are_found_in_a_full_text_index(
    tokenizer: str, using: str, encoding: str, tmp_path: Path
) -> None:
    path = tmp_path / "index.sqlite3"
    database = apsw.Connection(str(path))
    database.execute(f"PRAGMA encoding = '{encoding}'")
    database.execute(f"CREATE VIRTUAL TABLE words {using}(body, content='', tokenize='{tokenizer}')")
    for row, text in enumerate([OTHER, TEXT, f"{MARKER[:10]} another"], 1):
        database.execute("INSERT INTO words (rowid, body) VALUES (?, ?)", (row, text))
    database.execute("INSERT INTO words (words, rowid, body) VALUES ('delete', 2, ?)", (TEXT,))
    found = scan(path)
    database.execute("INSERT INTO words (words) VALUES ('optimize')")
    database.execute("VACUUM")
    left = scan(path)
    database.close()
    assert Trace("token", path.name, "full-text index words_data", "terms") in found
    assert kinds(found) == {"token"}
    assert "terms" not in {trace.form for trace in left}


def test_a_file_that_changed_is_looked_through_again(tmp_path: Path) -> None:
    path, scanner = tmp_path / "notes", Scanner(MARKER, VECTOR)
    path.write_text(TEXT, encoding="utf-8")
    assert scanner.scan([("notes", path)])
    path.write_text(OTHER, encoding="utf-8")
    assert not scanner.scan([("notes", path)])
    path.unlink()
    assert not scanner.scan([("notes", path)])


def test_a_file_that_only_calls_itself_a_database_is_read_as_bytes(tmp_path: Path) -> None:
    path = tmp_path / "broken.sqlite3"
    path.write_bytes(b"SQLite format 3\x00" + bytes(200) + TEXT.encode())
    assert [(trace.kind, trace.where) for trace in scan(path)] == [("text", "")]


def test_a_name_that_a_system_chose_is_no_command(tmp_path: Path) -> None:
    outside, path = tmp_path / "outside", tmp_path / "store"
    name = f"a'); ATTACH DATABASE '{outside}' AS p; CREATE TABLE p.t(x); --"
    with sqlite3.connect(path) as database:
        database.execute(f'CREATE TABLE "{name}" (text)')
        database.execute(f'INSERT INTO "{name}" VALUES (?)', (TEXT,))
    database.close()
    assert [trace.where for trace in scan(path)] == [f"table {name}, row"]
    assert not outside.exists()


def test_a_view_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "store"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE facts (text)")
        database.execute("CREATE TABLE facts_idx (text)")
        database.execute("CREATE TABLE facts_config (text)")
        database.execute("INSERT INTO facts (text) VALUES (?)", (TEXT,))
        endless = (
            "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x << 40 AS id, x AS block FROM n"
        )
        database.execute(f"CREATE VIEW facts_data AS {endless}")
    database.close()
    assert [trace.where for trace in scan(path)] == ["table facts, row"]


@pytest.mark.parametrize("suffix", ["-wal", "-journal"])
def test_a_log_that_is_a_device_is_no_log(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / "store"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE facts (text)")
        database.execute("INSERT INTO facts VALUES (?)", (TEXT,))
    database.close()
    path.with_name(f"store{suffix}").symlink_to("/dev/zero")
    assert [trace.where for trace in scan(path)] == ["table facts, row"]


@pytest.mark.parametrize("block", ["'text'", "NULL", "-5", "100000000"])
def test_what_only_looks_like_an_index_breaks_no_look(tmp_path: Path, block: str) -> None:
    path = tmp_path / "store"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE facts (text)")
        database.execute("CREATE TABLE facts_idx (text)")
        database.execute("CREATE TABLE facts_config (text)")
        database.execute("INSERT INTO facts VALUES (?)", (TEXT,))
        database.execute("CREATE TABLE facts_data (id INTEGER PRIMARY KEY, block)")
        database.execute(f"INSERT INTO facts_data VALUES (?, {block})", (1 << 37,))
    database.close()
    assert [trace.where for trace in scan(path)] == ["table facts, row"]


def test_a_table_with_a_name_that_is_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "store"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE facts (text)")
        database.execute("INSERT INTO facts VALUES (?)", (TEXT,))
    database.close()
    path.write_bytes(path.read_bytes().replace(b"facts", b"f\xffcts"))
    assert kinds(scan(path)) == {"text"}


def test_a_file_that_cannot_be_read_is_not_gone(tmp_path: Path) -> None:
    path = tmp_path / "store"
    with path.open("wb") as file:
        file.write(MARKER.encode())
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(UserError, match=r"reading store: larger than .* bytes; no larger file is read"):
        scan(path)
    (tmp_path / "link").symlink_to("nowhere")
    (tmp_path / "device").symlink_to("/dev/zero")
    (tmp_path / "-wal").write_text(TEXT)
    assert kinds(scan(tmp_path / "link", tmp_path / "device", tmp_path / "-wal")) == {"text"}


def test_a_table_in_place_of_the_statistics_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE facts (text)")
        database.execute("INSERT INTO facts VALUES (?)", (TEXT,))
        database.execute("CREATE TABLE dbstat (name, pageno)")
        database.execute("INSERT INTO dbstat VALUES ('facts', 'one')")
    database.close()
    assert [trace.where for trace in scan(path)] == ["table facts, row"]


NAMES = {
    "UTF-8": f"{MARKER}.md",
    "UTF-8, capitals": MARKER.upper(),
    "UTF-8, percent-encoded": "".join(f"%{byte:02x}" for byte in MARKER.encode()),
    "base64": base64.urlsafe_b64encode(MARKER.encode()).decode(),
    "hexadecimal": MARKER.encode().hex(),
}


@pytest.mark.parametrize("form", NAMES)
def test_a_name_and_the_target_of_a_link_are_read(form: str, tmp_path: Path) -> None:
    path = tmp_path / NAMES[form]
    path.touch()
    assert scan(path) == [Trace("text", path.name, "its name", form)]
    path.unlink()
    path.mkdir()
    assert scan(path) == [Trace("text", path.name, "its name", form)]
    link = tmp_path / "link"
    link.symlink_to(path.name)
    assert scan(link) == [Trace("text", "link", "target of the link", form)]


def test_a_name_that_is_a_sentence_is_told_from_a_word(tmp_path: Path) -> None:
    path = tmp_path / TEXT
    path.touch()
    assert {(trace.kind, trace.where) for trace in Scanner(MARKER, VECTOR, TEXT).scan([("file", path)])} == {
        ("text", "its name"),
        ("sentence", "its name"),
    }


def test_extended_attributes_are_read(tmp_path: Path) -> None:
    folder, file = tmp_path / "folder", tmp_path / "file"
    folder.mkdir()
    file.touch()
    try:
        os.setxattr(folder, f"user.{MARKER}", b"")
        os.setxattr(file, "user.text", TEXT.encode() + VECTOR.tobytes())
    except OSError as error:
        pytest.skip(f"no extended attributes here: {error}")
    assert set(scan(folder, file)) == {
        Trace("text", "folder", "attribute", "UTF-8"),
        Trace("text", "file", "attribute", "UTF-8"),
        Trace("vector", "file", "attribute", "float32"),
    }
