"""A test for each case; which of them the store is known to fail, chroma_store.baseline.json says."""

import pytest


@pytest.fixture(scope="module")
def forgeteval_store():
    return "chroma_store:ChromaStore"


@pytest.mark.forgeteval(suite="adversarial", baseline="chroma_store.baseline.json")
def test_forgets(forgeteval_case):
    forgeteval_case.check()
