"""The tables about the rules hook: the held-out third stands beside the rest, and nothing is made up without a run."""

from typing import Any

from lethe.forgeteval.cases import Case
from lethe.forgeteval.held_out import is_held_out
from lethe.paper.rules_tables import ablation_table, held_out_table


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


def trials(passes: Any) -> list[dict[str, Any]]:
    return [{"case_id": case.case_id, "verdict": "pass" if passes(case) else "fail"} for case in CASES]


def test_the_held_out_third_stands_beside_the_rest() -> None:
    held = sum(is_held_out(case.case_id) for case in CASES)
    assert 0 < held < len(CASES)
    runs = {"lethe": trials(lambda _: False), "lethe+rules": trials(lambda case: is_held_out(case.case_id))}
    table = held_out_table(CASES, runs, {"lethe": "Lethe", "lethe+rules": "Lethe+rules"}, "Mine")
    assert table.header[1:] == [
        "Lethe, developed on", "Lethe, held out", "Lethe+rules, developed on", "Lethe+rules, held out",
    ]  # fmt: skip
    assert [row[0] for row in table.sections[0]] == ["prefix_collision", "negation_trap"]
    rest = len(CASES) - held
    assert table.sections[1] == [
        ["Overall", f"0/{rest} (0)", f"0/{held} (0)", f"0/{rest} (0)", f"{held}/{held} (100)"]
    ]  # fmt: skip


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
    for table in (held_out_table(CASES, {}, {}, "Mine"), ablation_table(CASES, {}, "Mine")):
        assert table.sections == [[["all", "not run"]]]
        assert "not run: left out by run.systems" in table.notes[0]
