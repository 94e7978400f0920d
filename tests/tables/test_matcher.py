"""The tables about the matcher: the held-out suite stands beside the other, and nothing is made up without a run."""

from typing import Any

from lethe.cases.case import Case
from lethe.tables.matcher import SuiteRuns, ablation_table, held_out_table


def case(number: int) -> Case:
    return Case(
        case_id=f"{'prefix_collision' if number % 2 else 'negation_trap'}-{number:02d}",
        suite="mine",
        category="prefix_collision" if number % 2 else "negation_trap",
        setup_facts=("a fact",),
        mutations=(),
        final_query="what?",
        must_contain=("fact",),
        must_not_contain=(),
    )


CASES = [case(number) for number in range(60)]
UNSEEN = [case(number) for number in range(60, 70)]
LABELS = {"lethe": "Lethe", "lethe+matcher": "Lethe+matcher"}


def trials(passes: Any, cases: list[Case] = CASES) -> list[dict[str, Any]]:
    return [{"case_id": case.case_id, "verdict": "pass" if passes(case) else "fail"} for case in cases]


def runs(label: str, cases: list[Case], solved: str) -> SuiteRuns:
    plain, hooked = trials(lambda _: False, cases), trials(lambda case: case.category == solved, cases)
    return SuiteRuns(label, cases, {"lethe": plain, "lethe+matcher": hooked})


def test_the_held_out_suite_stands_beside_the_one_developed_on() -> None:
    mine, unseen = runs("Mine", CASES, "negation_trap"), runs("Unseen", UNSEEN, "prefix_collision")
    table = held_out_table(mine, unseen, LABELS)
    assert table.header[1:] == ["Lethe, mine", "Lethe, unseen", "Lethe+matcher, mine", "Lethe+matcher, unseen"]
    assert table.sections[0] == [
        ["prefix_collision", "0/30 (0)", "0/5 (0)", "0/30 (0)", "5/5 (100)"],
        ["negation_trap", "0/30 (0)", "0/5 (0)", "30/30 (100)", "0/5 (0)"],
    ]
    assert table.sections[1] == [["Overall", "0/60 (0)", "0/10 (0)", "30/60 (50)", "5/10 (50)"]]


def test_without_the_held_out_suite_the_table_says_so() -> None:
    table = held_out_table(runs("Mine", CASES, "negation_trap"), None, LABELS)
    assert table.header[1:] == ["Lethe, mine", "Lethe+matcher, mine"]
    assert table.notes == ["The held-out cases: not run: left out by run.suites."]


def test_each_family_left_out_is_a_column() -> None:
    ablations = {"none": trials(lambda _: True), "identity": trials(lambda case: case.category == "negation_trap")}
    table = ablation_table(CASES, ablations, "Mine")
    assert table.header == ["Category", "all rules", "without identity"]
    assert table.sections[0] == [
        ["prefix_collision", "30/30 (100)", "0/30 (0)"],
        ["negation_trap", "30/30 (100)", "30/30 (100)"],
    ]
    assert table.sections[1] == [["Overall", "60/60 (100)", "30/60 (50)"]]


def test_without_a_run_both_say_so() -> None:
    for table in (held_out_table(SuiteRuns("Mine", CASES, {}), None, {}), ablation_table(CASES, {}, "Mine")):
        assert table.sections == [[["all", "not run"]]]
        assert "not run: left out by run.systems" in table.notes[0]
