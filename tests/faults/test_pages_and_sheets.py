"""Texts of cases in the explorer and in annotators' sheets, and sheets that are damaged."""

import csv
import io
import json
import os
import random
import re
import zipfile
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook

from forgeteval.cases.case import Case, Mutation
from forgeteval.csv_cells import as_given
from forgeteval.errors import UserError
from lethe.people.annotation.reading import read_sheet
from lethe.people.annotation.sample import sample_rows
from lethe.people.annotation.sheets import COLUMNS, sheet_rows, write_sheet
from lethe.report.packing import unpack
from lethe.report.page import render_page
from tests.support.report import contents, suite_inputs
from tests.support.tables import configuration, setup

HOSTILE = ["<!--<script", "</script>", "<!--", "--><script>alert(1)</script>", "]]>", "\u2028"]
FORMULAS = ["=HYPERLINK(A1)", "+1", "-2+3", "@SUM(A1)", "\tx", "\rx", "'=1"]


def case(text: str, number: int = 0) -> Case:
    mutations = (Mutation("purge", text),)
    return Case(f"c-{number}", "mine", "negation_trap", (text,), mutations, text, (text,), ("never",))


class _Scripts(HTMLParser):
    """The contents of the script elements."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._inside = tag == "script"
        if self._inside:
            self.found.append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.found[-1] += data


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_a_case_ends_or_hides_the_explorers_data(text: str) -> None:
    given = setup({"lethe": configuration(text, system="lethe")})
    shown = contents(suite_inputs([case(text)], [], given), given)
    parser = _Scripts()
    parser.feed(render_page(shown, [], [], "0" * 64))
    overview, packed, script = parser.found
    assert "<" not in overview, "nothing in it is markup, whatever state a browser's parser is in"
    assert json.loads(overview) == shown.overview
    assert re.fullmatch("[A-Za-z0-9+/=]+", packed) and json.loads(unpack(packed, 10_000)) == shown.trials[0]
    assert text not in script


def test_a_csv_sheet_holds_no_formula_and_the_same_texts(tmp_path: Path) -> None:
    cases = [case(text, number) for number, text in enumerate(FORMULAS)]
    write_sheet(tmp_path / "s.csv", cases)
    with (tmp_path / "s.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.reader(stream))
    assert not [cell for row in rows for cell in row if cell[:1] in {"=", "+", "-", "@", "\t", "\r"}]
    assert [[as_given(cell) for cell in row] for row in rows[1:]] == sheet_rows(cases)


@pytest.mark.parametrize("comment", [*FORMULAS, "plain", "'quoted'"])
def test_a_comment_like_a_formula_comes_back(tmp_path: Path, comment: str) -> None:
    cases = [case("a fact")]
    write_sheet(path := tmp_path / "ada.csv", cases)
    rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"))))
    rows[1][COLUMNS.index("label")], rows[1][COLUMNS.index("comment")] = "ill", f"'{comment}"
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)
    (row,) = read_sheet(path, sample_rows(cases))
    assert row["comment"] == " ".join(as_given(f"'{comment}").split())


@pytest.fixture(scope="module")
def workbook(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("sheets") / "ada.xlsx"
    write_sheet(path, [case("a fact")])
    book = load_workbook(path)
    book.worksheets[0].cell(2, COLUMNS.index("label") + 1, "wf")
    book.save(path)
    return path.read_bytes()


def _refused(path: Path) -> str:
    with pytest.raises(UserError) as caught:
        read_sheet(path, sample_rows([case("a fact")]))
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("seed", range(30))
def test_a_damaged_spreadsheet_is_read_or_named(workbook: bytes, tmp_path: Path, seed: int) -> None:
    chance, content = random.Random(seed), bytearray(workbook)
    for _ in range(chance.choice([1, 5, 100])):
        content[chance.randrange(len(content))] = chance.randrange(256)
    path = tmp_path / "ada.xlsx"
    path.write_bytes(content[: chance.randrange(len(content))] if seed % 3 == 0 else content)
    try:
        (row,) = read_sheet(path, sample_rows([case("a fact")]))
        assert row["label"] == "wf"
    except UserError as error:
        assert str(path) in str(error) and "\n" not in str(error)


@pytest.mark.parametrize("part", ["xl/worksheets/sheet1.xml", "xl/workbook.xml", "[Content_Types].xml"])
@pytest.mark.parametrize("content", [b"", b"<", b"\xff\xfe", b"<a><b></a>", b"<worksheet/>"])
def test_a_spreadsheet_with_a_broken_part_is_named(workbook: bytes, tmp_path: Path, part: str, content: bytes) -> None:
    path = tmp_path / "ada.xlsx"
    with zipfile.ZipFile(io.BytesIO(workbook)) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            new.writestr(name, content if name == part else old.read(name))
    _refused(path)


def test_a_spreadsheet_that_unpacks_to_a_whole_disk_is_named(workbook: bytes, tmp_path: Path) -> None:
    path = tmp_path / "ada.xlsx"
    path.write_bytes(workbook)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/zeros", b"\0" * 201_000_000)
    assert "bytes unpacked" in _refused(path)


@pytest.mark.parametrize("ending", [".csv", ".xlsx"])
def test_a_pipe_is_no_sheet(tmp_path: Path, ending: str) -> None:
    os.mkfifo(path := tmp_path / f"ada{ending}")
    assert "a pipe or device, not a file" in _refused(path)


@given(st.binary(max_size=200), st.booleans())
def test_whatever_a_csv_sheet_holds_it_is_read_or_named(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, header: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "ada.csv"
    path.write_bytes((",".join(COLUMNS).encode() + b"\n" if header else b"") + content)
    _refused(path)
