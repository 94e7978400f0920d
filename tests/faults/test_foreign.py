"""Files from outside that break, fill or hold up whoever reads them: read in a process of their own, and named."""

import base64
import contextlib
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from forgeteval.errors import Terminated, UserError
from forgeteval.foreign import Ended, apart, reading, room
from forgeteval.json_records import parse_json, read_object
from forgeteval.limits import DEEPEST, Limits
from forgeteval.yaml_data import read_yaml
from lethe import parquet
from lethe.config.reading import check_files
from lethe.config.submission import SUBMISSION_FILE, TRIALS_FILE
from lethe.fingerprints import sha256_of
from lethe.parquet import check_foreign, read_foreign, read_rows, write_rows
from lethe.schemas import MANIFEST
from lethe.store import read_key
from lethe.store.cli.commands import store
from lethe.store.errors import LetheError
from lethe.trust import check
from lethe.trust.admit import admit
from lethe.trust.bundle import unpack_bundle, write_bundle
from lethe.trust.check import audit_apart
from lethe.trust.folder import MANIFEST_FILE, PAGES, VERSIONS_FILE
from lethe.trust.signature import sign
from lethe.trust.submit import submit
from tests.support.bundle import PRODUCER, RUN, SUITE, config
from tests.support.config import of
from tests.support.memory import ROOM_MB, megabytes
from tests.support.paths import ROOT


def _abort() -> None:
    reading("x.parquet")
    os.kill(os.getpid(), signal.SIGABRT)


def _fill() -> int:
    return len(bytearray(1 << 30))


def _write(path: Path) -> None:
    path.write_bytes(bytes(2 << 20))


def _open(path: Path) -> int:
    return len([path.open("rb") for _ in range(100)])


def _sleep(path: Path) -> None:
    time.sleep(60)


def _end() -> None:
    raise Terminated(signal.SIGTERM)


def _refuse() -> None:
    raise UserError("no such thing")


def test_what_a_process_of_its_own_returns_or_refuses() -> None:
    assert apart(sorted, [2, 1]) == [1, 2]
    with pytest.raises(UserError, match="no such thing"):
        apart(_refuse)
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        apart(divmod, 1, 0)


def test_a_process_that_breaks_is_one_line_with_the_file(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Ended, match=r"^x\.parquet: reading it ended the process that read it \(SIGABRT\)"):
        apart(_abort)
    with pytest.raises(Ended, match=r"ended the process that read it \(exit code 1\)"):
        apart(_end)
    with pytest.raises(Ended, match=r"^y/z\.json: reading it takes longer"):
        apart(_sleep, Path("y/z.json"), limits=Limits(seconds=1))
    assert capfd.readouterr().err == ""


def test_memory_time_files_and_bytes_have_limits(tmp_path: Path) -> None:
    with pytest.raises(Ended, match="more than 512 MiB of memory"):
        apart(_fill, limits=Limits(memory=512 << 20))
    began = time.monotonic()
    with pytest.raises(Ended, match=r"^a file from outside: reading it takes longer than 1 s"):
        apart(time.sleep, 60, limits=Limits(seconds=1))
    assert time.monotonic() - began < 10
    with pytest.raises(RuntimeError, match="File too large"):
        apart(_write, tmp_path / "long", limits=Limits(file=1 << 20))
    (tmp_path / "one").touch()
    with pytest.raises(RuntimeError, match="Too many open files"):
        apart(_open, tmp_path / "one", limits=Limits(files=50))


def test_files_that_a_parent_has_open_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "one").touch()
    with contextlib.ExitStack() as opened:
        for _ in range(300):
            opened.enter_context((tmp_path / "one").open("rb"))
        assert apart(Path.read_bytes, tmp_path / "one", limits=Limits(files=50)) == b""


def breaking(path: Path) -> None:
    """Change one byte of a file of trials, so that pyarrow throws where nothing catches it."""
    content = path.read_bytes()
    required = b"\x25\x02\x18\x0eprobed_verdict"
    assert content.count(required) == 1, "the repetition of a column, as Thrift's compact protocol writes it"
    path.write_bytes(content.replace(required, b"\x25\x11" + required[2:]))


def test_a_changed_byte_that_ends_the_reader_is_a_finding(bundle: Path) -> None:
    breaking(bundle / RUN)
    found = audit_apart(bundle).findings
    assert f"{RUN}: reading it ended the process that read it (SIGABRT)" in found
    assert any(line.startswith(f"{RUN}: cannot be computed again") for line in found), "the rest is audited"


def test_a_bundle_whose_trials_end_the_reader_is_refused(bundle: Path, tmp_path: Path) -> None:
    file, name = tmp_path / "x.tar.gz", TRIALS_FILE.format(suite=SUITE)
    submit(bundle, "naive_sql", "Ana", file, ROOT)
    folder = tmp_path / "unpacked"
    folder.mkdir()
    unpack_bundle(file, folder)
    breaking(folder / name)
    record = json.loads((folder / SUBMISSION_FILE).read_text(encoding="utf-8"))
    record["files"][name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    (folder / SUBMISSION_FILE).write_text(json.dumps(record), encoding="utf-8")
    parts = [path for path in folder.rglob("*") if path.is_file()]
    write_bundle(file, {path.relative_to(folder).as_posix(): path.read_bytes() for path in parts})
    with pytest.raises(UserError, match=rf"{name}: reading it ended the process .*SIGABRT"):
        admit(file, of(config()), tmp_path / "into")
    assert list((tmp_path / "into").iterdir()) == []


def understated(path: Path, texts: int) -> None:
    """A Parquet file that packs many long texts into little, and says that they are short."""
    column = pa.array([chr(65 + number % 26) * (10 << 20) for number in range(texts)])
    pq.write_table(
        pa.table({"text": column}), path, use_dictionary=False, compression="zstd", compression_level=1,
        write_statistics=False, data_page_size=1 << 30,
    )  # fmt: skip
    said = pq.read_metadata(path).row_group(0).total_byte_size
    content = path.read_bytes()
    true, false = varint(2 * said), varint(2 * 1000)
    assert content.count(true) >= 1
    path.write_bytes(content.replace(true, padded(false, len(true))))
    assert pq.read_metadata(path).row_group(0).total_byte_size == 1000


def varint(number: int) -> bytes:
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


def padded(given: bytes, length: int) -> bytes:
    """The same number in more bytes."""
    more = length - len(given)
    return given[:-1] + bytes([given[-1] | 128]) + b"\x80" * (more - 1) + b"\x00" if more else given


def _peak_while_refused(path: Path) -> tuple[str, int]:
    """What is said of a file, and how many bytes of memory its reading took at most."""
    before = peak()
    try:
        check_foreign(path)
    except UserError as error:
        return str(error), peak() - before
    return "read", peak() - before


def peak() -> int:
    return int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]) << 10


def test_a_parquet_file_that_understates_itself_does_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "MOST_BYTES", 100 << 20)
    monkeypatch.setattr(parquet, "_ROOM", 200 << 20)
    understated(tmp_path / "x.parquet", 40)
    assert (tmp_path / "x.parquet").stat().st_size < 200_000
    said, taken = apart(_peak_while_refused, tmp_path / "x.parquet")
    assert "cannot be read as Parquet" in said or "too large to be read" in said, said
    assert taken < 600 << 20


def test_a_page_of_five_megabytes_takes_little(bundle_with_figures: Path) -> None:
    pack = base64.b64encode(zlib.compress(bytes(200 << 20), 9)).decode()
    page = bundle_with_figures / PAGES[0]
    packs = f"<script type=application/octet-stream>{pack}</script>" * (5_000_000 // len(pack))
    page.write_text(page.read_text(encoding="utf-8") + packs, encoding="utf-8")
    assert megabytes(bundle_with_figures) < ROOM_MB


def test_more_columns_than_any_table_has(tmp_path: Path) -> None:
    pq.write_table(pa.table({f"c{number}": [1] for number in range(1500)}), tmp_path / "wide.parquet")
    with pytest.raises(UserError, match="too large to be read: 1 rows, 1500 columns"):
        read_foreign(tmp_path / "wide.parquet")


def test_room_is_given_back() -> None:
    with pytest.raises(MemoryError), room(64 << 20):
        bytearray(1 << 30)
    assert len(bytearray(1 << 30)) == 1 << 30


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[" * (DEEPEST + 2) + "]" * (DEEPEST + 2), "lists and objects in each other"),
        ('{"a": ' * 500 + "1" + "}" * 500, "lists and objects in each other"),
        ("[NaN]", "NaN is not a JSON number"),
        ("[-Infinity]", "-Infinity is not a JSON number"),
        ("[1e999]", "1e999 is not a JSON number"),
        ('{"a": 1, "a": 2}', "given twice"),
    ],
)
def test_json_that_is_none(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_json(text)
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"x\.json: "):
        read_object(path)


def test_json_as_deep_as_may_be() -> None:
    deep: Any = parse_json("[" * DEEPEST + "]" * DEEPEST)
    for _ in range(DEEPEST - 1):
        (deep,) = deep
    assert deep == []


def test_deep_json_of_a_bundle_is_a_finding(bundle: Path) -> None:
    path = bundle / "results/versions.json"
    versions = json.loads(path.read_text(encoding="utf-8"))
    nested: Any = 1
    for _ in range(700):
        nested = {"a": nested}
    path.write_text(json.dumps({**versions, "config": nested}), encoding="utf-8")
    sign_off_others(bundle)
    found = audit_apart(bundle).findings
    assert any("versions.json" in line and "in each other" in line for line in found), found


def sign_off_others(bundle: Path) -> None:
    """Write the manifest again for a versions.json that stays as it is."""
    name = VERSIONS_FILE.as_posix()
    rows = [
        {**row, "sha256": sha256_of(bundle / name)} if row["file"] == name else row
        for row in read_rows(bundle / MANIFEST_FILE, MANIFEST)
    ]
    write_rows(bundle / MANIFEST_FILE, MANIFEST, rows, PRODUCER)


_ALIASES = "\n".join(["a0: &a0 [1]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10))])
"""A billion ones in 400 bytes."""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("run:\n  k: 5\n  k: 10\n", r"x\.yaml:3: .*the key 'k' is given twice"),
        ("run: {k: 5}\nresamples: 3\nrun: {k: 10}\n", r"x\.yaml:3: .*the key 'run' is given twice"),
        ("{1: a, 0x1: b}\n", r"x\.yaml:1: .*the key '0x1' is given twice"),
        ("a: &a {x: 1}\nb:\n  <<: *a\n  <<: *a\n", r"x\.yaml:4: .*the key '<<' is given twice"),
        ("? !!set x\n: 1\n", r"x\.yaml:1: .*unhashable key"),
        ("a: !!map [1]\n", r"x\.yaml:1: .*no mapping, as its tag says"),
        ("run: [\n", r"x\.yaml:2: not readable as YAML"),
        ("[" * 3000, "x.yaml"),
        ("[" * 100_000, r"x\.yaml:1: .*more than 100 levels"),
        ("{a: " * 50_000, r"x\.yaml:1: .*more than 100 levels"),
        (_ALIASES, r"x\.yaml:7: .*more than 1,000,000 values, those of aliases counted each time"),
        ("run: &r {only: *r}\n", r"x\.yaml:1: .*\*r stands inside of what it names"),
        ("\0", "x.yaml"),
    ],
)
def test_yaml_that_says_two_things_is_none(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=said) as caught:
        apart(read_yaml, path)
    assert "\n" not in str(caught.value)
    with pytest.raises(UserError, match=said):
        check_files([path])


def test_yaml_with_anchors_merges_and_a_mark_at_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("a: &a {x: 1}\nb: {<<: *a, x: 2}\n", encoding="utf-8-sig")
    assert read_yaml(path) == {"a": {"x": 1}, "b": {"x": 2}}


@pytest.mark.parametrize("kind", ["pipe", "/dev/zero"])
def test_keys_and_receipts_that_are_no_files_keep_nobody_waiting(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "pipe" if kind == "pipe" else Path(kind)
    if kind == "pipe":
        os.mkfifo(place, 0o600)
    with pytest.raises(LetheError, match=f"key {place} is a pipe, device or folder|may be read by others"):
        read_key(place)
    with pytest.raises(UserError, match=f"{place}: no such file, or a pipe or device"):
        sign(b"record", place)
    done = CliRunner().invoke(store, ["verify", str(place), "--public-key", "ab" * 32])
    assert isinstance(done.exception, UserError | LetheError) and "a pipe or device, not a file" in str(done.exception)


def test_a_terminal_that_lacks_a_character_shows_its_escape(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "latin-1"}
    command = [sys.executable, "-m", "lethe.store.cli.main"]
    told = subprocess.run(
        [*command, "inscribe", "m.db", "café ★", "--embedder", "words"],
        env=environment, capture_output=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert (told.returncode, told.stdout, told.stderr) == (0, b"1\tcaf\xe9 \\u2605\n", b"")


@pytest.mark.parametrize("arguments", [["--version"], ["list"], ["check-cases", "c.jsonl", "--format", "json"]])
def test_a_full_output_is_one_line(tmp_path: Path, arguments: list[str]) -> None:
    case = {"id": "a", "setup_facts": ["x is y"], "mutations": [["purge", "x"]], "final_query": "q"}
    (tmp_path / "c.jsonl").write_text(json.dumps({**case, "must_not_contain": ["y"]}), encoding="utf-8")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "forgeteval.cli.main", *arguments],
            env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=full, stderr=subprocess.PIPE, cwd=tmp_path, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1 and b"No space left on device" in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('!!int ""', "'' cannot be read as int"),
        ('!!int "_"', "'_' cannot be read as int"),
        ('!!float ""', "'' cannot be read as float"),
        ('!!bool "perhaps"', "'perhaps' cannot be read as bool"),
        ('!!timestamp "x"', "'x' cannot be read as timestamp"),
        ("2001-13-45", "'2001-13-45' cannot be read as timestamp"),
        ("0x" + "f" * 6000, "longer than 300 letters, as int"),
        ("1:" + ":".join(["59"] * 200_000), "longer than 300 letters, as int"),
        ("1:" + ":".join(["59"] * 200) + ".5", "longer than 300 letters, as float"),
    ],
    ids=range(9),
)
def test_a_value_that_is_not_what_its_tag_says_is_one_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(f"a: 1\nb: {text}\n", encoding="utf-8")
    with pytest.raises(UserError, match=re.escape(said)) as caught:
        read_yaml(path)
    assert str(caught.value).startswith(f"{path}:2: not readable as YAML (")


def _ended_by_one_more(root: Path, ending: dict[str, str]) -> None:
    reading(f"file{len(ending)}")
    time.sleep(0.5)
    os._exit(1)


def test_files_that_end_the_audit_one_after_another_share_one_limit_of_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "audit", _ended_by_one_more)
    monkeypatch.setattr(check, "Limits", lambda seconds=2: Limits(seconds=seconds))
    started = time.monotonic()
    with pytest.raises(Ended, match=r"file[2-9]"):
        audit_apart(tmp_path)
    assert time.monotonic() - started < 20
