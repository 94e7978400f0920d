"""The forms of a table: LaTeX, CSV and JSON of the same cells."""

import csv
import io
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from lethe.tables.cells import BLANK, DASH, NOT_RUN, count, label, named, not_run, points, text
from lethe.tables.documents import LAYOUT
from lethe.tables.latex_text import escape_latex
from lethe.tables.render_csv import render_csv
from lethe.tables.render_latex import render_latex
from lethe.tables.table import Cell, Table
from tests.support.latex import compiled, fits, needs_pdflatex, pages, set_as
from tests.support.tables import rows_of

TABLES = {
    "plain": Table(
        "plain",
        "Caption with 50 % & _things_.",
        ["System", "Δ pt", "n"],
        [[[label("A_b & co"), points(-0.03), count(4)]], [[label("[old] C"), NOT_RUN, DASH]]],
        ["Not run: `x --y`."],
    ),
    "wide": Table("wide", "Wide.", ["~a^b_c#d$e%f&g{h}i\\j"], [[[label("* null")]]], [], wide=True),
    "empty": Table("empty", "Empty.", ["A", "B"], [[]], []),
    "long": Table(
        "long",
        "Long.",
        ["A", "B"],
        [[[label("x"), count(n)] for n in range(120)], [[label("y"), DASH]]],
        [],
        long=True,
    ),
    "long_empty": Table("long_empty", "None.", ["A", "B"], [[]], [], long=True),
}


@pytest.fixture(params=list(TABLES))
def table(request: pytest.FixtureRequest) -> Table:
    return TABLES[request.param]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain text 12.", "plain text 12."),
        ("a_b & 5 % of $3 #1", r"a\_b \& 5 \% of \$3 \#1"),
        ("{x}", r"\{x\}"),
        ("~ ^", r"\textasciitilde{} \textasciicircum{}"),
        ("\\", r"\textbackslash{}"),
        ("\\{", r"\textbackslash{}\{"),
        ("Δ −3 –", r"$\Delta$ $-$3 \textendash{}"),
        ("`lethe --out x`", r"\textasciigrave{}lethe -{}-out x\textasciigrave{}"),
        ("李 → Ž “q”", r"\texttt{U+674E} $\to$ Ž “q”"),
        ("a\tb\nc", "a\tb\nc"),
        ("\x00\x1b", r"\texttt{U+0000}\texttt{U+001B}"),
        ("\x7f\x85", r"\texttt{U+007F}\texttt{U+0085}"),
        ("ħĿſ", r"\texttt{U+0127}\texttt{U+013F}\texttt{U+017F}"),
        ("", ""),
    ],
)
def test_latex_escaping(text: str, expected: str) -> None:
    assert escape_latex(text) == expected


END = " \\tabularnewline"


def latex_rows(latex: str) -> list[str]:
    """The rows of all parts, without their heads and without what breaks them."""
    body = latex.split("\\midrule}%\n{", 1)[1].rsplit("}%\n{", 1)[0]
    lines = [line.removesuffix(END) for line in body.splitlines() if line.endswith(END)]
    return [line.replace("\\allowbreak{}", "") for line in lines]


def test_csv_and_latex_hold_the_same_cells(table: Table) -> None:
    header, *rows = csv.reader(io.StringIO(render_csv(table)))
    assert (header, rows) == (list(table.header), rows_of(table))
    latex = render_latex(table)
    assert latex_rows(latex) == [" & ".join(map(escape_latex, row)) for row in rows]


def test_no_cell_of_csv_is_a_formula_and_numbers_stay_numbers() -> None:
    row = (Cell("=cmd|' /C calc'!A0"), Cell("-0.5", "measured", -0.5))
    header, *rows = csv.reader(io.StringIO(render_csv(Table("t", "T", ("=head()", "n"), ((row,),)))))
    assert header == ["'=head()", "n"]
    assert rows == [["'=cmd|' /C calc'!A0", "-0.5"]]


def test_csv_gives_the_machine_name_beside_its_words() -> None:
    table = Table("x", "", ["Category", "n"], [[[named("substring_trap"), count(3)]]])
    assert render_csv(table) == "Category,Category (name),n\nSubstring trap,substring_trap,3\n"
    assert "substring" not in render_latex(table)


def test_the_best_is_bold() -> None:
    table = Table("x", "", ["A", "n"], [[[label("a"), Cell("46 [42, 51]", "measured", 46, bold=True)]]], [])
    assert "\\textbf{46 {[}42, 51]}" in render_latex(table).replace("\\allowbreak{}", "")
    assert Table.from_json(table.to_json()) == table and '"bold": true' in table.to_json()


def test_where_there_is_no_identifier_stands_a_dash() -> None:
    table = Table("x", "", ["A", "Case"], [[[label("a"), text("a_1")], [label("b"), DASH]]], kinds=("label", "id"))
    latex = render_latex(table)
    assert "\\texttt{a\\_" in latex and f"b & \\textendash{{}}{END}" in latex


def test_zero_is_a_value_in_the_json() -> None:
    assert '"value": 0' in Table("x", "", ["n"], [[[count(0)]]]).to_json()


def test_groups_stand_over_their_columns() -> None:
    table = Table(
        "x", "", ["A", "One, a", "One, b", "c"], [[[label("r"), *map(count, (1, 2, 3))]]], groups=["", "One", "One", ""]
    )
    latex = render_latex(table)
    assert "\\multicolumn{2}{P{\\centering}{1}{3}}{One}" in latex and "\\cmidrule(lr){2-3}" in latex
    assert "One, a" not in latex


def test_a_column_that_says_what_a_section_is_is_printed_once_over_it() -> None:
    rows = [[[label(name), label(regime), count(1)] for name in "ab"] for regime in ("First", "Second")]
    latex = render_latex(Table("x", "", ["A", "Regime", "n"], rows, section=1))
    assert latex.count("First") == latex.count("Second") == 1 and "Regime" not in latex


def test_a_reason_runs_on_over_the_empty_columns() -> None:
    reason = "not run: a long reason why there are no numbers in this row"
    latex = render_latex(Table("x", "", ["A", "B", "C"], [[[label("a"), not_run(reason), BLANK]]]))
    over = f"a & \\multicolumn{{2}}{{P{{\\raggedright}}{{1}}{{3}}}}{{\\reason {reason}}}{END}"
    assert over in latex.replace("\\allowbreak{}", "")


def _widths(table: Table, folder: Path) -> tuple[float, float]:
    """How wide a table is set, and the line."""
    told = rf"\typeout{{wide: \the\mt@place{{{len(table.header)}}} of \the\textwidth}}"
    said = compiled(render_latex(table) + told, folder)
    assert fits(said)
    ((wide, line),) = re.findall(r"^wide: ([\d.]+)pt of ([\d.]+)pt$", said, re.M)
    return float(wide), float(line)


@needs_pdflatex
@pytest.mark.parametrize("beside", [[], [BLANK, BLANK]], ids=["alone", "over columns"])
def test_a_reason_has_the_whole_line(beside: list[Cell], tmp_path: Path) -> None:
    row = [Cell("not run: the published cases are not run, and this is why they are not, at length" * 2, "not run")]
    wide, line = _widths(Table("t", "A table.", ("", "B", "C")[: 1 + len(beside)], [[[*row, *beside]]]), tmp_path)
    assert 0.98 * line < wide <= line


@needs_pdflatex
def test_columns_are_as_wide_as_their_text_where_the_line_has_room(tmp_path: Path) -> None:
    wide, line = _widths(Table("t", "A table.", ("A", "B"), [[[label("a"), count(1)]]]), tmp_path)
    assert 10 < wide < line / 10


@needs_pdflatex
def test_the_widest_column_gives_way(tmp_path: Path) -> None:
    rows = [[label("word " * 40), count(10**9), text("words " * 9)]]
    latex = render_latex(Table("t", "A table.", ("A", "B", "C"), [rows]))
    told = "".join(rf"\typeout{{at: \the\mt@place{{{place}}}}}" for place in range(4))
    said = compiled(latex + told, tmp_path)
    places = [float(found) for found in re.findall(r"^at: ([\d.]+)pt$", said, re.M)]
    first, number, last = (end - start for start, end in pairwise(places))
    assert fits(said) and number < last <= first


@needs_pdflatex
@pytest.mark.parametrize(
    ("columns", "rows", "expected"),
    [
        (1, 1, [("table*", "upright")]),
        (14, 1, [("sidewaystable*", "turned")]),
        (14, 90, [("landscape", "small"), ("longtable", "small")]),
        (20, 1, [("sidewaystable*", "small")]),
        (3, 90, [("longtable", "upright")]),
    ],
)
def test_what_is_too_wide_is_turned_and_what_is_too_long_runs_on(
    columns: int, rows: int, expected: list[tuple[str, str]], tmp_path: Path
) -> None:
    shown = [[label("a"), *[Cell(f"{100 + row}/100 (100)", "measured", 100)] * columns] for row in range(rows)]
    table = Table("x", "", ["System", *(f"c{place}" for place in range(columns))], [shown], wide=True)
    said = compiled(render_latex(table), tmp_path)
    assert fits(said) and set_as(said) == expected


def test_rows_that_differ_in_their_first_column_alone_are_printed_as_one() -> None:
    rows = [[label(name), count(n)] for name, n in (("a", 1), ("b", 2), ("c", 1))]
    table = Table("x", "", ["System", "n"], [rows, [[label("d"), count(1)]]])
    assert latex_rows(render_latex(table)) == ["a, c & 1", "b & 2", "d & 1"]
    assert len(render_csv(table).splitlines()) == 5, "elsewhere each has its row"


@needs_pdflatex
def test_nothing_is_scaled_and_only_what_is_compact_or_turned_is_small(table: Table, tmp_path: Path) -> None:
    latex = render_latex(table)
    assert not any(command in latex + LAYOUT for command in ("\\resizebox", "\\tiny", "\\scalebox"))
    assert {shape for _, shape in set_as(compiled(latex, tmp_path))} == {"upright"}
    compact = set_as(compiled(render_latex(replace(table, compact=True)), tmp_path))
    assert {shape for _, shape in compact} == {"compact"}


def test_json_gives_the_table_back(table: Table) -> None:
    assert Table.from_json(table.to_json()) == table


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"name": "x", "sections": [[["a"]]]}', '{"sections": [[[{"text": "a", "state": "guessed"}]]]}'],
)
def test_what_is_no_table_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        Table.from_json(text)


def test_fields_that_say_nothing_are_left_out_of_the_json() -> None:
    text = Table("x", "", ["A"], [[[Cell("1", "measured", 1.0)]]], []).to_json()
    assert '{"text": "1", "state": "measured", "value": 1.0}' in text


def test_a_rule_stands_between_sections() -> None:
    assert render_latex(TABLES["plain"]).count("\\midrule") == 2


@needs_pdflatex
def test_latex_names_caption_label_and_notes(table: Table, tmp_path: Path) -> None:
    latex = render_latex(table)
    plain = latex.replace("\\allowbreak{}", "")
    assert f"{{{escape_latex(table.caption)}\\label{{tab:{table.name}}}}}" in plain
    assert all(escape_latex(note) in plain for note in table.notes)
    environment = "longtable" if table.name == "long" else "table*" if table.wide else "table"
    assert set_as(compiled(latex, tmp_path)) == [(environment, "upright")]


@needs_pdflatex
def test_a_long_table_runs_on_over_pages_and_the_page_has_two_columns_again(tmp_path: Path) -> None:
    latex = render_latex(TABLES["long"])
    assert len(latex_rows(latex)) == 121
    said = compiled(latex, tmp_path)
    assert fits(said) and pages(said) >= 3 and "columns: 2" in said


@needs_pdflatex
def test_the_table_compiles_and_fits(table: Table, tmp_path: Path) -> None:
    assert fits(compiled(render_latex(table), tmp_path))


@needs_pdflatex
@pytest.mark.parametrize(
    "long",
    [
        "no data at datasets/longmemeval/longmemeval_s_cleaned.json; `forgeteval fetch longmemeval` brings it",
        "Same record, alternate form QW9Z4T2K7HD53BXP, was verified.",
        "XK7L.9P3Q.2RVA.8M1N.XK7L.9P3Q is active.",
    ],
)
def test_paths_and_codes_are_broken_instead_of_standing_out(long: str, tmp_path: Path) -> None:
    row = [label("A"), *[text(long)] * 4]
    latex = render_latex(Table("t", "Caption.", ("System", *"BCDE"), [[row]]))
    assert fits(compiled(latex, tmp_path))


def test_no_number_and_no_fraction_is_broken() -> None:
    row = [label("A"), text("0.5B of 2.25, 2/2, 1234.5678, 123456789012.5")]
    latex = render_latex(Table("t", "Caption.", ("System", "B"), [[row]]))
    assert "0.5B of 2.25, 2/2, 1234.5678, 123456789012.5" in latex


def test_json_keeps_the_first_column_as_that_of_the_sections() -> None:
    table = Table(
        "t", "A table.", ("Part", "Passed"), [[[Cell("a"), Cell("1", "measured", 1)]]], section=0, compact=True
    )
    assert Table.from_json(table.to_json()).section == 0 and Table.from_json(table.to_json()).compact
