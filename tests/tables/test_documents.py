"""The documents of the printed tables: which tables they set, in which order, and that they compile."""

import re
from pathlib import Path

import pytest

from lethe.tables.documents import TITLES, render_document
from lethe.tables.registry import FOUND_MODULES, TableSpec, figure_specs, table_specs
from lethe.tables.render_latex import render_latex
from lethe.tables.table import Cell, Table
from tests.support.latex import compiled_file, fits, needs_pdflatex, pages, write_layout
from tests.support.tables import setup


def _table(name: str, rows: int = 3) -> Table:
    shown = [[Cell(f"row {row}"), Cell(str(row), "measured", row)] for row in range(rows)]
    return Table(name, f"The table {name}.", ["System", "Passed"], [shown])


def _spec(name: str, part: str, *, room: str = "paper", latex: bool = True) -> TableSpec:
    return TableSpec(name, (), lambda: _table(name), room, part, latex)


SPECS = [
    _spec("one", "First"),
    _spec("two", "First", latex=False),
    _spec("three", "Second"),
    _spec("four", "Third", room="beyond"),
]


def test_the_printed_tables_of_a_room_stand_under_their_headings() -> None:
    document = render_document("paper", SPECS, [])
    assert re.findall(r"^\\(heading|input)\{(\S+)\}$", document, re.M) == [
        ("heading", "First"), ("input", "one.tex"), ("heading", "Second"), ("input", "three.tex"),
    ]  # fmt: skip
    assert r"\item First: \texttt{one}, \texttt{two}*" in document


def test_the_figures_of_the_paper_stand_in_its_document_where_they_are_drawn() -> None:
    figures = figure_specs(setup())
    document = render_document("paper", SPECS, figures)
    assert {"trade_off", "heatmap"} & {spec.name for spec in figures} == set(re.findall(r"label\{fig:(\w+)", document))
    assert "includegraphics" not in render_document("beyond", SPECS, figures)


def test_every_table_is_in_a_room_with_a_document_and_the_papers_come_first() -> None:
    rooms = [spec.room for spec in table_specs(setup())]
    assert set(rooms) <= TITLES.keys()
    assert rooms == sorted(rooms, key=[name.rpartition(".")[2] for name in FOUND_MODULES].index)


def test_the_tables_of_a_part_stand_together() -> None:
    parts = [(spec.room, spec.part) for spec in table_specs(setup())]
    assert parts == sorted(parts, key=parts.index)


@needs_pdflatex
@pytest.mark.parametrize("rows", [3, 90], ids=["floats", "long"])
def test_a_heading_stands_over_the_first_table_of_its_part(tmp_path: Path, rows: int) -> None:
    write_layout(tmp_path)
    for spec in SPECS:
        (tmp_path / f"{spec.name}.tex").write_text(render_latex(_table(spec.name, rows)), encoding="utf-8")
    document = tmp_path / "paper.tex"
    document.write_text(render_document("paper", SPECS, []), encoding="utf-8")
    said = compiled_file(document)
    assert fits(said)
    assert pages(said) == (2 if rows == 3 else 5), "the first says what is in it; no page holds a heading alone"


@needs_pdflatex
def test_a_heading_over_a_turned_table_leaves_it_its_page(tmp_path: Path) -> None:
    wide = Table("one", "A table.", [f"column {place}" for place in range(16)], [[[Cell("0.123456")] * 16]], wide=True)
    assert render_latex(wide).startswith("\\measuredtable[*]{turned,small}")
    write_layout(tmp_path)
    (tmp_path / "one.tex").write_text(render_latex(wide), encoding="utf-8")
    document = tmp_path / "paper.tex"
    document.write_text(render_document("paper", [_spec("one", "First")], []), encoding="utf-8")
    said = compiled_file(document)
    assert fits(said) and pages(said) == 2
