"""docs/licences.md names everything that the configuration does, with the licence that stands there."""

import re

import pytest
import yaml

from lethe.crosseval.selection import BENCHMARKS
from tests.support.paths import ROOT

PAGE = (ROOT / "docs/licences.md").read_text(encoding="utf-8")


def config(part: str) -> dict[str, dict[str, object]]:
    loaded: dict[str, dict[str, dict[str, object]]] = yaml.safe_load((ROOT / f"config/{part}.yaml").read_text())
    return loaded[part]


def licences(page: str) -> dict[str, str]:
    """The last cell of each row, by every name in the first."""
    rows = [line.strip("|").split("|") for line in page.splitlines() if line.startswith("| `")]
    return {name: row[-1].strip() for row in rows for name in re.findall("`([^`]+)`", row[0])}


def test_every_model_has_its_licence() -> None:
    assert all(licences(PAGE)[name] for name in config("models"))


def test_every_embedder_is_named_as_on_its_own_page() -> None:
    own = (ROOT / "docs/embedders.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in own.splitlines() if line.startswith("| ")]
    stated = {row[0]: row[2] for row in rows if len(row) == 6 and row[0] != "embedder"}
    default = yaml.safe_load((ROOT / "config/config.yaml").read_text())["embedder"]
    assert {*config("embedders"), default} <= stated.keys()
    assert stated.items() <= licences(PAGE).items()


def test_every_data_set_of_other_authors_is_named() -> None:
    suites = {name for name, entry in config("suites").items() if "source" in entry}
    assert suites
    assert suites.union(BENCHMARKS) <= licences(PAGE).keys()


@pytest.mark.parametrize("name", licences(PAGE))
def test_nothing_is_named_that_the_configuration_lacks(name: str) -> None:
    known = {*config("models"), *config("embedders"), *config("suites"), *BENCHMARKS, "all-MiniLM-L6-v2"}
    assert name in known
