"""A test for each case; which of them the store is known to fail, sqlite_store.baseline.json says."""

import pytest


@pytest.fixture(scope="module")
def forgeteval_store():
    return "sqlite_store:SqliteStore"


@pytest.mark.forgeteval(suite="adversarial", baseline="sqlite_store.baseline.json")
def test_forgets(forgeteval_case):
    forgeteval_case.check()
