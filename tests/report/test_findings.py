from dataclasses import replace

from lethe.analysis.setup import Suite
from lethe.report.findings import findings
from lethe.report.standings import suite_standings
from tests.support.report import HOSTILE, SETUP, suite_inputs


def told(given: object = None) -> list[str]:
    setup = given or SETUP
    return [each["text"] for each in findings(setup, [suite_standings(suite_inputs(given=setup))])]  # type: ignore[arg-type]


def test_sentences_follow_from_the_standings() -> None:
    amount, best, leak, *_, controls = told()
    assert amount == (
        "3 configurations and the controls: 16 trials on 1 suite; 2 of them broke (error) and count as not passed."
    )
    assert best == (
        "On the suite Mine (4 cases): without a chat model, Lethe passes most, 0.0 % [0.0, 49.0]; "
        f"with one, {HOSTILE} (One, recorded) passes most, 25.0 % [4.6, 69.9]."
    ), "the planner that was developed on the cases is no best"
    assert leak.startswith("Of what was released or purged, 50.0 % (Lethe) to 50.0 % (Lethe) came back")
    assert controls == "Controls, of 4 cases: null passes 0."


def test_cases_that_no_planner_saw_say_what_a_hook_is_worth() -> None:
    unseen = replace(SETUP, suites={"mine": Suite("Mine", {})}, held_out_suite="mine")
    assert told(unseen)[-1] == (
        "On the suite Mine, whose cases no planner was developed on: Lethe+matcher 75.0 % [30.1, 95.4], "
        "without it 0.0 %."
    )
    assert not any("no planner" in text for text in told(replace(SETUP, held_out_suite="mine")))


def test_without_the_main_suite_nothing_is_said() -> None:
    assert told(replace(SETUP, adversarial_suite="other")) == []
