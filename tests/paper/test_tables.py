"""The paper's tables: which cell says what, and that LaTeX and CSV say the same."""

import csv
import io
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lethe.analysis.intervals import wilson
from lethe.paper.cells import PaperTable, escape_latex
from lethe.paper.results import SuiteResults
from lethe.paper.tables import category_table, controls_table, naive_sql_table, template_table
from lethe.parquet import write_rows
from lethe.schemas import OVERALL, SCORES, WITHOUT_COMPOUND

SYSTEMS = {
    "lethe": {"label": "Lethe", "regime": "deterministic"},
    "null": {"label": "null", "regime": "control"},
    "mem0": {"label": "Mem0 & Co_50%", "regime": "deterministic"},
    "naive_sql": {"label": "Naive SQL", "regime": "deterministic"},
    "palace": {"label": "MemPalace", "regime": "no deletion"},
    "absent": {"label": "Absent", "regime": "deterministic"},
    "oracle": {"label": "oracle", "regime": "control"},
}
NOT_RUN = {"absent": "not run: left out by run.systems"}


def score(
    system: str, category: str, passed: int, cases: int, *, na: int = 0, errors: int = 0, wall: float | None = 1.25
) -> dict[str, Any]:
    """One row of the analysis."""
    low, high = wilson(passed, cases)
    evaluated = cases - na - errors
    return {
        "suite": "mine",
        "system": system,
        "category": category,
        "cases": cases,
        "passed": passed,
        "failed": evaluated - passed,
        "na": na,
        "errors": errors,
        "probed_passed": passed,
        "rate": passed / cases,
        "wilson_low": low,
        "wilson_high": high,
        "evaluable_rate": passed / evaluated if evaluated else None,
        "wall_ms": wall,
    }


def suite(
    *rows: dict[str, Any],
    label: str = "Mine",
    systems: dict[str, dict[str, str]] | None = None,
    not_run: dict[str, str] | None = None,
) -> SuiteResults:
    scores = {(row["system"], row["category"]): row for row in rows}
    return SuiteResults(
        "mine", label, scores, SYSTEMS if systems is None else systems, NOT_RUN if not_run is None else not_run
    )


def per_system(system: str, trap: dict[str, Any], compound: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of one system in a suite of ten substring traps and five compound facts."""
    total = {key: trap.get(key, 0) + compound.get(key, 0) for key in ("passed", "na", "errors")}
    wall = {"wall": trap.get("wall", 1.25)}
    return [
        score(system, "compound_fact", cases=5, **compound),
        score(system, "substring_trap", cases=10, **trap),
        score(system, OVERALL, cases=15, **total, **wall),
        score(system, WITHOUT_COMPOUND, cases=10, **trap),
    ]


@pytest.fixture
def results() -> SuiteResults:
    nothing = {"passed": 0, "wall": None}
    return suite(
        *per_system("lethe", {"passed": 7}, {"passed": 1}),
        *per_system("mem0", {"passed": 6, "na": 3}, {"passed": 2, "errors": 1}),
        *per_system("naive_sql", {"passed": 9, "wall": 0.04}, {"passed": 0, "errors": 5}),
        *per_system("palace", {**nothing, "na": 10}, {**nothing, "na": 5}),
        *per_system("null", {"passed": 0}, {"passed": 0}),
        *per_system("oracle", {"passed": 10}, {"passed": 5}),
    )


def cells(table: PaperTable) -> dict[str, list[str]]:
    """The cells of each row by the row's first cell."""
    return {row[0]: list(row[1:]) for section in table.sections for row in section}


def test_results_name_systems_and_categories_in_order(results: SuiteResults) -> None:
    assert results.system_names(controls=False) == ["lethe", "mem0", "naive_sql", "palace", "absent"]
    assert results.system_names(controls=True) == ["null", "oracle"]
    assert results.categories() == ["substring_trap", "compound_fact"]
    assert (results.cases(), results.cases("compound_fact"), results.cases("nonesuch")) == (15, 5, 0)
    assert results.score("absent") is None


def test_results_are_read_from_the_analysis(results: SuiteResults, tmp_path: Path) -> None:
    write_rows(tmp_path / "scores.parquet", SCORES, list(results.scores.values()), "p")
    labels = {"suites": {"mine": "Mine"}, "systems": SYSTEMS, "not_run": NOT_RUN}
    assert SuiteResults.read(tmp_path / "scores.parquet", "mine", labels) == results


def test_category_table(results: SuiteResults) -> None:
    table = category_table(results, "adversarial")
    assert table.name == "adversarial"
    assert table.wide
    assert list(table.header) == [
        "Category",
        "Lethe",
        "Mem0 & Co_50%",
        "Naive SQL",
        "MemPalace",
        "Absent",
        "null",
        "oracle",
    ]
    categories, totals = table.sections
    assert [list(row) for row in categories] == [
        ["substring_trap (n=10)", "7 (70)", "6 (60) [3]", "9 (90)", "N/A", "not run", "0 (0)", "10 (100)"],
        ["compound_fact (n=5)", "1 (20)", "2 (40)", "error", "N/A", "not run", "0 (0)", "5 (100)"],
    ]
    assert [list(row) for row in totals][:2] == [
        ["Overall excl. compound_fact (n=10)", *categories[0][1:]],
        ["Overall (n=15)", "8 (53)", "8 (53) [3]", "9 (60)", "N/A", "not run", "0 (0)", "15 (100)"],
    ]
    rows = cells(table)
    assert rows["wall ms/case"] == ["1.2", "1.2", "0.0", "–", "not run", "1.2", "1.2"]
    assert "Mine suite by category (15 cases)" in table.caption


def test_category_table_gives_the_wilson_interval_of_the_whole_suite(results: SuiteResults) -> None:
    rows = cells(category_table(results, "adversarial"))
    low, high = wilson(8, 15)
    lethe = [row[0] for label, row in rows.items() if "Wilson" in label]
    assert lethe == [f"{100 * low:.1f}", f"{100 * high:.1f}"]


def test_category_table_notes_what_did_not_run_and_what_broke(results: SuiteResults) -> None:
    assert list(category_table(results, "adversarial").notes) == [
        "Absent: not run: left out by run.systems.",
        "Mem0 & Co_50%: 1 of 15 trials broke (error).",
        "Naive SQL: 5 of 15 trials broke (error).",
    ]


@pytest.mark.parametrize("category", ["substring_trap", "compound_fact"])
def test_category_table_of_one_category_has_one_total(category: str) -> None:
    rows = [score("lethe", category, 3, 4), score("lethe", OVERALL, 3, 4)]
    if category != "compound_fact":
        rows.append(score("lethe", WITHOUT_COMPOUND, 3, 4))
    labels = list(cells(category_table(suite(*rows), "x")))
    assert labels[:2] == [f"{category} (n=4)", "Overall (n=4)"]
    assert not any("excl." in label for label in labels)


def test_template_table(results: SuiteResults) -> None:
    table = template_table(results)
    assert table.name == "template"
    assert "Mine suite (15 cases)" in table.caption
    systems, controls = table.sections
    assert [row[0] for row in systems] == ["Lethe", "Mem0 & Co_50%", "Naive SQL", "MemPalace", "Absent"]
    assert [row[0] for row in controls] == ["null", "oracle"]
    column = {name: position - 1 for position, name in enumerate(table.header)}
    rows = cells(table)
    low, high = wilson(8, 15)
    assert rows["Lethe"][column["Wilson 95 %"]] == f"[{100 * low:.2f}, {100 * high:.2f}]"
    assert rows["Lethe"][0] == "8/15 (53.33)"
    assert rows["Lethe"][-3:] == ["0", "0", "1.2"]
    assert rows["Mem0 & Co_50%"][-3:] == ["3", "1", "1.2"]
    assert rows["MemPalace"][0] == "0/15 (0.00)"
    assert rows["MemPalace"][-3:] == ["15", "0", "–"]
    assert rows["Absent"][0] == "not run"
    assert set(rows["Absent"][1:]) == {""}
    assert all(len(row) == len(table.header) - 1 for row in rows.values())
    assert table.notes[0] == "Absent: not run: left out by run.systems."
    assert all(note.endswith("trials broke (error).") for note in table.notes[1:])


def test_the_papers_own_row_of_the_template_table() -> None:
    table = template_table(suite(score("lethe", OVERALL, 993, 1000)))
    assert cells(table)["Lethe"][:2] == ["993/1000 (99.30)", "[98.56, 99.66]"]


def test_naive_sql_table(results: SuiteResults) -> None:
    table = naive_sql_table(results)
    assert list(table.header) == ["Category", "Naive SQL", "Lethe", "Δ pt"]
    assert cells(table) == {
        "substring_trap (n=10)": ["9 (90)", "7 (70)", "+20"],
        "compound_fact (n=5)": ["error", "1 (20)", "−20"],
        "Overall (n=15)": ["9 (60)", "8 (53)", "+7"],
    }
    assert "on the mine suite" in table.caption


@pytest.mark.parametrize("missing", ["naive_sql", "lethe"])
def test_naive_sql_table_without_one_of_the_two(missing: str) -> None:
    other = "lethe" if missing == "naive_sql" else "naive_sql"
    rows = [score(other, category, 3, 4) for category in ("purge", OVERALL)]
    table = naive_sql_table(suite(*rows, not_run={missing: "not run: left out by run.systems"}))
    expected = ["not run", "3 (75)", ""] if missing == "naive_sql" else ["3 (75)", "not run", ""]
    assert cells(table) == {"purge (n=4)": expected, "Overall (n=4)": expected}
    assert "not run: left out by run.systems" in "".join(table.notes)


def test_naive_sql_table_says_that_it_has_errors(results: SuiteResults) -> None:
    assert any("5 of 15 trials broke" in note for note in naive_sql_table(results).notes)


def test_controls_table_says_that_it_has_errors() -> None:
    results = suite(score("null", OVERALL, 1, 4, errors=2), score("oracle", OVERALL, 4, 4))
    assert any("2 of 4 trials broke" in note for note in controls_table([results]).notes)


def test_a_difference_of_nothing_has_no_minus() -> None:
    rows = [score("naive_sql", OVERALL, 499, 1000), score("lethe", OVERALL, 500, 1000)]
    assert "−0" not in cells(naive_sql_table(suite(*rows)))["Overall (n=1000)"]


def test_controls_table(results: SuiteResults) -> None:
    imported = suite(score("null", OVERALL, 1, 4), score("oracle", OVERALL, 0, 4, na=4, wall=None), label="Imported_1")
    table = controls_table([results, imported, suite(score("lethe", OVERALL, 1, 2), label="Bare")])
    assert list(table.header) == ["Suite", "null", "oracle"]
    assert cells(table) == {
        "Mine (n=15)": ["0 (0)", "15 (100)"],
        "Imported_1 (n=4)": ["1 (25)", "N/A"],
        "Bare (n=2)": ["not run", "not run"],
    }


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
        ("", ""),
    ],
)
def test_latex_escaping(text: str, expected: str) -> None:
    assert escape_latex(text) == expected


TABLES: dict[str, Callable[[SuiteResults], PaperTable]] = {
    "template": template_table,
    "adversarial": lambda results: category_table(results, "adversarial"),
    "naive_sql": naive_sql_table,
    "controls": lambda results: controls_table([results, results]),
}


@pytest.fixture(params=list(TABLES))
def table(request: pytest.FixtureRequest, results: SuiteResults) -> PaperTable:
    built = TABLES[request.param](results)
    assert built.name == request.param
    return built


def test_every_row_has_a_cell_a_column(table: PaperTable) -> None:
    assert {len(row) for section in table.sections for row in section} == {len(table.header)}


def test_csv_holds_the_cells_of_the_latex(table: PaperTable, tmp_path: Path) -> None:
    table.write(tmp_path / "t.tex", tmp_path / "t.csv")
    rows = list(csv.reader(io.StringIO((tmp_path / "t.csv").read_text(encoding="utf-8"))))
    latex = (tmp_path / "t.tex").read_text(encoding="utf-8")
    body = latex.split("\\toprule\n")[1].split("\\bottomrule")[0]
    lines = [line for line in body.splitlines() if line != "\\midrule"]
    assert [" & ".join(escape_latex(cell) for cell in row) + " \\\\" for row in rows] == lines
    assert rows == [list(table.header), *(list(row) for section in table.sections for row in section)]


def test_a_rule_stands_between_sections(table: PaperTable) -> None:
    assert table.to_latex().count("\\midrule") == len(table.sections)


def test_latex_names_caption_label_and_notes(table: PaperTable) -> None:
    latex = table.to_latex()
    environment = "table*" if table.wide else "table"
    assert latex.startswith(f"\\begin{{{environment}}}")
    assert latex.endswith(f"\\end{{{environment}}}\n")
    assert f"\\caption{{{escape_latex(table.caption)}}}\\label{{tab:{table.name}}}" in latex
    assert all(escape_latex(note) in latex for note in table.notes)


def compile_latex(table: PaperTable, folder: Path) -> subprocess.CompletedProcess[str]:
    """Set the table in a two-column article."""
    (folder / "t.tex").write_text(
        "\\documentclass[twocolumn]{article}\n\\usepackage{booktabs}\n\\usepackage{graphicx}\n"
        f"\\begin{{document}}\nText.\n{table.to_latex()}\\end{{document}}\n",
        encoding="utf-8",
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)


needs_latex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")


@needs_latex
def test_the_table_compiles_and_fits(table: PaperTable, tmp_path: Path) -> None:
    done = compile_latex(table, tmp_path)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "t.pdf").stat().st_size > 0
    assert "Overfull \\hbox" not in done.stdout


@needs_latex
def test_any_label_compiles(tmp_path: Path) -> None:
    systems = {
        "lethe": {"label": "~a^b_c#d$e%f&g{h}i\\j", "regime": "deterministic"},
        "null": {"label": "* null", "regime": "control"},
    }
    done = compile_latex(template_table(suite(score("lethe", OVERALL, 1, 2), systems=systems, not_run={})), tmp_path)
    assert done.returncode == 0, done.stdout[-2000:]


@needs_latex
def test_a_label_in_brackets_compiles(tmp_path: Path) -> None:
    systems = {"lethe": {"label": "[old] Lethe", "regime": "deterministic"}}
    done = compile_latex(template_table(suite(score("lethe", OVERALL, 1, 2), systems=systems, not_run={})), tmp_path)
    assert done.returncode == 0
