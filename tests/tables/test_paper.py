"""The paper's tables: its form, what stands for each printed place, and the mark that says where it comes from."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from lethe.study.published import Published, PublishedNumber
from lethe.tables.paper.nineteen import LAYOUTS, Layout, paper_table
from lethe.tables.paper.places import Places
from lethe.tables.table import Table
from tests.support.tables import configurations, results, rows_of, score, setup

NUMBERS = [
    ("prefix_collision", "n", "39", None, "count"),
    ("prefix_collision", "lethe", "32", 39, "cases"),
    ("prefix_collision", "lethe", "82", 39, "percent"),
    ("prefix_collision", "mem0", "12", 39, "cases"),
    ("prefix_collision", "mem0", "31", 39, "percent"),
    ("negation_trap", "mem0", "21", 40, "cases"),
    ("negation_trap", "mem0", "52", 40, "percent"),
    ("all", "lethe", "244", 385, "cases"),
    ("all", "lethe", "63.4", 385, "percent"),
    ("all", "mem0", "", None, "na"),
    ("wilson_low", "lethe", "58.4", None, "percent"),
    ("wilson_high", "lethe", "68.1", None, "percent"),
]
LAYOUT = Layout(
    "adversarial", "Of the paper", "adversarial", columns=("lethe", "mem0"), rows=("prefix_collision", "all", "wilson")
)


def published() -> Published:
    by_place: dict[Any, dict[str, PublishedNumber]] = {}
    for row, column, value, n, unit in NUMBERS:
        number = PublishedNumber("adversarial", row, column, Decimal(value) if value else None, n, unit)
        by_place.setdefault(number.place, {})[unit] = number
    return Published(by_place)


def place(row: str, column: str, unit: str, state: str, verdict: str = "equal", **more: Any) -> dict[str, Any]:
    number = published().by_place["adversarial", row, column][unit]
    given = {
        "table": "adversarial",
        "row": row,
        "column": column,
        "unit": unit,
        "printed": "N/A" if number.value is None else str(number.value),
        "published": None if number.value is None else float(number.value),
        "published_n": number.n,
        "state": state,
        "configuration": column if state == "measured" else "",
        "verdict": verdict,
        "note": "",
        "recounted_run": "",
        "later_run": "",
    }
    numbers = ("measured", "measured_n", "broken", "recounted", "recounted_n", "later", "later_n")
    return {**given, **dict.fromkeys(numbers), **more}


def rows(state: str, verdict: str = "equal", **mem0: Any) -> list[dict[str, Any]]:
    """What stands for the places; that of Mem0 on prefix_collision as given."""
    return [
        place("prefix_collision", "n", "count", "counted in the cases", measured=39),
        place("prefix_collision", "lethe", "cases", "measured", measured=32, measured_n=39),
        place("prefix_collision", "mem0", "cases", state, verdict, **mem0),
        place("all", "lethe", "cases", "measured", measured=244, measured_n=385),
        place("all", "mem0", "na", "measured", measured=0, measured_n=0),
        place("wilson_low", "lethe", "percent", "measured", "differs", measured=58.454),
        place("wilson_high", "lethe", "percent", "measured", measured=68.1),
    ]


def table(state: str, verdict: str = "equal", **mem0: Any) -> Table:
    return paper_table(LAYOUT, rows(state, verdict, **mem0), published(), None, [], [], setup())


@pytest.mark.parametrize(
    ("state", "verdict", "mem0", "shown", "kind"),
    [
        ("measured", "equal", {"measured": 12, "measured_n": 39}, "12/39 (31)", "measured"),
        ("measured", "differs", {"measured": 13, "measured_n": 39}, "13/39 (33) [12]", "measured"),
        ("measured", "equal", {"measured": 12, "measured_n": 39, "broken": 2}, "12/39 (31), 2 broke", "measured"),
        ("other cases", "within", {"measured": 10, "measured_n": 39, "broken": 1}, "10/39 (26), 1 broke‡", "measured"),
        ("recounted", "equal", {"recounted": 12, "recounted_n": 39, "broken": 2}, "12/39 (31)†", "measured"),
        ("recounted", "equal", {"recounted": 12, "recounted_n": 39}, "12/39 (31)†", "measured"),
        ("recounted", "differs", {"recounted": 9, "recounted_n": 30}, "9/30 (30)† [12/39 (31)]", "measured"),
        ("other cases", "within", {"measured": 10, "measured_n": 39}, "10/39 (26)‡", "measured"),
        ("printed", "no answer", {"note": "no run here asks it"}, "12/39 (31)*", "published"),
        (
            "printed",
            "no answer",
            {"note": "no run here asks it", "later": 9, "later_n": 39, "later_run": "mem0 (v0.7)"},
            "12/39 (31)*",
            "published",
        ),
    ],
)
def test_a_cell_shows_what_stands_for_it_and_where_it_comes_from(
    state: str, verdict: str, mem0: dict[str, Any], shown: str, kind: str
) -> None:
    made = table(state, verdict, **mem0)
    cell = made.sections[0][0][2]
    assert (cell.text, cell.state) == (shown, kind)
    notes = ["As printed: no run here asks it."] if state == "printed" else []
    assert made.notes == notes + (
        ["Later: what the authors released of another run, N/A as failures (mem0 (v0.7))."] if "later" in mem0 else []
    )


def test_the_form_is_the_papers() -> None:
    made = table("measured", measured=12, measured_n=39)
    assert made.header == ("", "Lethe", "Mem0")
    assert rows_of(made) == [
        ["Prefix collision (n=39)", "32/39 (82)", "12/39 (31)"],
        ["All", "244/385 (63.4)", "N/A"],
        ["Wilson 95 %", "[58.5, 68.1]", ""],
        ["Wilson 95 %, printed", "[58.4, 68.1]", ""],
    ]
    assert [len(section) for section in made.sections] == [1, 3], "a rule stands before the totals"


def test_the_caption_explains_the_marks_that_occur() -> None:
    assert table("measured", measured=12, measured_n=39).caption == (
        "Of the paper. Unmarked: measured here on the paper's cases. In brackets: what was printed, where it differs."
    )
    assert "†: counted again" in table("recounted", recounted=12, recounted_n=39).caption


def test_a_later_run_has_a_column_of_its_own() -> None:
    given = {"note": "not asked", "later": 9, "later_n": 39, "later_run": "mem0 (v0.7)"}
    made = table("printed", "no answer", **given)
    assert made.header == ("", "Lethe", "Mem0", "Mem0, later run")
    assert [row[3] for row in rows_of(made)] == ["9/39 (23)", "", "", ""]


def test_a_note_gives_what_the_controls_pass() -> None:
    controls = {name: {"label": name, "regime": "control"} for name in ("null", "oracle")}
    entries = configurations({**controls, "lethe": {"label": "Lethe", "regime": "deterministic"}})
    passed = [score("null", "all", 96, 385), score("oracle", "all", 0, 385, na=385), score("lethe", "all", 244, 385)]
    scores = results(passed, entries)
    made = paper_table(
        LAYOUT, rows("measured", measured=12, measured_n=39), published(), scores, [], [], setup(entries)
    )
    assert made.notes == ["Controls, of 385: null 96, oracle N/A."]
    again = setup(entries, repetitions={"": 5})
    scores = replace(scores, repetitions=dict.fromkeys(entries, 5))
    made = paper_table(LAYOUT, rows("measured", measured=12, measured_n=39), published(), scores, [], [], again)
    said = "Each case was run 5 times; what passed, is N/A or broke is counted by trial."
    assert made.notes == ["Controls, of 385: null 96, oracle N/A.", said]


def test_a_note_gives_what_the_controls_pass_of_a_benchmark() -> None:
    controls = {name: {"label": name, "regime": "control"} for name in ("null", "nuke", "oracle")}
    entries = configurations({**controls, "lethe": {"label": "Lethe", "regime": "deterministic"}})
    counts = [("null", 68, 0), ("nuke", 69, 0), ("oracle", 0, 150), ("lethe", 47, 0)]
    whole = {"model": "", "cut": "overall", "value": "all", "questions": 150}
    answered = [{**whole, "system": name, "passed": passed, "na": na} for name, passed, na in counts]
    answered.append({**whole, "cut": "part", "value": "reasoning", "system": "null", "passed": 1, "na": 0})
    given = rows("measured", measured=12, measured_n=39)
    made = paper_table(LAYOUT, given, published(), None, answered, [], setup(entries))
    assert made.notes == ["Controls, of 150: null 68, nuke 69, oracle N/A."]


def test_the_tables_of_memora_name_its_controls() -> None:
    named = [layout.name for layout in LAYOUTS if layout.benchmark == "memora"]
    assert named == ["memora", "memora_persona", "memora_task"]


def test_what_is_known_of_a_number_stands_below_once_with_its_columns_or_rows() -> None:
    given = rows("measured", "differs", measured=13, measured_n=39, note="one case differs")
    for row in given:
        if row["row"].startswith("wilson"):
            row["note"] = "does not follow"
    made = paper_table(LAYOUT, given, published(), None, [], [], setup())
    assert made.notes == ["Prefix collision, Mem0: one case differs.", "Wilson 95 %: does not follow."]


def test_a_note_says_which_numbers_are_of_released_totals() -> None:
    given = rows("recounted", recounted=12, recounted_n=39, recounted_run="data/totals.json")
    made = paper_table(LAYOUT, given, published(), None, [], [], setup())
    assert made.notes == ["Counted from released totals, not verdicts (data/totals.json): Prefix collision, Mem0."]


def test_a_cell_printed_na_shows_the_verdicts_that_there_are() -> None:
    def shown(state: str, **numbers: Any) -> tuple[str, str]:
        cell = Places.of([place("all", "mem0", "na", state, **numbers)], published()).cell("adversarial", "all", "mem0")
        return cell.text, cell.state

    assert shown("measured", measured=0, measured_n=0) == ("N/A", "N/A")
    assert shown("recounted", recounted=0, recounted_n=0) == ("N/A†", "N/A")
    assert shown("recounted", recounted=8, recounted_n=8) == ("8/8† [N/A]", "measured")
    assert shown("printed") == ("N/A*", "N/A")


def test_cases_counted_na_stand_under_a_mark_of_their_own_where_another_number_is_printed() -> None:
    def number(row: str, column: str, value: str, unit: str, n: int | None = None) -> PublishedNumber:
        return PublishedNumber("mem0", row, column, Decimal(value), n, unit)

    numbers = [number("all", "mem0", "3", "cases", 11), number("all", "na", "25", "count")]
    printed = Published({one.place: {one.unit: one} for one in numbers})
    of_mem0 = {
        **place("all", "lethe", "cases", "printed", "no answer"),
        "table": "mem0",
        "column": "mem0",
        "printed": "3",
        "published": 3.0,
        "published_n": 11,
    }

    def shown(counted: int) -> str:
        na = {
            **place("prefix_collision", "n", "count", "counted in the cases", "equal" if counted == 25 else "differs"),
            "table": "mem0",
            "row": "all",
            "column": "na",
            "printed": "25",
            "measured": counted,
        }
        return Places.of([of_mem0, na], printed).cell("mem0", "all", "mem0").text

    assert shown(25) == "3/11, 25 N/A*"
    assert shown(27) == "3/11*, 27 N/A§ [25]"


def test_a_note_says_how_much_a_hook_varies() -> None:
    repeats = [{"category": "all", "cases": 385, "runs": 7, "lowest": 345, "highest": 350, "margin": 5.49}]
    given = rows("measured", measured=12, measured_n=39)
    made = paper_table(replace(LAYOUT, hooked=True), given, published(), None, [], repeats, setup())
    assert made.notes == [
        "From run to run: 7 repeats of a later hook pass 345 to 350 of 385; 95 % of runs lie within 5.5 cases of its "
        "mean (hook_run_variance)."
    ]


def test_the_nineteen_are_the_papers_in_its_order() -> None:
    assert [layout.name for layout in LAYOUTS] == [
        *("template", "adversarial", "memora", "label_partition", "judge_agreement", "provenance", "memora_persona"),
        *("memora_task", "factconsolidation", "cross_llm", "cross_architecture", "a_mem", "graphiti", "letta"),
        *("mem0_modes", "longmemeval", "external", "external_ecosystem", "naive_sql"),
    ]


@pytest.mark.parametrize(
    ("passed", "n", "shown"), [(0, 40, "0/40 (0)"), (25, 40, "25/40 (63)"), (61, 200, "61/200 (31)")]
)
def test_a_half_is_rounded_as_the_paper_rounds_it_or_up(passed: int, n: int, shown: str) -> None:
    assert table("measured", measured=passed, measured_n=n).sections[0][0][2].text == shown


def test_a_half_that_the_paper_rounds_down_stands_as_there() -> None:
    found = place("negation_trap", "mem0", "cases", "recounted", recounted=21, recounted_n=40)
    assert Places.of([found], published()).cell("adversarial", "negation_trap", "mem0").text == "21/40 (52)†"


def test_a_place_that_the_paper_does_not_print_is_blank() -> None:
    assert Places.of([], published()).cell("adversarial", "negation_trap", "lethe").state == "blank"
