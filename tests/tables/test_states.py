"""The tables of leak, collateral and stale rates, and of twins."""

from typing import Any

from lethe.study.setup import Suite
from lethe.tables.beyond.states import categories_table, operations_table, states_table, twins_table
from lethe.tables.beyond.suites import ABSENT
from tests.support.tables import configurations, results, score, setup, texts

ENTRIES = configurations(
    {
        "lethe": {"label": "Lethe", "regime": "deterministic"},
        "lethe+matcher": {"label": "Lethe+matcher", "regime": "deterministic", "hook": "matcher"},
        "chroma": {"label": "Chroma", "regime": "vec-only"},
        "nuke": {"label": "nuke", "regime": "control"},
    }
)
RESULTS = results(
    [
        score("lethe", "all", 5, 10),
        score("lethe", "drift", 5, 10, cut="category"),
        score("nuke", "all", 0, 10),
        score("nuke", "drift", 0, 10, cut="category"),
    ],
    ENTRIES,
    {"chroma": "not run: left out", "lethe+matcher": "not run: left out"},
    "Mine",
)


def rate(system: str, measure: str, share: float, cut: str = "overall", value: str = "all") -> dict[str, Any]:
    return {
        "suite": "mine", "system": system, "model": "", "cut": cut, "value": value, "measure": measure, "trials": 10,
        "facts": 20, "counted": round(20 * share), "rate": share, "low": share / 2, "high": (1 + share) / 2,
    }  # fmt: skip


RATES = [
    rate("lethe", "leak", 0.1),
    rate("lethe", "collateral", 0.25),
    rate("nuke", "leak", 0.0),
    rate("nuke", "collateral", 1.0),
    rate("lethe", "leak", 0.5, "operation", "purge"),
    rate("lethe", "stale", 0.75, "operation", "supersede"),
    rate("lethe", "leak", 0.5, "category", "drift"),
]


def test_every_row_has_its_rates_and_a_note_points_to_what_did_not_run() -> None:
    table = states_table([(RESULTS, RATES)])
    assert texts(table) == [
        [
            ["Lethe", "Mine", "5 (50)", "10 [5, 55]", "25 [12, 62]", "–"],
        ],
        [["nuke", "Mine", "0 (0)", "0 [0, 50]", "100 [50, 100]", "–"]],
    ]
    assert list(table.notes) == [ABSENT]


def test_a_second_suite_stands_below_the_first() -> None:
    other = results(list(RESULTS.scores.values()), ENTRIES, {}, "Other")
    table = states_table([(RESULTS, RATES), (other, RATES)])
    assert [section[0][1].text for section in table.sections] == ["Mine", "Mine", "Other", "Other"]
    assert texts(table)[2][0][2:] == texts(table)[0][0][2:]


def test_what_is_na_on_a_case_has_the_best_of_no_rate_of_facts() -> None:
    passed = {"lethe": (5, 0), "lethe+matcher": (4, 0), "chroma": (6, 1)}
    found = results([score(name, "all", n, 10, na=na) for name, (n, na) in passed.items()], ENTRIES, {}, "Mine")
    rates = [rate(name, "leak", leak) for name, leak in (("lethe", 0.1), ("lethe+matcher", 0.2), ("chroma", 0.0))]
    rows = list(states_table([(found, rates)]).rows())
    assert {row[0].text: [cell.bold for cell in row[2:4]] for row in rows[:3]} == {
        "Lethe": [False, True],
        "Lethe+matcher": [False, False],
        "Chroma": [True, False],
    }
    rates = [{**each, "cut": "operation", "value": "purge"} for each in rates]
    assert [row[0].text for row in operations_table(found, rates).rows() if any(c.bold for c in row)] == ["Lethe"]
    found = results([*found.scores.values(), score("lethe", "drift", 5, 10, cut="category")], ENTRIES, {}, "Mine")
    by_category = categories_table(found, [{**each, "cut": "category", "value": "drift"} for each in rates])
    assert [cell.text for row in by_category.rows() for cell in row if cell.bold] == ["10 [5, 55]"]


def test_by_operation_only_what_an_operation_can_leave() -> None:
    table = operations_table(RESULTS, RATES)
    assert list(table.header) == [
        "System", "Supersede (%), collateral", "Supersede (%), stale", "Release (%), leak", "Release (%), collateral",
        "Purge (%), leak", "Purge (%), collateral",
    ]  # fmt: skip
    assert texts(table)[0] == [["Lethe", "–", "75 [38, 88]", "–", "–", "50 [25, 75]", "–"]]


def test_by_category_a_section_for_each_rate() -> None:
    table = categories_table(RESULTS, RATES)
    assert table.header == ("Rate", "System", "Drift")
    assert texts(table)[0] == [["Leak", "Lethe", "50 [25, 75]"], ["Leak", "nuke", "–"]]
    assert [section[0][0] for section in texts(table)] == ["Leak", "Collateral", "Stale"]


def pair(system: str, operation: str, both: int, na: int = 0) -> dict[str, Any]:
    return {
        "suite": "twins", "system": system, "model": "", "operation": operation, "pairs": 10, "case_passed": both + 1,
        "twin_passed": both + 2, "both_passed": both, "na": na, "errors": 0, "rate": both / 10, "wilson_low": 0.1,
        "wilson_high": 0.9,
    }  # fmt: skip


def test_twins_stand_by_configuration_and_operation() -> None:
    record = setup(ENTRIES, suites={"twins": Suite("Twins", {}, twins_of="mine")})
    rows = [pair("lethe", "all", 4), pair("lethe", "purge", 3), pair("lethe+matcher", "all", 5), pair("nuke", "all", 0)]
    table = twins_table(rows, record)
    assert texts(table) == [
        [
            ["Lethe", "5/10", "6/10", "4/10", "[10.0, 90.0]", "0", "–", "–", "3/10"],
            ["Lethe+matcher", "6/10", "7/10", "5/10", "[10.0, 90.0]", "0", "–", "–", "–"],
        ],
        [["nuke", "1/10", "2/10", "0/10", "[10.0, 90.0]", "0", "–", "–", "–"]],
    ]
    assert list(table.notes) == ["Lethe+matcher: developed on these very cases; the held-out suite has others."]
    assert texts(twins_table([pair("lethe", "all", 0, na=10)], record))[0] == [["Lethe", *["N/A"] * 8]]
    assert texts(twins_table([], record)) == [[["not run: left out by run.suites", *[""] * 8]]]
