"""What `lethe` reads that is not UTF-8, and streams that are closed or full: each is one line, in a real process."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lethe.store import Store
from lethe.store.embedders import hashed_words
from tests.support.paths import ROOT

LATIN_1 = "Günther rows".encode("latin-1")
Shell = Callable[..., tuple[int, str, str]]


@pytest.fixture(params=["buffered", "unbuffered"])
def shell(request: pytest.FixtureRequest, tmp_path: Path) -> Shell:
    """Runs a line of a shell in an empty folder with `lethe` as $L; returns its code, standard output and error."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    if request.param == "unbuffered":
        kept["PYTHONUNBUFFERED"] = "1"
    environment = kept | {"PYTHONPATH": str(ROOT), "L": f"{sys.executable} -m lethe.store.cli.main"}

    def act(line: str, given: bytes = b"") -> tuple[int, str, str]:
        done = subprocess.run(
            ["bash", "-c", line], input=given, cwd=tmp_path, env=environment, capture_output=True, timeout=60
        )
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    return act


@pytest.fixture
def filled(tmp_path: Path, shell: Shell) -> Shell:
    """The same, with a store of texts that are longer than a buffer."""
    with Store(tmp_path / "m.db", embedder="words") as store:
        store.inscribe_many([f"Tom keeps the key in place {number}" for number in range(200)])
    return shell


def texts(file: Path) -> list[str]:
    with Store(file, embed=hashed_words) as store:
        return [memory.text for memory in store.memories()]


def refused(said: str) -> tuple[int, str, str]:
    return 1, "", f"error: {said}\n"


def test_rows_that_are_not_utf_8_are_refused(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_bytes(b'{"text": "Tom"}\r\n{"text": "' + LATIN_1 + b'"}\r\n')
    assert shell("$L import i.db rows.jsonl") == refused("rows.jsonl, line 2: not UTF-8; save it as UTF-8")
    for locale in ("C", "C.UTF-8", "POSIX"):
        told = shell(f"LC_ALL={locale} $L import i.db < rows.jsonl")
        assert told == refused("standard input, line 2: not UTF-8; save it as UTF-8")
    assert not (tmp_path / "i.db").exists()
    (tmp_path / "rows.jsonl").write_text('\ufeff{"text": "Günther"}\n', encoding="utf-8")
    assert shell("LC_ALL=C $L import --embedder words i.db < rows.jsonl") == (0, "1 memories\n", "")
    assert texts(tmp_path / "i.db") == ["Günther"]


def test_lines_that_are_not_utf_8_are_refused(shell: Shell, tmp_path: Path) -> None:
    told = shell("LC_ALL=C $L inscribe i.db", b"Tom\n\n" + LATIN_1 + b"\n")
    assert told == refused("standard input, line 3: not UTF-8; save it as UTF-8")
    assert not (tmp_path / "i.db").exists()
    assert shell("$L inscribe i.db --embedder words", "Günther\r\n\r\nTom".encode())[0] == 0
    assert texts(tmp_path / "i.db") == ["Günther", "Tom"]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (r"inscribe i.db Tom --owner $'\xff'", "--owner: '\\udcff'"),
        (r"inscribe i.db Tom --reason $'\xff'", "--reason: '\\udcff'"),
        (r"inscribe i.db Tom $'\xff'", "TEXTS: '\\udcff'"),
        (r"recall i.db $'\xff'", "QUERY: '\\udcff'"),
        (r"purge i.db --query $'\xff'", "--query: '\\udcff'"),
    ],
)
def test_arguments_that_are_not_utf_8_are_named(shell: Shell, tmp_path: Path, arguments: str, named: str) -> None:
    told = shell(f"$L {arguments}")
    assert told == refused(f"{named} is not UTF-8; give it as UTF-8")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["inscribe", "import"])
def test_closed_standard_input(shell: Shell, tmp_path: Path, command: str) -> None:
    told = shell(f"$L {command} i.db <&-")
    assert told == refused("reading standard input: it is closed; name a file, or send it through a pipe")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("closed", "named"), [("<&-", "standard input"), (">&-", "standard output")])
def test_a_server_needs_open_streams(filled: Shell, closed: str, named: str) -> None:
    pytest.importorskip("mcp")
    told = filled(f"$L mcp m.db {closed}")
    assert told == refused(f"{named}: it is closed; have a client start the server, or give --http")


@pytest.mark.parametrize("command", ["recall m.db key", "export m.db", "log m.db", "log m.db --head", "--version"])
@pytest.mark.parametrize(("to", "why"), [("> /dev/full", "No space left on device"), (">&-", "it is closed")])
def test_output_that_cannot_be_written(filled: Shell, command: str, to: str, why: str) -> None:
    told = filled(f"$L {command} {to}")
    assert told == refused(f"writing standard output: {why}; free space there, or print to another place")


@pytest.mark.parametrize(("to", "why"), [("> /dev/full", "No space left on device"), (">&-", "it is closed")])
def test_what_was_done_is_said_where_output_cannot_be_written(filled: Shell, tmp_path: Path, to: str, why: str) -> None:
    told = filled(f"$L inscribe m.db 'Tom rows' {to}")
    assert told == refused(f"writing standard output: {why}, but the memories are stored")
    assert texts(tmp_path / "m.db")[-1] == "Tom rows"
    told = filled(f"$L purge m.db --id 1 --receipt r.json {to}")
    assert told == refused(
        f"writing standard output: {why}, but the texts are erased, and the receipt stands in r.json"
    )
    assert (tmp_path / "r.json").exists() and len(texts(tmp_path / "m.db")) == 200


def test_what_prints_nothing_needs_no_output(filled: Shell, tmp_path: Path) -> None:
    assert filled("$L backup m.db copy.db >&- 2>&- <&-") == (0, "", "")
    assert texts(tmp_path / "copy.db") == texts(tmp_path / "m.db")


@pytest.mark.parametrize("command", ["export m.db", "recall m.db key", "inscribe m.db 'Tom rows'"])
def test_a_broken_pipe_is_quiet(filled: Shell, command: str) -> None:
    code, _, err = filled(f"set -o pipefail; (sleep 0.1; $L {command}) | true")
    assert (code, err) == (1, "")


@pytest.mark.parametrize("umask", ["222", "777", "022"])
def test_files_can_be_used_by_their_user_alone_whatever_the_umask(shell: Shell, tmp_path: Path, umask: str) -> None:
    line = "$L inscribe m.db Tom --embedder words && $L key k && $L backup m.db copy.db"
    assert shell(f"umask {umask}; {line}")[0] == 0
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    assert modes == {"m.db": 0o600, "k": 0o600, "copy.db": 0o600}


def test_a_key_that_cannot_be_written_leaves_no_file(shell: Shell, tmp_path: Path) -> None:
    code, out, err = shell("ulimit -f 0; trap '' XFSZ; $L key k")
    assert (code, out) == (1, "") and err.startswith("error: writing the key k: File too large;")
    assert list(tmp_path.iterdir()) == []
