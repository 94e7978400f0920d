"""A test for each case; which of them the store is known to fail, mem0_store.baseline.json says."""

import pytest


@pytest.fixture(scope="module")
def forgeteval_store():
    return "mem0_store:Mem0Store"


@pytest.mark.forgeteval(suite="adversarial", baseline="mem0_store.baseline.json")
def test_forgets(forgeteval_case):
    forgeteval_case.check()
