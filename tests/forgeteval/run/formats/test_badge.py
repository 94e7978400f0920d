"""The badge: what shields.io reads."""

import json

import pytest

from forgeteval.run.formats.badge import badge_json
from tests.forgeteval.run.formats.support import make_case, make_results, make_trial


@pytest.mark.parametrize(
    ("passed", "color"),
    [
        (0, "red"),
        (2, "orange"),
        (3, "yellow"),
        (5, "yellowgreen"),
        (8, "green"),
        (9, "brightgreen"),
        (10, "brightgreen"),
    ],
)
def test_it_has_the_score_and_a_color(passed: int, color: str) -> None:
    trials = [make_trial(make_case(str(number)), "pass" if number < passed else "fail") for number in range(10)]
    assert json.loads(badge_json(make_results(trials))) == {
        "schemaVersion": 1,
        "label": "ForgetEval",
        "message": f"{passed} of 10",
        "color": color,
    }
