"""The entries of the atlas: those that are there, mistakes in one, and how a run takes them in."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from forgeteval.errors import UserError
from lethe.config.atlas import NODE_LOCK, RECORD_FILE, entry_folders, read_entry, read_record, take_in_atlas
from lethe.config.configurations import lock_file
from lethe.config.model import System
from lethe.fingerprints import sha256_of
from tests.support.atlas import SHELF
from tests.support.paths import ROOT

FOLDERS = entry_folders(ROOT / "atlas")
RECORDED = {name: folder for name, folder in FOLDERS.items() if read_record(folder)}
MOST_LINES, MOST_BYTES = 80, 300_000


def entry_in(folder: Path, **changes: Any) -> Path:
    place = folder / "atlas/shelf"
    place.mkdir(parents=True)
    (place / "entry.yaml").write_text(yaml.safe_dump({**SHELF, **changes}), encoding="utf-8")
    return place


@pytest.mark.parametrize("name", FOLDERS)
def test_an_entry_has_its_lock_and_an_adapter_of_a_size_to_be_read(name: str) -> None:
    folder, entry = FOLDERS[name], read_entry(FOLDERS[name])
    lock = lock_file(ROOT, f"atlas-{name}").read_text(encoding="utf-8")
    assert "--hash=sha256:" in lock and "://" not in lock
    if (folder / NODE_LOCK).is_file():
        packages = json.loads((folder / NODE_LOCK).read_text(encoding="utf-8"))["packages"]
        assert packages[f"node_modules/{entry.package}"]["version"] == entry.version
        assert all("integrity" in its and "resolved" not in its for place, its in packages.items() if place)
    else:
        assert re.search(rf"^{re.escape(entry.package)}=={re.escape(entry.version)}\b", lock, re.MULTILINE)
    assert len((folder / "adapter.py").read_text(encoding="utf-8").splitlines()) <= MOST_LINES
    assert {system.environment for system in entry.systems.values()} == {f"atlas-{name}"}


@pytest.mark.parametrize("name", RECORDED)
def test_what_is_recorded_is_as_it_was_and_small(name: str) -> None:
    folder, found = RECORDED[name], read_record(RECORDED[name])
    assert found is not None
    assert found.files == {path.name: sha256_of(path) for path in folder.glob("*.parquet")}
    assert sum(path.stat().st_size for path in (*folder.glob("*.parquet"), folder / RECORD_FILE)) <= MOST_BYTES
    assert f"{read_entry(folder).package}=={read_entry(folder).version}" in found.packages


def test_a_run_takes_in_those_that_it_names(tmp_path: Path) -> None:
    entry_in(tmp_path)
    for asked, expected in (("atlas", ["shelf"]), (["lethe", "shelf"], ["lethe", "shelf"]), (["atlas"], ["shelf"])):
        merged: dict[str, Any] = {"run": {"systems": asked, "only": {"erasure": ["lethe"]}}, "systems": {"lethe": {}}}
        take_in_atlas(merged, tmp_path)
        assert merged["run"]["systems"] == expected
        assert merged["run"]["only"] == {"erasure": ["lethe", "shelf"]}
        assert System.model_validate(merged["systems"]["shelf"]).environment == "atlas-shelf"


@pytest.mark.parametrize("asked", ["all", ["lethe"], None])
def test_a_run_that_names_none_is_as_it_was(tmp_path: Path, asked: Any) -> None:
    entry_in(tmp_path)
    merged = {"run": {"systems": asked}, "systems": {"lethe": {}}}
    take_in_atlas(merged, tmp_path)
    assert merged == {"run": {"systems": asked}, "systems": {"lethe": {}}}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"promise": ""}, "promise"),
        ({"released": "October"}, "released"),
        ({"colour": "red"}, "colour"),
        ({"systems": {"other": SHELF["systems"]["shelf"]}}, "begin the name with that of the folder, shelf"),
        ({"systems": {"shelf": {"label": "Shelf"}}}, "systems.shelf.regime"),
        ({"reviewed": {"by": "Ana"}}, "reviewed.day"),
    ],
    ids=["promise", "month", "key", "name", "regime", "review"],
)
def test_a_mistake_is_one_line_with_the_file_and_the_key(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    folder = entry_in(tmp_path, **changes)
    with pytest.raises(UserError, match=re.escape(said)) as error:
        read_entry(folder)
    assert str(folder / "entry.yaml") in str(error.value) and "\n" not in str(error.value)
