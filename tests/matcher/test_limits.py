"""What the matcher may cost: lines, requirements, time."""

import time

import pytest

from forgeteval.cases.reading import read_cases
from lethe.matcher.planner import Matcher
from tests.support.paths import ADVERSARIAL, ROOT
from tests.support.scripted_planner import candidates


def test_two_thousand_lines_with_training_and_six_requirements() -> None:
    lines = [line for path in (ROOT / "lethe/matcher").rglob("*.py") for line in path.read_text().splitlines()]
    assert len(lines) <= 2000
    named = [line for line in (ROOT / "envs/extras/matcher.in").read_text().splitlines() if line[:1].isalpha()]
    assert len(named) <= 6


def test_a_mutation_costs_milliseconds_and_time_grows_with_the_texts_alone() -> None:
    """Ten at the median on an idle core; the bound leaves room for a loaded one."""
    cases = read_cases(ADVERSARIAL, "adversarial")
    facts = [fact for case in cases for fact in case.setup_facts]
    matcher, taken = Matcher(), []
    matcher.load()
    for place, case in enumerate(cases[:40]):
        shown = candidates(*[*case.setup_facts, *facts[20 * place :]][:20])
        started = time.process_time()
        matcher.purge(case.mutations[0].query, shown)
        taken.append(time.process_time() - started)
    assert sorted(taken)[20] < 0.030

    def seconds(repeats: int) -> float:
        shown = candidates(*(" ".join(f"{fact} {number}" for number in range(repeats)) for fact in facts[:20]))
        started = time.process_time()
        matcher.release("the harp of Zbigniew in room 12", shown)
        return time.process_time() - started

    seconds(1)
    short, long = seconds(4), seconds(40)
    assert long < 40 * short


@pytest.mark.parametrize("between", [" ", "\n", "-", " -", "' "])
def test_rows_of_blanks_and_signs_take_the_time_of_their_length(between: str) -> None:
    """Hundredths of a second; the blanks once took a minute, and the signs four seconds."""
    row = f"Ben{between * (16_000 // len(between))}lives"
    matcher = Matcher()
    matcher.load()
    started = time.process_time()
    matcher.purge(row, candidates(row, "Cleo lives at the dock"))
    assert time.process_time() - started < 2
