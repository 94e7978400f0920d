"""The tables of the extended systems: measured by category beside what the paper printed, and one of them all.

Paper, appendices "A-MEM", "Graphiti", "Letta", "Mem0 infer=True" and "External-authored subset".
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lethe.analysis.published import Published
from lethe.analysis.results import SuiteResults
from lethe.cases.case import CATEGORIES
from lethe.schemas import ALL
from lethe.tables.cells import PaperTable

Score = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ExtendedTable:
    """What stands in one table.

    Attributes:
        measured: systems of config/systems.yaml; each has a column for every row of it that ran.
        printed_in: the table of config/published.csv.
        printed: columns of that table, with their headings.
    """

    title: str
    measured: Sequence[str]
    printed_in: str
    printed: Mapping[str, str]


EXTENDED: dict[str, ExtendedTable] = {
    "a_mem": ExtendedTable("A-MEM", ["a_mem", "a_mem+uniform", "lethe"], "a_mem", {"a_mem": "A-MEM", "lethe": "Lethe"}),
    "graphiti": ExtendedTable(
        "Graphiti",
        ["graphiti", "graphiti+uniform", "graphiti_falkordb", "graphiti_falkordb+uniform", "lethe"],
        "graphiti",
        {"graphiti": "Graphiti", "lethe": "Lethe"},
    ),
    "letta": ExtendedTable(
        "Letta", ["letta", "letta+uniform", "letta+llm", "lethe"], "letta", {"letta": "Letta", "lethe": "Lethe"}
    ),
    "mem0_modes": ExtendedTable(
        "Mem0 with and without its LLM router",
        ["mem0", "mem0_infer", "mem0_infer+uniform"],
        "mem0_modes",
        {"mem0": "infer=False", "mem0_infer": "infer=True"},
    ),
    "external_primary": ExtendedTable(
        "Primary systems on cases by external authors",
        ["lethe", "langgraph", "mempalace", "mempalace+delete", "mem0", "lethe+llm", "langgraph+llm"],
        "external",
        {
            "lethe": "Lethe",
            "langgraph": "LangGraph",
            "mempalace": "MemPalace",
            "mem0": "Mem0",
            "lethe+llm": "Lethe+LLM",
            "langgraph+llm": "LangGraph+LLM",
        },
    ),
    "external_ecosystem": ExtendedTable(
        "Ecosystem systems on cases by external authors",
        ["letta", "openmemory", "mem0_infer", "a_mem", "graphiti", "hipporag", "letta+llm"],
        "external_ecosystem",
        {
            "letta": "Letta",
            "openmemory": "OpenMemory",
            "mem0_infer": "Mem0 infer=True",
            "a_mem": "A-MEM",
            "graphiti": "Graphiti",
            "hipporag": "HippoRAG",
            "letta+llm": "Letta+LLM",
        },
    ),
}
"""Table name to what stands in it."""

_COUNTING = "Cells: passed/evaluable (percent of evaluable) [cases N/A]."


def extended_table(name: str, results: SuiteResults | None, published: Published, absent: str = "") -> PaperTable:
    """One of `EXTENDED`: categories by measured and printed columns, then the totals with N/A left out and counted.

    Args:
        results: scores of the suite; None where it has no case.
        absent: why it has none, for the notes.
    """
    table = EXTENDED[name]
    rows = [] if results is None else [row for system in table.measured for row in rows_of(results, system)]
    ran = [] if results is None else results.ran(rows)

    def line(label: str, cell: Callable[[Score], str], value: str, cut: str, place: str) -> list[str]:
        scores = [] if results is None else [results.score(row, value, cut) for row in ran]
        measured = ["–" if score is None else cell(score) for score in scores]
        return [label, *measured, *(_printed(published, table.printed_in, place, column) for column in table.printed)]

    categories = [line(category, evaluable_cell, category, "category", category) for category in CATEGORIES]
    totals = [line("Overall, N/A left out", evaluable_cell, ALL, "overall", "evaluable")]
    totals.append(line("Overall, N/A as failures", strict_cell, ALL, "overall", "all"))
    where = f"{results.label} suite ({results.cases()} cases), {results.scorer} scorer" if results else absent
    return PaperTable(
        name,
        f"{table.title}, measured here: {where}. Columns headed “paper” show what was published for its own cases, "
        f"which are others. {_COUNTING}",
        (
            "Category",
            *(results.label_of(row) for row in ran if results is not None),
            *(f"{heading}, paper" for heading in table.printed.values()),
        ),
        [categories, totals],
        [] if results is None else results.notes(rows),
        wide=True,
    )


def ecosystem_table(results: SuiteResults, published: Published) -> PaperTable:
    """Every measured system with its regime and contract, N/A left out and counted, and time per case.

    Paper, Limitations "Memory-system coverage" and Figure "heatmap".
    """
    names = results.system_names(controls=False)

    def row(name: str) -> list[str]:
        entry, score = results.systems[name], results.score(name)
        measured = ["not run", "", "", ""]
        if score is not None:
            wall = "–" if score["wall_ms"] is None else f"{score['wall_ms']:.1f}"
            measured = [evaluable_cell(score), str(score["na"]), strict_cell(score), wall]
        printed = published.find("text_heatmap", "evaluable", str(entry["system"]), "cases")
        comparable = printed is not None and entry.get("contract") != "uniform"
        shown = f"{printed.value}/{printed.n}" if comparable and printed is not None else ""
        return [results.label_of(name), entry["regime"], entry.get("contract", "both"), *measured, shown]

    return PaperTable(
        "ecosystem",
        f"All systems on the {results.label.lower()} suite ({results.cases()} cases), measured here, {results.scorer} "
        "scorer, under two contracts: N/A as the paper scores it, or whatever the system's API composes. The last "
        "column is what was published, evaluable cases of the paper's own suite.",
        ("System", "Regime", "Contract", "Passed/evaluable (%)", "N/A", "Passed (%)", "ms/case", "Paper"),
        [[row(name) for name in names]],
        results.notes(names),
        wide=True,
    )


def rows_of(results: SuiteResults, system: str) -> list[str]:
    """The table rows of a system: itself, or one for each model it runs with."""
    return [name for name, entry in results.systems.items() if entry["system"] == system]


def evaluable_cell(score: Score) -> str:
    """Passed of the cases that came to a verdict, percent, and how many are N/A."""
    evaluated = score["passed"] + score["failed"]
    partly = f" [{score['na']} N/A]" if score["na"] else ""
    if not evaluated:
        return "N/A" if score["na"] else "error"
    return f"{score['passed']}/{evaluated} ({100 * score['passed'] / evaluated:.0f}){partly}"


def strict_cell(score: Score) -> str:
    """Passed of all cases, N/A and errors among the failures."""
    return f"{score['passed']}/{score['cases']} ({100 * score['rate']:.0f})"


def _printed(published: Published, table: str, row: str, column: str) -> str:
    cases = published.find(table, row, column, "cases")
    percent = published.find(table, row, column, "percent")
    skipped = published.find(table, row, "na", "count")
    partly = f" [{skipped.value} N/A]" if skipped is not None and column == table else ""
    if cases is not None and cases.value is not None and cases.n is not None:
        return f"{cases.value}/{cases.n} ({100 * int(cases.value) / cases.n:.0f}){partly}"
    if percent is not None:
        return f"{percent.value} %"
    return "–" if published.find(table, row, column) is None else f"N/A{partly}"
