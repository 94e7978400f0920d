"""The entries of the atlas: those that are there, mistakes in one, and how a run takes them in."""

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from forgeteval.errors import UserError
from lethe.config.atlas import NODE_LOCK, RECORD_FILE, entry_folders, read_entry, read_record, take_in_atlas
from lethe.config.configurations import Configuration, lock_file
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


def shelf(**changes: Any) -> dict[str, Any]:
    return {"systems": {"shelf": {**SHELF["systems"]["shelf"], **changes}}}


NOT_AN_ENTRY_S = {"environment": "pipeline", "extended": False, "hook": "oracle", "gateway": "chat"}
NOT_ITS_ADAPTER = ("../../evil.py:X", "atlas.other.adapter:X", "naive_sql", "atlas.shelf.adapter:X\n", "")


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


@pytest.mark.parametrize("name", FOLDERS)
def test_an_entry_names_the_calls_that_its_adapter_makes(name: str) -> None:
    entry, source = read_entry(FOLDERS[name]), (FOLDERS[name] / "adapter.py").read_text(encoding="utf-8")
    for other in re.findall(r"^from atlas\.(\w+)\.adapter", source, re.MULTILINE):
        source += (FOLDERS[other] / "adapter.py").read_text(encoding="utf-8")
    served = next(iter(entry.systems.values())).policies or dict(entry.calls)
    for mutation, call in entry.calls:
        made = set(re.findall(r"(\w+)\(", call))
        assert bool(made) == (mutation in served), f"{mutation} of {name}"
        assert made <= set(re.findall(r"\w+", source)), f"{mutation} of {name}"


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
        ({"released": "2026-13"}, "released"),
        ({"home": "javascript:alert(1)"}, "home"),
        ({"home": "https://example.org/)[x](javascript:alert(1)"}, "home"),
        *((shelf(**{name: value}), f"systems.shelf.{name}") for name, value in NOT_AN_ENTRY_S.items()),
        *((shelf(backend=backend), "must be atlas.shelf.adapter:CLASS") for backend in NOT_ITS_ADAPTER),
    ],
)
def test_a_mistake_is_one_line_with_the_file_and_the_key(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    folder = entry_in(tmp_path, **changes)
    with pytest.raises(UserError, match=re.escape(said)) as error:
        read_entry(folder)
    assert str(folder / "entry.yaml") in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("environment", ["atlas-shelf", "pipeline"])
def test_code_of_the_atlas_is_confined_whatever_its_environment(environment: str) -> None:
    assert Configuration("shelf", backend="atlas.shelf.adapter:Shelf", environment=environment).is_untrusted
    assert not Configuration("lethe", backend="lethe", environment="pipeline").is_untrusted


@pytest.mark.parametrize("label", ["Lethe", "LETHE", "Lethe ", " Lethe"])
def test_a_label_that_is_taken_is_refused(tmp_path: Path, label: str) -> None:
    entry_in(tmp_path, **shelf(label=label))
    merged: dict[str, Any] = {"run": {"systems": ["shelf"]}, "systems": {"lethe": {"label": "Lethe"}}}
    with pytest.raises(UserError, match=r"shelf/entry\.yaml: systems\.shelf\.label: .* is that of lethe"):
        take_in_atlas(merged, tmp_path)


def test_a_name_that_is_taken_is_refused(tmp_path: Path) -> None:
    entry_in(tmp_path)
    merged: dict[str, Any] = {"run": {"systems": ["shelf"]}, "systems": {"shelf": {"label": "Another"}}}
    with pytest.raises(UserError, match=r"systems\.shelf: the configuration has a system of that name"):
        take_in_atlas(merged, tmp_path)


def test_systems_that_are_taken_in_already_are_taken_in_again(tmp_path: Path) -> None:
    entry_in(tmp_path)
    merged: dict[str, Any] = {"run": {"systems": ["shelf"]}, "systems": {}}
    take_in_atlas(merged, tmp_path)
    once = copy.deepcopy(merged)
    take_in_atlas(merged, tmp_path)
    assert merged == once


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"files": {"/dev/zero": "0" * 64}}, "files: '/dev/zero' is none of trials.parquet"),
        ({"files": {"../../x.parquet": "0" * 64}}, "is none of"),
        ({"day": "<script>"}, "not what `forgeteval atlas run` writes"),
        ({"k": "ten"}, "not what `forgeteval atlas run` writes"),
        ({"machine": {}}, "machine: lacks platform"),
        ({"packages": ["p"]}, "packages: 'p' is not NAME==VERSION"),
        ({"packages": ["p==1==2"]}, "packages: 'p==1==2' is not NAME==VERSION"),
        ({"packages": [""]}, "packages: '' is not NAME==VERSION"),
        ({"runs": -5}, "runs: -5; a record is of one run or more"),
    ],
)
def test_a_record_names_what_a_run_writes_alone(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    machine = {"platform": "Linux", "python": "3.11"}
    record = {"day": "2026-11-27", "machine": machine, "packages": [], "code": "c", "k": 10, "suites": {}, "files": {}}
    (tmp_path / RECORD_FILE).write_text(json.dumps({**record, **changes}), encoding="utf-8")
    with pytest.raises(UserError, match=re.escape(said)) as error:
        read_record(tmp_path)
    assert str(tmp_path / RECORD_FILE) in str(error.value)
