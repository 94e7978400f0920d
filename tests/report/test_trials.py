from dataclasses import replace

from forgeteval.cases.states import FactState
from forgeteval.run.facts import MEASURES
from lethe.report.trials import suite_trials
from tests.support.report import CASES, FACTS, NEW, SETUP, TRIALS, suite_inputs, trial


def test_a_column_holds_every_trial_by_case_and_texts_stand_once() -> None:
    inputs = suite_inputs()
    data = suite_trials(CASES, [*TRIALS, trial(9, "lethe", "pass")], inputs.verdicts, inputs.pairs, SETUP)
    columns = data["trials"]
    assert {len(column) for column in columns.values()} == {len(TRIALS)}, "a trial of another case is left out"
    assert columns["case"] == sorted(columns["case"])
    assert columns["system"][:4] == [0, 1, 2, 4], "positions in the order of the configurations"
    assert [data["strings"][place] for place in columns["verdict"][:4]] == ["fail", "pass", "na", "fail"]
    texts = data["cases"][0]["texts"]
    assert [texts[place] for place in columns["recalled"][0]] == [FACTS[0], "not of the case"]
    assert texts == [*FACTS, NEW, "not of the case"]
    assert len(set(data["strings"])) == len(data["strings"])


def test_the_facts_that_a_rate_counts_are_named_and_parts_of_one_by_their_anchors() -> None:
    states = (FactState(0, "replaced", ("at home",)), FactState(0, "stays", ("Ana",)), FactState(1, "purged", ("Ben",)))
    cases = [replace(CASES[0], states=states)]
    told = [trial(0, "lethe", "fail", present=[True, False, True]), trial(0, "lethe+matcher", "error")]
    inputs = suite_inputs(cases, told)
    data = suite_trials(cases, told, inputs.verdicts, inputs.pairs, SETUP)
    texts = data["cases"][0]["texts"]
    named = {rate: [[texts[place] for place in row] for row in data["trials"][rate]] for rate in MEASURES}
    assert named == {
        "leak": [[FACTS[1]], []],
        "collateral": [[f"Ana, told in: {FACTS[0]}"], []],
        "stale": [[f"at home, told in: {FACTS[0]}"], []],
    }


def test_verdicts_are_those_of_the_scorer_of_the_tables() -> None:
    inputs = suite_inputs()
    turned = [{**row, "verdict": "pass"} if row["scorer"] == "identifier" else row for row in inputs.verdicts]
    data = suite_trials(CASES, TRIALS, turned, inputs.pairs, replace(SETUP, scorer="identifier"))
    assert {data["strings"][place] for place in data["trials"]["verdict"]} == {"pass"}


def test_pairs_are_those_of_the_analysis_under_that_scorer() -> None:
    inputs = suite_inputs()
    pairs = suite_trials(CASES, TRIALS, inputs.verdicts, inputs.pairs, SETUP)["pairs"]
    rows = [row for row in inputs.pairs if row["scorer"] == "substring"]
    assert len(pairs["first"]) == len(rows) == 3
    assert (pairs["first"][0], pairs["second"][0]) == (0, 1) and pairs["second_only"][0] == rows[0]["second_only"] == 3
    assert pairs["p_exact_holm"] == [float(f"{row['p_exact_holm']:.4g}") for row in rows]
