"""The forms of a table: LaTeX, CSV and JSON of the same cells."""

import csv
import io
import shutil
import subprocess
from pathlib import Path

import pytest

from lethe.tables.cells import DASH, NOT_RUN, count, label, points
from lethe.tables.render_csv import render_csv
from lethe.tables.render_latex import escape_latex, render_latex
from lethe.tables.table import Cell, Table
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


def latex_rows(latex: str) -> list[str]:
    """The lines of all rows, headers included."""
    return [line for line in latex.splitlines() if line.endswith(" \\\\")]


def test_csv_and_latex_hold_the_same_cells(table: Table) -> None:
    header, *rows = csv.reader(io.StringIO(render_csv(table)))
    assert (header, rows) == (list(table.header), rows_of(table))
    head, *lines = [" & ".join(map(escape_latex, row)) + " \\\\" for row in (header, *rows)]
    shown = latex_rows(render_latex(table))
    assert [line for line in shown if line != head] == lines
    assert shown.count(head) == render_latex(table).count("\\toprule")


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
    environment = "table*" if table.wide else "table"
    assert latex.startswith(f"\\begin{{{environment}}}")
    assert f"\\caption{{{escape_latex(table.caption)}}}\\label{{tab:{table.name}}}" in latex
    assert all(escape_latex(note) in latex for note in table.notes)


def test_a_long_table_is_set_in_parts_that_fit_a_page() -> None:
    latex = render_latex(TABLES["long"])
    parts = latex.split("\\end{table}")[:-1]
    assert [len(latex_rows(part)) - 1 for part in parts] == [50, 50, 20, 1]
    assert "\\caption{long, continued (4).}\\label{tab:long_4}" in parts[-1]
    assert latex.endswith("\\clearpage\n")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_the_table_compiles_and_fits(table: Table, tmp_path: Path) -> None:
    (tmp_path / "t.tex").write_text(
        "\\documentclass[twocolumn]{article}\n\\usepackage{booktabs}\n\\usepackage{graphicx}\n"
        f"\\begin{{document}}\nText.\n{render_latex(table)}\\end{{document}}\n",
        encoding="utf-8",
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull \\hbox" not in done.stdout and "Float too large" not in done.stdout
