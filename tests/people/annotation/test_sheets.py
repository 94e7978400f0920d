"""The sample, the sheets that go out, and what is said about those that come back wrong."""

import csv
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from forgeteval.cases.case import ADVERSARIAL_CATEGORIES, Case, Mutation
from forgeteval.cases.reading import read_cases
from forgeteval.errors import UserError
from lethe.people.annotation.reading import alike, check_annotators, find_sheets, read_sheet, read_sheets
from lethe.people.annotation.sample import draw_sample, item_name, sample_rows
from lethe.people.annotation.sheets import COLUMNS, SHOWN, write_sheet
from tests.support.paths import ADVERSARIAL

CASES = read_cases(ADVERSARIAL, "adversarial")


@pytest.fixture(scope="module")
def sample() -> list[Case]:
    return draw_sample(CASES, 2, seed=3)


def fill(path: Path, sample: list[Case], label: str = "wf") -> Path:
    """A sheet with every row labelled."""
    write_sheet(path, sample)
    if path.suffix == ".xlsx":
        book = load_workbook(path)
        sheet = book.worksheets[0]
        for row in range(2, len(sample) + 2):
            sheet.cell(row, COLUMNS.index("label") + 1, label)
        book.save(path)
    else:
        rows = read_csv(path)
        write_csv(path, [rows[0], *([*row[:6], label, "a \n note"] for row in rows[1:])])
    return path


def read_csv(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.reader(stream))


def write_csv(path: Path, rows: list[list[str]], delimiter: str = ",") -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, delimiter=delimiter).writerows(rows)


def test_the_sample_is_stratified_mixed_and_seeded() -> None:
    sample = draw_sample(CASES, 10, seed=42)
    assert Counter(case.category for case in sample) == dict.fromkeys(ADVERSARIAL_CATEGORIES, 10)
    assert len({case.case_id for case in sample}) == 100
    by_part = Counter((case.category, case.provenance) for case in sample)
    assert all(by_part[category, "written_first"] == 5 for category in ADVERSARIAL_CATEGORIES)
    assert sample == draw_sample(CASES, 10, seed=42)
    assert sample != draw_sample(CASES, 10, seed=43)
    assert [case.category for case in sample] != sorted(case.category for case in sample)


def test_a_category_short_of_one_provenance_is_filled_from_the_other() -> None:
    first = [case for case in CASES if case.provenance == "written_first"]
    one_first = [case for case in CASES if case.provenance != "written_first"] + first[:1]
    assert len(draw_sample(first, 6, seed=1)) == 60
    assert len(draw_sample(one_first, 6, seed=1)) == 60
    assert len(draw_sample(first[:3], 10, seed=1)) == 3, "there are no more"


def test_categories_of_anybodys_suite_are_sampled_too() -> None:
    foreign = [replace(case, category="gdpr_request") for case in CASES[:20]]
    sample = draw_sample([*foreign, *CASES[20:]], 10, seed=1)
    assert Counter(case.category for case in sample)["gdpr_request"] == 10


def test_an_item_tells_nothing_and_changes_with_the_case() -> None:
    case = CASES[0]
    assert item_name(case) != item_name(replace(case, final_query="Something else?"))
    assert not any(word in item_name(case) for word in case.case_id.split("-"))
    assert not item_name(case)[0].isdigit() and item_name(case).isalnum()


@pytest.mark.parametrize("ending", [".csv", ".xlsx"])
def test_a_filled_sheet_comes_back(tmp_path: Path, sample: list[Case], ending: str) -> None:
    rows = read_sheet(fill(tmp_path / f"ada{ending}", sample, "ill"), sample_rows(sample))
    assert [row["case_id"] for row in rows] == [case.case_id for case in sample]
    assert {(row["annotator"], row["label"]) for row in rows} == {("ada", "ill")}
    assert {row["comment"] for row in rows} == ({"a note"} if ending == ".csv" else {""})


def test_the_spreadsheet_has_a_drop_down_and_the_csv_the_same_cells(tmp_path: Path, sample: list[Case]) -> None:
    write_sheet(tmp_path / "s.xlsx", sample)
    write_sheet(tmp_path / "s.csv", sample)
    book = load_workbook(tmp_path / "s.xlsx")
    sheet = book["cases"]
    (choice,) = sheet.data_validations.dataValidation
    assert choice.type == "list" and choice.formula1 == '"wf,ill"'
    assert str(choice.sqref) == f"G2:G{len(sample) + 1}"
    cells = [["" if value is None else value for value in row] for row in sheet.iter_rows(values_only=True)]
    assert cells == read_csv(tmp_path / "s.csv")
    assert book["how to label"]["A1"].value


def test_a_sheet_does_not_tell_what_it_must_not(tmp_path: Path, sample: list[Case]) -> None:
    write_sheet(tmp_path / "s.csv", sample)
    text = (tmp_path / "s.csv").read_text(encoding="utf-8-sig")
    for case in sample:
        assert case.case_id not in text and case.category not in text
        assert case.final_query in text


def test_a_text_like_a_formula_stays_text(tmp_path: Path) -> None:
    case = Case("x-1", "mine", "negation_trap", ("f",), (Mutation("purge", "q"),), "=1+1\x07", (), ("a",))
    write_sheet(tmp_path / "s.xlsx", [case])
    cell = load_workbook(tmp_path / "s.xlsx")["cases"]["D2"]
    assert (cell.value, cell.data_type) == ("=1+1\ufffd", "s")


def test_another_ending_is_named(tmp_path: Path, sample: list[Case]) -> None:
    with pytest.raises(UserError, match=r"s\.ods: a sheet is a \.csv or an \.xlsx file"):
        write_sheet(tmp_path / "s.ods", sample)


def test_semicolons_and_capitals_are_read_too(tmp_path: Path, sample: list[Case]) -> None:
    path = fill(tmp_path / "bo.csv", sample, "WF")
    write_csv(path, read_csv(path), delimiter=";")
    assert {row["label"] for row in read_sheet(path, sample_rows(sample))} == {"wf"}


def change(rows: list[list[str]], row: int, column: str, text: str) -> list[list[str]]:
    rows[row - 1][COLUMNS.index(column)] = text
    return rows


WRONG: dict[str, Any] = {
    "row 3: no label; write wf or ill": lambda rows: change(rows, 3, "label", ""),
    "row 3: label 'maybe'; write wf or ill": lambda rows: change(rows, 3, "label", "maybe"),
    "row 2: abc is no case of this sample; fill in a new sheet": lambda rows: change(rows, 2, "item", "abc"),
    "row 2: no item; restore it, or remove the row": lambda rows: change(rows, 2, "item", ""),
    f"row 2: {'x' * 80} is no case": lambda rows: change(rows, 2, "item", "x" * 100_000),
    f"row 2: label '{'x' * 79}; write": lambda rows: change(rows, 2, "label", "x" * 100_000),
    "is also in row 2; remove one": lambda rows: [*rows, rows[1]],
    "1 of 20 cases have no row": lambda rows: rows[:-1],
    "row 1: needs one column 'label'": lambda rows: change(rows, 1, "label", "verdict"),
    "row 1: needs one column 'item'": lambda rows: [],
}


@pytest.mark.parametrize("says", WRONG)
def test_a_wrong_sheet_is_named_with_its_remedy(tmp_path: Path, sample: list[Case], says: str) -> None:
    path = fill(tmp_path / "cy.csv", sample)
    write_csv(path, WRONG[says](read_csv(path)))
    with pytest.raises(UserError) as caught:
        read_sheet(path, sample_rows(sample))
    assert str(caught.value).startswith(str(path)) and says in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("d.csv", "item,label\nä,wf\n".encode("latin-1"), "not UTF-8 (byte 11); save it as CSV UTF-8"),
        ("d.csv", b'item,label,comment\n"a,wf', "not readable as CSV"),
        ("d.xlsx", b"not a spreadsheet", "not readable as a spreadsheet"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, sample: list[Case], name: str, content: bytes, says: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError) as caught:
        read_sheet(tmp_path / name, sample_rows(sample))
    assert says in str(caught.value) and "\n" not in str(caught.value)


def test_a_label_from_a_formula_is_named(tmp_path: Path, sample: list[Case]) -> None:
    path = fill(tmp_path / "cy.xlsx", sample, '=IF(TRUE,"wf")')
    with pytest.raises(UserError, match=r"row 2: label '=IF\(TRUE,\"wf\"\)'; write wf or ill"):
        read_sheet(path, sample_rows(sample))


def test_lines_may_end_as_they_did_long_ago(tmp_path: Path, sample: list[Case]) -> None:
    path = fill(tmp_path / "cy.csv", sample)
    rows = [[cell.replace("\n", "; ") for cell in row] for row in read_csv(path)]
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\r").writerows(rows)
    assert len(read_sheet(path, sample_rows(sample))) == len(sample)


def test_an_annotator_has_one_sheet(tmp_path: Path, sample: list[Case]) -> None:
    paths = [fill(tmp_path / f"eve{ending}", sample) for ending in (".csv", ".xlsx")]
    with pytest.raises(UserError, match="is by the same annotator; keep one"):
        read_sheets(paths, sample_rows(sample))
    assert len(read_sheets(paths[:1], sample_rows(sample))) == len(sample)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ada", "ada (1)"),
        ("ada", "Ada"),
        ("Zo\u00eb", "Zoe\u0308"),
        ("ada", "ada copy"),
        ("ada", "ada - Copy (2)"),
        ("ada", "Copy of ada"),
        ("ada", "ada (another copy)"),
        ("ada", "ada (3rd copy)"),
        ("ada", "ada - Kopie"),
        ("ada", "Kopie von ada"),
        ("ada", "ada (copia 2)"),
    ],
)
def test_a_copy_of_a_sheet_is_by_the_same_annotator(one: str, other: str) -> None:
    with pytest.raises(UserError, match="is by the same annotator; keep one"):
        check_annotators([Path(f"{one}.csv"), Path(f"{other}.csv")])
    check_annotators([Path(f"{name}.csv") for name in (one, "bo", "hardcopy", "hard", "ada2", "(1)", "(2)")])


def test_a_sheet_like_another_throughout_is_a_copy(tmp_path: Path, sample: list[Case]) -> None:
    paths = [fill(tmp_path / f"{name}.csv", sample) for name in ("ada", "bo")]
    with pytest.raises(UserError, match=r"bo\.csv: every label and comment is that of .*ada\.csv"):
        read_sheets(paths, sample_rows(sample))
    header, *filled = read_csv(paths[0])
    for path in paths:
        write_csv(path, [header, *([*row[:-1], ""] for row in filled)])
    read = {path: read_sheet(path, sample_rows(sample)) for path in paths}
    assert len(read_sheets(paths, sample_rows(sample))) == 2 * len(sample) and alike(read) == [tuple(paths)]
    for path in paths:
        halves = [[*row[:-2], "wf" if number % 2 else "ill", ""] for number, row in enumerate(filled)]
        write_csv(path, [header, *halves])
    with pytest.raises(UserError, match="a copy is no annotator"):
        read_sheets(paths, sample_rows(sample))
    write_csv(paths[1], [header, [*halves[0][:-1], "."], *halves[1:]])
    with pytest.raises(UserError, match="a copy is no annotator"):
        read_sheets(paths, sample_rows(sample))
    write_csv(paths[1], [header, [*halves[0][:-1], "Whose?"], *halves[1:]])
    assert len(read_sheets(paths, sample_rows(sample))) == 2 * len(sample), "a comment of one's own"


@pytest.mark.parametrize("column", ["item", *SHOWN])
@pytest.mark.parametrize("ending", [".csv", ".xlsx"])
def test_a_column_that_was_sorted_alone_is_named(tmp_path: Path, sample: list[Case], column: str, ending: str) -> None:
    path, cases = fill(tmp_path / f"cy{ending}", sample), {item_name(case): case for case in sample}
    assert len(read_sheet(path, sample_rows(sample), cases)) == len(sample)
    place = COLUMNS.index(column)
    if ending == ".csv":
        header, *rows = read_csv(path)
        texts = sorted((row[place] for row in rows), reverse=True)
        moved = [[*row[:place], text, *row[place + 1 :]] for row, text in zip(rows, texts, strict=True)]
        write_csv(path, [header, *moved])
    else:
        book = load_workbook(path)
        cells = [row[place] for row in book.worksheets[0].iter_rows(min_row=2)]
        values = sorted((str(cell.value) for cell in cells), reverse=True)
        for cell, text in zip(cells, values, strict=True):
            cell.value = text
        book.save(path)
    named = "facts" if column == "item" else column
    with pytest.raises(UserError, match=rf"row \d+: column '{named}' is not that of"):
        read_sheet(path, sample_rows(sample), cases)


@pytest.mark.parametrize("column", SHOWN)
def test_a_column_that_is_missing_or_changed_is_named(tmp_path: Path, sample: list[Case], column: str) -> None:
    path, cases = fill(tmp_path / "cy.csv", sample), {item_name(case): case for case in sample}
    rows, place = read_csv(path), COLUMNS.index(column)
    write_csv(path, change(read_csv(path), 3, column, f"{rows[2][place]}s"))
    with pytest.raises(UserError, match=rf"row 3: column '{column}' is not that of {rows[2][0]}; fill in"):
        read_sheet(path, sample_rows(sample), cases)
    write_csv(path, [[*row[:place], *row[place + 1 :]] for row in rows])
    with pytest.raises(UserError, match=rf"row 1: needs one column '{column}'; restore the header"):
        read_sheet(path, sample_rows(sample), cases)


def as_programs_write(text: str) -> str:
    """A text with other line ends, blanks at the ends, and signs that a program puts in place of those typed."""
    return text.translate({ord("\n"): "\r\n", ord("'"): "\u2019", ord('"'): "\u201d", ord("-"): "\u2013"}) + " \n"


def test_what_programs_do_to_texts_is_read(tmp_path: Path) -> None:
    forbidden = ("-5 \u00b0C", 'it\'s "here"', "=1+1")
    case = Case("x-1", "mine", "negation_trap", ("@f",), (Mutation("purge", "=q"),), "=1+1", ("+1",), forbidden)
    path = fill(tmp_path / "cy.csv", [case])
    header, row = read_csv(path)
    write_csv(path, [header, [row[0], *map(as_programs_write, row[1:6]), *row[6:]]], delimiter=";")
    assert len(read_sheet(path, sample_rows([case]), {item_name(case): case})) == 1


@pytest.mark.parametrize("ending", [".csv", ".xlsx"])
def test_a_text_longer_than_a_cell_is_that_of_its_case(tmp_path: Path, ending: str) -> None:
    case = Case("x-1", "mine", "negation_trap", ("no " * 20_000,), (Mutation("purge", "q"),), "q", ("no",), ())
    path = fill(tmp_path / f"cy{ending}", [case])
    assert len(read_sheet(path, sample_rows([case]), {item_name(case): case})) == 1


def test_a_letter_with_another_mark_is_another_text(tmp_path: Path) -> None:
    case = Case(
        "x-1", "mine", "negation_trap", ("f",), (Mutation("purge", "q"),), "q", (), ("\u092e\u0947\u0930\u093e",)
    )
    path = fill(tmp_path / "cy.csv", [case])
    write_csv(path, change(read_csv(path), 2, "must not be recalled", "1. \u092e\u0947\u0930\u0940"))
    with pytest.raises(UserError, match="row 2: column 'must not be recalled' is not that of"):
        read_sheet(path, sample_rows([case]), {item_name(case): case})


def test_sheets_are_found_by_name(tmp_path: Path) -> None:
    for name in ("b.csv", "a.xlsx", ".hidden.csv", "~$a.xlsx", "notes.txt"):
        (tmp_path / name).touch()
    assert [path.name for path in find_sheets(tmp_path)] == ["a.xlsx", "b.csv"]
    assert find_sheets(tmp_path / "absent") == []


@pytest.mark.parametrize("name", ["cy <cy@example.org>.csv", "cy {2}.xlsx"])
def test_a_name_that_the_workflow_would_take_for_a_pattern_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    with pytest.raises(UserError, match="rename it without"):
        find_sheets(tmp_path)


@pytest.mark.parametrize("name", ["cy.ods", "cy.XLS", "round 1/cy.csv", "cy.csv/x", "c\udcff.csv"])
def test_a_sheet_that_would_not_be_read_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "older").mkdir()
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).touch()
    with pytest.raises(UserError, match=r"c.*: not read; save it as .csv|round 1: not read|not UTF-8"):
        find_sheets(tmp_path)


@pytest.mark.parametrize("header", ["comments", "label"])
def test_comments_are_not_lost_with_their_column(tmp_path: Path, sample: list[Case], header: str) -> None:
    rows = read_csv(fill(tmp_path / "ada.csv", sample))
    write_csv(tmp_path / "ada.csv", [[*rows[0][:-1], header], *rows[1:]])
    with pytest.raises(UserError, match=r"row 1: needs one column .(label|comment)."):
        read_sheet(tmp_path / "ada.csv", sample_rows(sample))


@pytest.mark.parametrize("further", [[], ["", ""]])
def test_what_stands_beside_the_columns_is_not_lost(tmp_path: Path, sample: list[Case], further: list[str]) -> None:
    header, first, *others = read_csv(fill(tmp_path / "ada.csv", sample))
    write_csv(tmp_path / "ada.csv", [header + further, [*first, "", "and more"], *others, ["", ""]])
    with pytest.raises(UserError, match="row 2: 'and more' has no column name above it; move it to 'comment'"):
        read_sheet(tmp_path / "ada.csv", sample_rows(sample))


def test_a_sheet_with_tabs_is_read(tmp_path: Path, sample: list[Case]) -> None:
    path = fill(tmp_path / "ada.csv", sample)
    write_csv(path, read_csv(path), delimiter="\t")
    assert len(read_sheet(path, sample_rows(sample))) == len(sample)
