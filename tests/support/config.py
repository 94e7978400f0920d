"""The shipped configuration, and changes of it."""

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from forgeteval.errors import UserError
from lethe.config.model import Config
from lethe.config.reading import checked
from tests.support.paths import ROOT

FILES = ("config.yaml", "suites.yaml", "systems.yaml", "models.yaml", "embedders.yaml")


def load(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "config" / name).read_text(encoding="utf-8"))
    return loaded


def shipped(data: str = "no-data") -> dict[str, Any]:
    """The shipped configuration, merged as the Snakefile merges it, with the data of other authors in a folder."""
    merged: dict[str, Any] = {}
    for name in FILES:
        merged.update(load(name))
    for options in merged["suites"].values():
        if "url" in options:
            options["source"] = f"{data}/{Path(options['source']).name}"
    merged["datasets"] = data
    return merged


def put(config: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    """The configuration with the value of a key such as run/k replaced."""
    changed = copy.deepcopy(config)
    *parents, last = key.split("/")
    place = changed
    for parent in parents:
        place = place[parent]
    place[last] = value
    return changed


def drop(config: dict[str, Any], key: str) -> dict[str, Any]:
    """The configuration without a key such as run/k."""
    changed = copy.deepcopy(config)
    *parents, last = key.split("/")
    place = changed
    for parent in parents:
        place = place[parent]
    del place[last]
    return changed


def of(config: dict[str, Any]) -> Config:
    """The checked configuration."""
    return checked(config, ROOT)


def mistake(config: dict[str, Any]) -> str:
    with pytest.raises(UserError) as caught:
        of(config)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def with_intake(config: dict[str, Any], folder: Path, state: str) -> dict[str, Any]:
    """The configuration with the external suite's cases below `folder`: a missing folder or file, none, or some."""
    intake = folder / "external"
    if state != "no folder":
        intake.mkdir(parents=True)
    if state in ("empty file", "cases"):
        (intake / "cases.jsonl").write_text("{}\n" if state == "cases" else "", encoding="utf-8")
    return put(config, "suites/external/intake", str(intake))


WITHOUT_CASES = ["no folder", "no file", "empty file"]


def released_folder() -> Path:
    """The folder of what the paper's authors released, in the project or beside it; it need not be there."""
    inside = Path("datasets/forgeteval")
    places = (ROOT / inside, ROOT.parent / "shared" / inside)
    return next((place for place in places if place.is_dir()), places[0])
