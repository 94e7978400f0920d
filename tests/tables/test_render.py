"""The forms of a table: LaTeX, CSV and JSON of the same cells."""

import csv
import io
import re
import shutil
from pathlib import Path

import pytest

from lethe.tables.cells import BLANK, DASH, NOT_RUN, count, label, named, not_run, points, text
from lethe.tables.latex_numbers import align
from lethe.tables.latex_text import escape_latex
from lethe.tables.render_csv import render_csv
from lethe.tables.render_latex import render_latex
from lethe.tables.table import Cell, Table
from tests.support.latex import compiled
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
        ("Δ −3 –", r"$\Delta$ $-$3 --"),
        ("`lethe --out x`", r"\textasciigrave{}lethe -{}-out x\textasciigrave{}"),
        ("李 → Ž “q”", r"\texttt{U+674E} $\to$ Ž “q”"),
        ("", ""),
    ],
)
def test_latex_escaping(text: str, expected: str) -> None:
    assert escape_latex(text) == expected


END = " \\tabularnewline"


def latex_rows(latex: str) -> list[str]:
    """The rows of all parts, without their heads and without what pads and breaks them."""
    bodies = [part.split("\\bottomrule")[0] for part in latex.split("\\midrule\n", 1)[1:]]
    lines = [line.removesuffix(END) for body in bodies for line in body.splitlines() if line.endswith(END)]
    return [re.sub(r"\\phantom\{[^}]*\}|\\allowbreak\{\}", "", line) for line in lines]


def test_csv_and_latex_hold_the_same_cells(table: Table) -> None:
    header, *rows = csv.reader(io.StringIO(render_csv(table)))
    assert (header, rows) == (list(table.header), rows_of(table))
    latex = render_latex(table)
    parts = [f"\\toprule{part}" for part in latex.split("\\toprule")[1:]]
    shown = [row for part in parts for row in latex_rows(part)]
    assert shown == [" & ".join(map(escape_latex, row)) for row in rows]


def test_csv_gives_the_machine_name_beside_its_words() -> None:
    table = Table("x", "", ["Category", "n"], [[[named("substring_trap"), count(3)]]])
    assert render_csv(table) == "Category,Category (name),n\nSubstring trap,substring_trap,3\n"
    assert "substring" not in render_latex(table)


def test_numbers_stand_under_one_another_at_the_point() -> None:
    column = [Cell(text, "measured") for text in ("22 (61) [3]", "5 (7)", "4.5 ms", "N/A")]
    assert align(column) == [
        "22 (61) {[}3]",
        "\\phantom{0}5 (\\phantom{0}7)\\phantom{ {[}3]}",
        "4.5 ms",
        "N/A",
    ]
    signed = align([Cell(text, "measured") for text in ("+10.25", "3.5")])
    assert signed == ["+10.25", "\\phantom{+0}3.5\\phantom{0}"]


def test_the_best_is_bold_and_its_interval_is_not() -> None:
    best = Cell("46 [42, 51]", "measured", 46, bold=True)
    assert align([best]) == ["\\textbf{46} {[}42, 51]"]
    table = Table("x", "", ["A", "n"], [[[label("a"), best]]], [])
    assert Table.from_json(table.to_json()) == table and '"bold": true' in table.to_json()


def test_zero_is_a_value_in_the_json() -> None:
    assert '"value": 0' in Table("x", "", ["n"], [[[count(0)]]]).to_json()


def test_groups_stand_over_their_columns() -> None:
    table = Table(
        "x", "", ["A", "One, a", "One, b", "c"], [[[label("r"), *map(count, (1, 2, 3))]]], groups=["", "One", "One", ""]
    )
    latex = render_latex(table)
    assert " & \\multicolumn{2}{c}{One} & " in latex and "\\cmidrule(lr){2-3}" in latex
    assert "One, a" not in latex


def test_a_column_that_says_what_a_section_is_is_printed_once_over_it() -> None:
    rows = [[[label(name), label(regime), count(1)] for name in "ab"] for regime in ("First", "Second")]
    latex = render_latex(Table("x", "", ["A", "Regime", "n"], rows, section=1))
    assert latex.count("First") == latex.count("Second") == 1 and "Regime" not in latex


def test_a_reason_runs_on_over_the_empty_columns() -> None:
    reason = "not run: a long reason why there are no numbers in this row"
    latex = render_latex(Table("x", "", ["A", "B", "C"], [[[label("a"), not_run(reason), BLANK]]]))
    assert "a & \\multicolumn{2}{p{" in latex and reason in latex


def test_what_is_too_wide_is_turned_or_set_in_panels() -> None:
    def table(columns: int) -> Table:
        row = [label("a"), *[Cell("100/100 (100)", "measured", 100)] * columns]
        return Table("x", "", ["System", *(f"c{place}" for place in range(columns))], [[row]], wide=True)

    upright, turned, panels = (render_latex(table(columns)) for columns in (3, 7, 12))
    assert "\\rotatebox" not in upright and upright.count("\\toprule") == 1
    assert "\\rotatebox{90}" in turned and turned.count("\\toprule") == 1
    assert "\\rotatebox" not in panels and panels.count("\\toprule") > 1
    assert all(f"c{place}" in panels for place in range(12)) and panels.count("\na & ") == panels.count("\\toprule")


def test_no_type_is_smaller_than_footnotesize(table: Table) -> None:
    latex = render_latex(table)
    assert not any(command in latex for command in ("\\resizebox", "\\tiny", "\\scriptsize", "\\scalebox"))
    assert "\\footnotesize" in latex


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


def test_latex_names_caption_label_and_notes(table: Table) -> None:
    latex = render_latex(table)
    assert latex.startswith("\\begin{table*}" if table.wide or table.name == "long" else "\\begin{table}")
    assert f"\\caption{{{escape_latex(table.caption)}}}\\label{{tab:{table.name}}}" in latex
    assert all(escape_latex(note) in latex for note in table.notes)


def test_a_long_table_is_set_in_parts_that_fit_a_page() -> None:
    latex = render_latex(TABLES["long"])
    parts = latex.split("\\end{table*}")[:-1]
    sizes = [len(latex_rows(part)) for part in parts]
    assert sum(sizes) == 121 and len(sizes) > 1 and max(sizes) - min(sizes) < 12
    assert "\\addtocounter{table}{-1}\n\\caption{Continued.}" in parts[-1]
    assert latex.endswith("\\clearpage\n")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_the_table_compiles_and_fits(table: Table, tmp_path: Path) -> None:
    said = compiled(render_latex(table), "twocolumn", tmp_path)
    assert "Overfull \\hbox" not in said and "Float too large" not in said


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
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
    assert "Overfull \\hbox" not in compiled(latex, "twocolumn", tmp_path)


def test_no_number_and_no_fraction_is_broken() -> None:
    row = [label("A"), text("0.5B of 2.25, 2/2, 1234.5678, 123456789012.5")]
    latex = render_latex(Table("t", "Caption.", ("System", "B"), [[row]]))
    assert "0.5B of 2.25, 2/2, 1234.5678, 123456789012.5" in latex
