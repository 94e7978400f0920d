"""Files of cases by outside authors: several at once, pipes, repeated keys, texts that act on a terminal or a sheet."""

import csv
import io
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forgeteval.admission.check import check_lines
from forgeteval.cases.interchange import CaseError, read_json_lines
from forgeteval.cases.reading import read_cases
from forgeteval.csv_cells import as_given, as_text
from forgeteval.errors import UserError
from forgeteval.files import read_file
from lethe import folders
from lethe.folders import held
from lethe.people.external import take_in
from tests.cli.conftest import Command
from tests.support.example_cases import sound_case, write_lines
from tests.support.paths import ROOT

AUTHORS = [f"author{number}" for number in range(6)]
INTAKE = "import sys; sys.stdin.readline(); from tests.support.commands import main; main()"
# Without the module's imports, so that all begin at once.
PREPARED = "import lethe.people.external, lethe.cli.cases; " + INTAKE


def _own_case(author: str) -> dict[str, Any]:
    own, sound = f"A fact of {author} alone.", sound_case()
    return sound_case(setup_facts=[*sound["setup_facts"], own], gold_rows=[*sound["gold_rows"], own])


def test_authors_who_are_taken_in_at_once_lose_nothing(tmp_path: Path) -> None:
    out, processes = tmp_path / "out", []
    for author in AUTHORS:
        path = write_lines(tmp_path / f"{author}.jsonl", _own_case(author), "{")
        command = [sys.executable, "-c", PREPARED, "intake", str(path), "--author", author, "--out", str(out)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        processes.append(
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        )
    time.sleep(1)
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = {author: process.communicate()[0] for author, process in zip(AUTHORS, processes, strict=True)}
    assert [process.returncode for process in processes] == [0] * len(AUTHORS)
    assert all(f"1 case of {author} admitted" in said[author] for author in AUTHORS)
    admitted = [case.case_id for case in read_cases(out / "cases.jsonl", "external")]
    assert admitted == [f"{author}.lockers" for author in AUTHORS]
    with (out / "rejections.csv").open(newline="") as stream:
        assert [row["author"] for row in csv.DictReader(stream)] == AUTHORS
    assert sorted(path.name for path in out.iterdir()) == ["cases.jsonl", "rejections.csv"]


def test_a_folder_that_somebody_holds_on_to_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "LOCK_PATIENCE_S", 0.2)
    path = write_lines(tmp_path / "f.jsonl", sound_case())
    with (
        held(tmp_path / "out"),
        pytest.raises(UserError, match="out: another process is writing there; wait for it"),
    ):
        take_in(path, "vera", tmp_path / "out")
    take_in(path, "vera", tmp_path / "out")


@pytest.mark.parametrize("command", ["check-cases", "intake"])
def test_a_pipe_is_refused_at_once(command: str, forgeteval: Command, tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "pipe.jsonl")
    more = [] if command == "check-cases" else ["--author", "vera", "--out", tmp_path / "out"]
    # A test that hangs is of no use: somebody writes after a while.
    writer = threading.Timer(20, lambda: os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)))
    writer.start()
    started = time.monotonic()
    code, out, err = forgeteval(command, pipe, *more)
    writer.cancel()
    assert time.monotonic() - started < 15
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err == f"error: {pipe}: cannot be read (a pipe or device, not a file); give the path of a file of cases\n"


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/tty", "."])
def test_a_device_or_a_folder_is_no_file(path: str) -> None:
    with pytest.raises(OSError):
        read_file(Path(path))


def test_a_key_given_twice_is_an_objection(forgeteval: Command, tmp_path: Path) -> None:
    line = json.dumps(sound_case())
    path = tmp_path / "twice.jsonl"
    path.write_text(f'{line[:-1]}, "must_contain": []}}\n')
    code, out, _ = forgeteval("check-cases", "--strict", path)
    assert code == 1
    assert "malformed-json: line: not usable JSON (the key 'must_contain' is given twice)" in out
    with pytest.raises(CaseError, match=r"twice\.jsonl:1: line: .*'must_contain' is given twice"):
        list(read_json_lines(path))


@given(st.lists(st.binary(max_size=60), max_size=4))
def test_whatever_the_lines_are_each_is_admitted_or_objected_to(lines: list[bytes]) -> None:
    intake = check_lines(Path("any.jsonl"), lines)
    assert intake.admitted == []
    assert intake.rejected == sum(bool(line.strip()) for line in lines)


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
)


@given(st.dictionaries(st.sampled_from([*sound_case(), "id", "suite", "gold_rows"]), _JSON))
def test_whatever_a_field_holds_the_case_is_admitted_or_objected_to(changed: dict[str, Any]) -> None:
    intake = check_lines(Path("any.jsonl"), [json.dumps({**sound_case(), **changed}).encode()])
    assert len(intake.admitted) + bool(intake.objections) == 1
    assert all("\n" not in objection.detail for objection in intake.objections)


def test_escapes_of_a_terminal_are_shown(forgeteval: Command, tmp_path: Path) -> None:
    evil = "a\x1b]0;owned\x07\x1b[2J\x9b31m\u202eb"
    path = write_lines(tmp_path / "f.jsonl", sound_case(id=evil, category="x"))
    code, out, _ = forgeteval("check-cases", "--strict", path)
    assert code == 1 and out.isascii() and out.replace("\n", "").isprintable()
    assert r"a\x1b]0;owned\x07\x1b[2J\x9b31m\u202eb: unknown-category" in out
    _, out, _ = forgeteval("check-cases", "--strict", path, "--format", "json")
    assert out.replace("\n", "").isprintable() and json.loads(out)["rejections"][0]["case_id"] == evil
    _, out, err = forgeteval("check-cases", tmp_path / "\x1b[31mred\udce9.jsonl")
    assert (out, err.count("\n")) == ("", 1)
    assert r"\x1b[31mred\udce9.jsonl: cannot be read" in err


def test_rejections_do_not_act_on_a_terminal(tmp_path: Path) -> None:
    out, evil = tmp_path / "out", "a\x1b]0;owned\x07\x9b31m"
    take_in(write_lines(tmp_path / "f.jsonl", sound_case(id=evil, category="x")), "vera", out)
    take_in(write_lines(tmp_path / "g.jsonl", sound_case()), "zoe", out)
    text = (out / "rejections.csv").read_text(encoding="utf-8")
    assert text.replace("\n", "").isprintable() and r"a\x1b]0;owned\x07\x9b31m" in text


def test_rejections_are_no_formulas_and_come_back(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for author in ("vera", "wim"):
        take_in(write_lines(tmp_path / "f.jsonl", sound_case(id='=HYPERLINK("x")', category="x")), author, out)
    with (out / "rejections.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["case_id"] for row in rows] == ['\'=HYPERLINK("x")'] * 2


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t1", "\r1", "'=1", "''@x", "\uff1d1"]


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_becomes_text_and_comes_back(text: str) -> None:
    assert as_text(text) == f"'{text}"
    assert as_given(as_text(text)) == text


@given(st.lists(st.text(alphabet=st.sampled_from("'=@\t\r\na ;,\"")), min_size=1), st.sampled_from(",;\t"))
def test_no_cell_is_a_formula_whatever_a_reader_takes_for_the_end_of_one(texts: list[str], delimiter: str) -> None:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerow(["a", *map(as_text, texts)])
    for line in csv.reader(io.StringIO(stream.getvalue(), newline=""), delimiter=delimiter):
        assert not [cell for cell in line if cell.startswith(("=", "@"))]


@given(st.text(alphabet=st.sampled_from("'=+-@\t\r\nab ;\"")) | st.text())
def test_every_text_comes_back_and_none_is_a_formula(text: str) -> None:
    assert as_text(text)[:1] not in {"=", "+", "-", "@", "\t", "\r", "\n"} or not text
    assert as_given(as_text(text)) == text
