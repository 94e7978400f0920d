"""What the tests of `evaluate`, of its results and of its processes share: a case, names of stores, a run of one."""

import pytest

from forgeteval import Results, evaluate
from tests.support.stores import Shelf

LIMIT = 40
"""Number of cases of the shared run."""
CASE = {
    "category": "gdpr_request",
    "setup_facts": ["Ada lives in Ghent.", "Bo lives in Tartu."],
    "mutations": [["purge", "Ada lives in Ghent."]],
    "final_query": "Who lives where?",
    "must_contain": ["Tartu"],
    "must_not_contain": ["Ghent"],
}
ASKED = {**CASE, "mutations": [], "must_not_contain": ["nowhere"]}


@pytest.fixture(scope="session")
def expected() -> Results:
    """What the simplest store comes to."""
    return evaluate(Shelf, limit=LIMIT)


def verdicts(results: Results) -> list[str]:
    return [trial.verdict for trial in results.trials]


def named(name: str) -> str:
    """A store of the tests as another process finds it."""
    return f"tests.support.stores:{name}"
