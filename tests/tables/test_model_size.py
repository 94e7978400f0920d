"""What a hook gains by the size of its model, and what it chooses."""

from dataclasses import replace
from typing import Any

from lethe.schemas import ALL
from lethe.study.published import read_published
from lethe.study.results import SuiteResults
from lethe.study.setup import Setup
from lethe.tables.beyond.model_size import families, hook_choices_table, model_size_table, parameters_text
from lethe.tables.beyond.suites import ABSENT
from lethe.tables.figures.model_size import draw_model_size
from tests.support.paths import PUBLISHED
from tests.support.tables import configuration, results, rows_of, score, setup

ENTRIES = {
    "lethe": configuration("Lethe"),
    "lethe+llm@big": configuration("Lethe+LLM (Big)", system="lethe+llm", model="big", hook="llm"),
    "lethe+llm@small": configuration("Lethe+LLM (Small)", system="lethe+llm", model="small", hook="llm"),
    "lethe+matcher": configuration("Lethe+matcher", system="lethe+matcher", hook="matcher"),
}
PAIRS = [["lethe", name] for name in ENTRIES if name != "lethe"]
RECORD = setup(
    ENTRIES, models={"big": "Big", "small": "Small"}, parameters={"big": 1_500_000_000, "small": 135_000_000},
    hook_pairs=PAIRS,
)  # fmt: skip
NOTHING_RAN = "not run: no configuration with a chat model"
PAPER = read_published(PUBLISHED)


def suite(*names: str) -> dict[str, SuiteResults]:
    rows = [score(name, ALL, 3, 10) | {"leaks": 4, "collateral": 5} for name in names]
    return {"mine": results(rows, ENTRIES)}


def run(model: str, **values: Any) -> dict[str, Any]:
    return {
        "suite": "mine", "system": "lethe+llm", "model": model, "decisions": 12, "unusable": 3,
        "fallbacks": 4, "repairs": 4, "alone_cases": 8, "alone_passed": 2, "answer_ms": 6000.0,
        "cost_usd": 0.0, **values,
    }  # fmt: skip


def test_a_store_is_followed_by_its_hooks_from_the_smallest_model_on() -> None:
    assert families(RECORD) == [["lethe", "lethe+matcher", "lethe+llm@small", "lethe+llm@big"]]


def test_parameters_are_said_as_people_do() -> None:
    assert [parameters_text(count) for count in (135_000_000, 500_000_000, 1_540_000_000, 671e9)] == [
        "135M", "500M", "1.54B", "671B",
    ]  # fmt: skip


def test_each_row_says_what_the_model_alone_decided() -> None:
    table = model_size_table(
        suite(*ENTRIES), [run("small"), run("big", unusable=0, fallbacks=0, repairs=0)], RECORD, PAPER
    )
    rows = {row[0]: row[1:] for row in rows_of(table)}
    assert rows["Mine: Lethe"] == ["–", "3 (30)", "[10.8, 60.3]", "4", "5", *["–"] * 5]
    assert rows["Mine: Lethe+matcher"][0] == "0"
    assert rows["Mine: Lethe+LLM (Small)"][5:] == ["9/12 (75)", "4", "2/8 (25)", "0.50", "0.00"]
    assert rows["Mine: Lethe+LLM (Big)"][5] == "12/12 (100)"
    assert rows["published: Lethe+LLM (DeepSeek-V3)"][:2] == ["671B", "353/385 (92)"]


def test_without_a_model_the_table_says_so_above_the_published_numbers() -> None:
    table = model_size_table(suite("lethe", "lethe+matcher"), [], RECORD, PAPER)
    assert rows_of(table)[0][0] == NOTHING_RAN
    assert rows_of(table)[-1][0] == "published: LangGraph+LLM (DeepSeek-V3)"


def test_choices_are_listed_by_suite_in_the_order_of_the_configurations() -> None:
    counts = {"decisions": 3, "chosen": 7, "meant": 4, "shown": 12, "as_many": 1, "fewer": 0, "more": 2, "every": 2}
    choice = {"suite": "mine", "operation": "purge", "undecided": 0, **counts}
    table = hook_choices_table(
        [{**choice, "system": "lethe+matcher", "model": ""}, {**choice, "system": "lethe+llm", "model": "big"}], RECORD
    )
    assert [row[1] for row in rows_of(table)] == ["Lethe+LLM (Big)", "Lethe+matcher"]
    assert rows_of(table)[0][3:] == [str(counts[name]) for name in counts]
    assert rows_of(hook_choices_table([], RECORD))[0][0] == "not run: no hook ran"


def drawn(record: Setup, *names: str) -> list[str]:
    figure = draw_model_size(suite(*names), record, PAPER)
    return [tick.get_text() for axes in figure.axes for tick in axes.get_xticklabels()]


def test_the_figure_goes_from_no_hook_to_the_largest_model() -> None:
    assert drawn(RECORD, *ENTRIES) == ["no\nhook", "hook,\nno\nmodel", "135M", "1.5B"]
    (axes,) = draw_model_size(suite("lethe", "lethe+matcher"), RECORD, PAPER).axes
    assert [text.get_text() for text in axes.texts] == [NOTHING_RAN]


def test_the_legend_names_every_store_of_any_panel() -> None:
    entries = {**ENTRIES, "sql": configuration("SQL"), "sql+llm@big": configuration("", system="sql+llm", model="big")}
    record = replace(RECORD, configurations=entries, hook_pairs=[*PAIRS, ["sql", "sql+llm@big"]])
    rows = [score(name, ALL, 3, 10) for name in entries]
    panels = {"both": results(rows, entries), **suite(*ENTRIES)}
    (legend,) = [found for axes in draw_model_size(panels, record, PAPER).axes if (found := axes.get_legend())]
    assert [text.get_text() for text in legend.get_texts()] == ["Lethe", "SQL"]


def test_the_planner_without_a_model_stands_by_itself_and_says_what_it_has_seen() -> None:
    (unseen,) = suite(*ENTRIES).values()
    for results_of, said in ((unseen, False), (replace(unseen, seen_by=["matcher"]), True)):
        (axes,) = draw_model_size({"mine": results_of}, RECORD, PAPER).axes
        joined, alone = (
            line.get_xdata() for line in axes.get_lines() if len(line.get_xdata()) and line.get_marker() == "o"
        )
        assert (list(joined), list(alone)) == ([0, 2, 3], [1])
        assert any("developed on" in text.get_text() for text in axes.texts) is said


def test_the_notes_name_the_suite_that_they_are_about() -> None:
    (ran,) = suite("lethe", "lethe+matcher", "lethe+llm@small").values()
    absent = {"lethe+llm@big": "not run: no answers recorded"}
    other = replace(ran, suite="other", label="Other", scores={}, not_run=dict.fromkeys(ENTRIES, "not run: left out"))
    shown = replace(ran, not_run=absent, seen_by=["matcher"])
    assert list(model_size_table({"mine": shown, "other": other}, [run("small")], RECORD, PAPER).notes) == [
        ABSENT,
        "Mine: Lethe+matcher: developed on these very cases; the held-out suite has others.",
    ]
