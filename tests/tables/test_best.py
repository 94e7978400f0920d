"""The best of a column in bold, and what does not compete for it."""

from dataclasses import replace

import pytest

from lethe.tables.best import NOTE, bold_best, competes, with_best
from lethe.tables.beyond.suites import adversarial_table
from lethe.tables.cells import BLANK, count, label, published_text
from lethe.tables.table import Table
from tests.support.suite_results import SYSTEMS, per_system, suite


def bold(*values: int, competing: list[bool] | None = None, lowest: bool = False) -> list[bool]:
    column = bold_best(map(count, values), competing or [True] * len(values), lowest=lowest)
    return [cell.bold for cell in column]


def test_the_best_is_the_highest_or_lowest_and_every_equal_one() -> None:
    assert bold(1, 3, 3, 2) == [False, True, True, False]
    assert bold(1, 3, 0, lowest=True) == [False, False, True]


def test_where_all_are_alike_none_is_the_best() -> None:
    assert bold(2, 2) == [False, False] and bold(2) == [False]


def test_only_what_was_measured_and_competes_can_be_the_best() -> None:
    assert bold(1, 9, 2, competing=[True, False, True]) == [False, False, True]
    column = bold_best([count(1), published_text("9", 9), count(2), BLANK], [True] * 4)
    assert [cell.bold for cell in column] == [False, False, True, False]


def test_a_table_with_a_best_says_what_bold_means() -> None:
    table = Table("x", "", ["A", "n"], [[[label("a"), count(1)]], [[label("b"), count(2)]]])
    marked = with_best(table, [True, True], highest=[1])
    assert [row[1].bold for row in marked.rows()] == [False, True] and list(marked.notes) == [NOTE]
    assert len(marked.sections) == 2
    assert with_best(table, [True, False], highest=[1]) == table


@pytest.mark.parametrize(("name", "may"), [("lethe", True), ("oracle", False), ("naive_sql", False), ("mem0", False)])
def test_controls_errors_and_training_cases_do_not_compete(name: str, may: bool) -> None:
    systems = {**SYSTEMS, "mem0": {**SYSTEMS["mem0"], "hook": "matcher"}}
    rows = [row for each in ("lethe", "mem0", "oracle") for row in per_system(each, {"passed": 7}, {"passed": 1})]
    rows += per_system("naive_sql", {"passed": 9}, {"passed": 0, "errors": 5})
    results = suite(*rows, systems=systems)
    seen = type(results)(**{field: getattr(results, field) for field in results.__slots__} | {"seen_by": ["matcher"]})
    assert competes(seen, name) is may


def test_a_row_with_a_caveat_does_not_compete_and_its_table_says_why() -> None:
    plain = suite(*per_system("lethe", {"passed": 7}, {"passed": 1}))
    results = replace(plain, caveats={"lethe": "No measure."})
    assert competes(plain, "lethe") and not competes(results, "lethe")
    assert f"{results.label_of('lethe')}: No measure." in results.notes()
    assert f"{results.label_of('lethe')}: No measure." not in results.notes(["oracle"])


def test_a_row_with_cases_that_are_na_competes_in_passes_but_in_no_rate_of_facts() -> None:
    results = suite(*per_system("lethe", {"passed": 7, "na": 1}, {"passed": 1}))
    assert competes(results, "lethe") and not competes(results, "lethe", of_facts=True)
    assert competes(suite(*per_system("lethe", {"passed": 7}, {"passed": 1})), "lethe", of_facts=True)


def test_a_table_marked_twice_says_once_what_bold_means() -> None:
    table = Table("x", "", ["A", "n", "m"], [[[label("a"), count(1), count(2)], [label("b"), count(2), count(1)]]])
    marked = with_best(with_best(table, [True, True], highest=[1]), [True, True], lowest=[2])
    assert [[cell.bold for cell in row] for row in marked.rows()] == [[False] * 3, [False, True, True]]
    assert list(marked.notes) == [NOTE]


def test_in_the_main_table_the_oracle_is_never_the_best() -> None:
    rows = [row for each, n in (("lethe", 7), ("mem0", 6)) for row in per_system(each, {"passed": n}, {"passed": 1})]
    table = adversarial_table(suite(*rows, *per_system("oracle", {"passed": 10}, {"passed": 5})))
    assert {row[0].text: any(cell.bold for cell in row) for row in table.rows()} == {
        "Lethe": True,
        "Mem0 & Co_50%": False,
        "oracle": False,
    }
