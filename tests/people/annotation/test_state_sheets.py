"""Blind sheets of end states, and the agreement of those who filled them in."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from forgeteval.cases.case import Case
from forgeteval.cases.suites import build_suite
from forgeteval.errors import UserError
from lethe.cli import annotate
from lethe.cli.annotate import compare_states
from lethe.people.annotation.sample import item_name
from lethe.people.annotation.state_sheets import (
    COLUMNS,
    draw_states_sample,
    read_states_sheet,
    write_states_sheet,
    written_states,
)
from lethe.study.state_agreement import state_agreement
from tests.support.paths import ROOT

CASES = build_suite("adversarial", {"folder": str(ROOT / "suites/adversarial")})
BY_ID = {case.case_id: case for case in CASES}
NAME = item_name(BY_ID["negation_trap-04"])


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines()))


def filled(path: Path, sample: list[Case], wrong: int = 0) -> Path:
    """A sheet with what the cases say, but for so many facts."""
    write_states_sheet(path, sample)
    states = [sorted(right)[0] for case in sample for right in written_states(case)]
    for position in range(wrong):
        states[position] = "stays" if states[position] != "stays" else "goes"
    return write_csv(path, [[*line[:4], state, ""] for line, state in zip(lines_of(path), states, strict=True)])


def write_csv(path: Path, lines: list[list[str]], delimiter: str = ",", columns: tuple[str, ...] = COLUMNS) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, delimiter=delimiter).writerows([columns, *lines])
    return path


def test_a_sheet_shows_facts_and_requests_alone(tmp_path: Path) -> None:
    (case,) = sample = [BY_ID["negation_trap-04"]]
    write_states_sheet(tmp_path / "ann.csv", sample)
    text = (tmp_path / "ann.csv").read_text(encoding="utf-8-sig")
    assert all(fact in text for fact in case.facts()) and case.mutations[0].query in text
    assert case.final_query not in text and case.category not in text


def test_the_sample_is_of_every_category(tmp_path: Path) -> None:
    sample = draw_states_sample(CASES, 60, 42)
    assert len(sample) == len({case.case_id for case in sample}) == 60
    counts = [sum(case.category == category for case in sample) for category in {case.category for case in CASES}]
    assert counts == [6] * 10
    assert draw_states_sample(CASES, 60, 42) == sample != draw_states_sample(CASES, 60, 43)


def test_readers_who_say_what_the_cases_say_agree(tmp_path: Path) -> None:
    sample = draw_states_sample(CASES, 12, 1)
    names = {"a": 0, "b": 0, "c": 2}
    sheets = {
        name: read_states_sheet(filled(tmp_path / f"{name}.csv", sample, wrong), BY_ID) for name, wrong in names.items()
    }
    found = state_agreement(sheets, BY_ID)
    facts = sum(len(case.facts()) for case in sample)
    assert found.pairs["a", "b"] == (facts, facts) and found.pairs["a", "c"] == (facts - 2, facts)
    assert found.with_cases["c"] == (facts - 2, facts) and len(found.disagreed) == 2
    assert found.kept == sorted(case.case_id for case in sample)


def test_a_case_that_no_two_read_alike_is_not_kept(tmp_path: Path) -> None:
    sample = draw_states_sample(CASES, 3, 1)
    first = read_states_sheet(filled(tmp_path / "a.csv", sample), BY_ID)
    second = read_states_sheet(filled(tmp_path / "b.csv", sample, 1), BY_ID)
    assert len(state_agreement({"a": first, "b": second}, BY_ID).kept) == 2


def test_what_a_spreadsheet_leaves_empty_is_passed_over(tmp_path: Path) -> None:
    path = filled(tmp_path / "a.csv", draw_states_sample(CASES, 3, 1))
    before = read_states_sheet(path, BY_ID)
    with path.open(encoding="utf-8", newline="") as stream:
        lines = list(csv.reader(stream))
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([[*line, "", ""] for line in (*lines, [""] * len(lines[0]))])
    assert read_states_sheet(path, BY_ID) == before


def test_what_a_spreadsheet_does_to_cells_and_header_is_read(tmp_path: Path) -> None:
    """Excel leaves out the ends of lines whose last cells are empty."""
    path = filled(tmp_path / "a.csv", draw_states_sample(CASES, 3, 1))
    before = read_states_sheet(path, BY_ID)
    lines = [[f"{name.capitalize()} " for name in COLUMNS], *(line[:5] for line in lines_of(path))]
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(lines)
    assert read_states_sheet(path, BY_ID) == before


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (f"{NAME},,1,x,kept,", f"fact 1 of {NAME}: state 'kept'; write stays, goes, replaced, edited"),
        (f"{NAME},,1,x, ,", f"fact 1 of {NAME}: no state; write stays, goes"),
        ("nobody,,1,x,stays,", "nobody is not a case of the suite as worded now"),
        (f"{NAME},,1,x,stays,", f"fact 2 of {NAME} has no row"),
        (f"{NAME},,one,x,stays,", "row 2: number 'one'; restore that of the fact"),
        (",,,,,this took an hour", "row 2: no item; restore it, or remove the row"),
        (f"{NAME},,1,x,stays,,why", "row 2: 'why' has no column name above it; move it to 'what is left, if edited'"),
    ],
)
def test_a_faulty_sheet_is_named(line: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    write_csv(path, [line.split(",")])
    with pytest.raises(UserError, match=r"a\.csv") as error:
        read_states_sheet(path, BY_ID)
    assert problem in str(error.value)


def lines_of(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream))[1:]


def sorted_alone(lines: list[list[str]], place: int) -> list[list[str]]:
    texts = sorted(line[place] for line in lines)
    return [[*line[:place], text, *line[place + 1 :]] for line, text in zip(lines, texts, strict=True)]


OTHERWISE: dict[str, Callable[[list[list[str]]], list[list[str]]]] = {
    "fact [0-9]+ of .*: column 'fact' is another than in the suite": lambda lines: sorted_alone(lines, 3),
    "fact [0-9]+ of .*: column 'requests, in order' is another": lambda lines: sorted_alone(lines, 1),
    "fact 2 of .*: column 'requests, in order' is another": lambda lines: [
        [line[0], lines[0][1], *line[2:]] if line[:1] == lines[0][:1] else line for line in lines
    ],
    "has no fact 99; remove that row": lambda lines: [*lines, [*lines[0][:2], "99", *lines[0][3:]]],
    "has no fact -1; remove that row": lambda lines: [*lines, [*lines[0][:2], "-1", *lines[0][3:]]],
    "has no row; fill in the whole sheet": lambda lines: [],
}


@pytest.mark.parametrize("problem", OTHERWISE)
def test_a_sheet_that_is_not_of_its_cases_is_named(tmp_path: Path, problem: str) -> None:
    path = filled(tmp_path / "a.csv", draw_states_sample(CASES, 3, 1))
    write_csv(path, OTHERWISE[problem](lines_of(path)))
    with pytest.raises(UserError, match=problem):
        read_states_sheet(path, BY_ID)


@pytest.mark.parametrize("column", COLUMNS[:5])
def test_a_column_that_is_missing_is_named(tmp_path: Path, column: str) -> None:
    path, place = filled(tmp_path / "a.csv", draw_states_sample(CASES, 3, 1)), COLUMNS.index(column)
    without = [[*line[:place], *line[place + 1 :]] for line in [[*COLUMNS], *lines_of(path)]]
    write_csv(path, without[1:], columns=tuple(without[0]))
    with pytest.raises(UserError, match=rf"a\.csv: row 1: needs one column '{column}'") as error:
        read_states_sheet(path, BY_ID)
    assert "\n" not in str(error.value)


def test_requests_with_other_line_ends_are_read(tmp_path: Path) -> None:
    path = filled(tmp_path / "a.csv", draw_states_sample(CASES, 12, 1))
    read, lines = read_states_sheet(path, BY_ID), lines_of(path)
    assert any("\n" in line[1] for line in lines)
    write_csv(path, [[line[0], line[1].replace("\n", " \r\n") + " ", *line[2:]] for line in lines])
    assert read_states_sheet(path, BY_ID) == read


def test_a_sheet_with_semicolons_is_read_as_one_with_commas(tmp_path: Path) -> None:
    path = filled(tmp_path / "a.csv", draw_states_sample(CASES, 3, 1))
    read = read_states_sheet(path, BY_ID)
    assert read_states_sheet(write_csv(path, lines_of(path), ";"), BY_ID) == read


@pytest.mark.parametrize("other", ["y/ada.csv", "x/Ada.csv", "x/ada copy.csv", "x/ada (1).csv"])
def test_an_annotator_of_states_has_one_sheet(tmp_path: Path, other: str) -> None:
    sample = draw_states_sample(CASES, 3, 1)
    for folder in "xy":
        (tmp_path / folder).mkdir()
    sheets = [filled(tmp_path / name, sample) for name in ("x/ada.csv", other)]
    with pytest.raises(UserError, match="is by the same annotator; keep one"):
        compare_states(sheets, ROOT / "suites/none.parquet", None)


def test_a_filled_sheet_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("mine")
    with pytest.raises(UserError, match="exists and may be filled in"):
        write_states_sheet(tmp_path / "a.csv", CASES[:1])
    with pytest.raises(UserError, match=r"a sheet of states is a .csv file"):
        write_states_sheet(tmp_path / "a.xlsx", CASES[:1])


def test_the_names_that_are_kept_go_to_a_new_file(tmp_path: Path) -> None:
    sample = draw_states_sample(CASES, 3, 1)
    sheets = [filled(tmp_path / f"{name}.csv", sample) for name in "ab"]
    before = sheets[0].read_bytes()
    with pytest.raises(UserError, match=r"a\.csv: exists and may be filled in"):
        compare_states(sheets, ROOT / "suites/none.parquet", sheets[0])
    assert sheets[0].read_bytes() == before


def test_a_sheet_that_lacks_whole_cases_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sample = draw_states_sample(CASES, 3, 1)
    sheets = [filled(tmp_path / "ada.csv", sample), filled(tmp_path / "bo.csv", sample[:2])]
    monkeypatch.setattr(annotate, "read_suite", lambda _: CASES)
    compare_states(sheets, Path("cases.parquet"), None)
    assert f"not in every sheet: 1 cases, such as {sample[2].case_id}" in capsys.readouterr().out
