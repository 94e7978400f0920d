"""The examples in the docstrings of `forgeteval` are true."""

import doctest
import importlib
import pkgutil

import pytest

import forgeteval

MODULES = ["forgeteval", *(found.name for found in pkgutil.walk_packages(forgeteval.__path__, "forgeteval."))]
CALLED_BY_STRANGERS = (
    "forgeteval",
    "forgeteval.cases.case",
    "forgeteval.cases.library",
    "forgeteval.planners.protocol",
    "forgeteval.run.compare",
    "forgeteval.run.evaluate",
    "forgeteval.run.results",
    "forgeteval.stores.contract",
)
"""Where the eight names stand, each with an example."""


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert failed == 0
    assert tried or name not in CALLED_BY_STRANGERS
