"""The paper's heatmap: each of its thirteen configurations by the best source that there is, which the figure says."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from forgeteval.cases.case import ADVERSARIAL_CATEGORIES
from lethe.schemas import ALL
from lethe.study.published import read_published
from lethe.study.replication.printed_systems import THIRTEEN
from lethe.study.replication.thirteen import COUNTED, MEASURED, PRINTED, Shown, thirteen_shown
from lethe.study.results import SuiteResults
from lethe.tables.figures.heatmap import draw_heatmap
from tests.support.paths import PUBLISHED
from tests.support.tables import configuration, results, score

PAPER = read_published(PUBLISHED)
CASES = [
    {"case_id": f"c{number}", "category": name}
    for number, name in enumerate(["substring_trap"] * 3 + ["shared_attribute"])
]
ENTRIES = {
    "lethe": configuration("Lethe as run"),
    "mempalace": configuration("MemPalace"),
    "letta": configuration("Letta"),
}


def verdicts(system: str, model: str, letters: str, **changes: str) -> list[dict[str, Any]]:
    """Rows of the release: p, f and n for the verdicts of the cases in their order."""
    run = {
        "suite": "adversarial",
        "system": system,
        "model": model,
        "scorer": "substring",
        "release": "v0.5",
        **changes,
    }
    meant = {"p": "pass", "f": "fail", "n": "na"}
    return [{**run, "case_id": f"c{number}", "verdict": meant[letter]} for number, letter in enumerate(letters)]


RELEASED = [
    *verdicts("lethe", "", "ffff"),
    *verdicts("lethe+llm", "deepseek-ai/DeepSeek-V3", "ppfp"),
    *verdicts("lethe+llm", "Qwen/Qwen2.5-72B-Instruct", "ffff"),
    *verdicts("amem", "", "pffn"),
    *verdicts("langgraph+llm", "deepseek-ai/DeepSeek-V3", "ffff", suite="repaired", release="v0.7"),
]


@pytest.fixture
def measured() -> SuiteResults:
    rows = [score("lethe", ALL, 3, 4), score("lethe", "substring_trap", 3, 3), score("lethe", "shared_attribute", 0, 1)]
    rows += [score("mempalace", ALL, 0, 4, na=4), score("mempalace", "substring_trap", 0, 3, na=3)]
    return replace(results(rows, ENTRIES, {"letta": "not run: heavy"}), suite="published")


def by_name(rows: list[Shown]) -> dict[str, Shown]:
    return {row.system.name: row for row in rows}


def test_a_run_here_comes_before_released_verdicts_and_these_before_print(measured: SuiteResults) -> None:
    shown = by_name(thirteen_shown(measured, RELEASED, CASES, PAPER))
    assert len(shown) == len(THIRTEEN) == 13
    assert shown["lethe"].source == MEASURED and shown["lethe"].rates[ALL] == 0.75
    assert shown["mempalace"].rates == {"substring_trap": None, ALL: None}, "N/A, and nothing of what was not scored"
    assert shown["lethe+llm"].source == COUNTED
    assert shown["lethe+llm"].rates == {"substring_trap": 2 / 3, "shared_attribute": 1.0, ALL: 0.75}
    assert shown["a_mem"].rates == {"substring_trap": 1 / 3, "shared_attribute": None, ALL: 1 / 3}
    assert {name for name, row in shown.items() if row.source == PRINTED} == {
        "langgraph", "mem0", "letta", "openmemory", "mem0_infer", "graphiti", "hipporag", "letta+llm", "langgraph+llm",
    }, "another release's run is not the printed one"  # fmt: skip


def test_printed_numbers_are_of_the_evaluable_cases_and_none_is_made_up() -> None:
    shown = by_name(thirteen_shown(None, [], [], PAPER))
    assert {row.source for row in shown.values()} == {PRINTED}
    assert shown["letta"].rates["shared_attribute"] is None and shown["letta"].rates[ALL] == 203 / 310
    assert shown["letta+llm"].rates == {ALL: pytest.approx(0.761), "compound_fact": 0.0}
    assert set(shown["langgraph+llm"].rates) == {ALL, *ADVERSARIAL_CATEGORIES}


@pytest.fixture
def drawn(measured: SuiteResults) -> Iterator[Figure]:
    yield draw_heatmap(measured, RELEASED, CASES, PAPER)
    plt.close("all")


def test_type_and_words_say_where_a_number_comes_from(drawn: Figure) -> None:
    axes = drawn.axes[0]
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels[1] == "Lethe as run" and labels[-1] == "LangGraph+LLM"
    styles = {MEASURED: ("bold", "normal"), COUNTED: ("normal", "normal"), PRINTED: ("normal", "italic")}
    for place in range(13):
        *numbers, beside = (text for text in axes.texts if text.get_position()[1] == place)
        source = beside.get_text().split("\n")[1]
        assert {(text.get_fontweight(), text.get_fontstyle()) for text in numbers} == {styles[source]}, labels[place]
    assert any("Letta: not run: heavy." in text.get_text() for text in axes.texts)
    assert "Cross-lingual identifier" in [label.get_text() for label in axes.get_xticklabels()]


def test_without_the_papers_cases_the_figure_says_so() -> None:
    axes = draw_heatmap(None, [], [], PAPER).axes[0]
    assert any("every number is a printed one" in text.get_text() for text in axes.texts)
    plt.close("all")
