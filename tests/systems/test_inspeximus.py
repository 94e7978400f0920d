"""Inspeximus: what it corrects by keys that it derives, and what is composed with a key for each memory."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.bench import Bench, HashEmbedder, make_case
from tests.support.config import load
from tests.support.contract import BYSTANDERS, CRIMSON, EMERALD, EVERYTHING, python_of
from tests.support.paths import ROOT

pytestmark = pytest.mark.slow

OLD, NEW, ASKED = "Bob's phone number is 555123", "Bob's phone number is 555999", "phone number of Bob"
FACTS = [CRIMSON, *BYSTANDERS]
RESTART = """
import sys
from pathlib import Path
import numpy as np
from lethe.systems.inspeximus import InspeximusBackend

class Embedder:
    def embed(self, texts):
        return np.ones((len(texts), 4), dtype=np.float32)

folder = Path(sys.argv[1])
for texts in ([f"fact {number}" for number in range(300)], ["one more"]):
    backend = InspeximusBackend(Embedder())
    backend.open(folder)
    backend.add(texts)
    print(sum(bool(item.get("vec")) for item in backend._store.items))
    backend.shut()
    backend.close()
"""


def run(system: str, folder: Path, cases: list[Any]) -> dict[str, dict[str, Any]]:
    """The trials of a configuration of config/systems.yaml by case."""
    entry = load("systems.yaml")["systems"][system]
    rows = Bench(folder).run(
        cases,
        entry["backend"],
        policies=entry["policies"],
        options=entry.get("options", {}),
        python=python_of("inspeximus+uniform"),
        embedder=HashEmbedder(),
        start_timeout_s=120.0,
    )
    return {row["case_id"]: row for row in rows}


def test_a_correction_whose_key_it_derives_retires_the_old_value(tmp_path: Path) -> None:
    case = make_case("c", [OLD, *BYSTANDERS], ASKED, [NEW], [OLD], [("supersede", "nothing of this counts", NEW)])
    assert run("inspeximus", tmp_path, [case])["c"]["verdict"] == "pass"


def test_a_retired_value_stays_away_when_it_is_said_again(tmp_path: Path) -> None:
    again = [("supersede", ASKED, NEW), ("supersede", ASKED, OLD)]
    row = run("inspeximus", tmp_path, [make_case("c", [OLD], ASKED, [NEW], [OLD], again)])["c"]
    assert (row["verdict"], row["recalled"]) == ("pass", [NEW])


def test_a_correction_without_such_a_key_is_one_more_fact(tmp_path: Path) -> None:
    row = run(
        "inspeximus", tmp_path, [make_case("c", [CRIMSON], "bicycle", mutations=[("supersede", "bicycle", EMERALD)])]
    )["c"]
    assert set(row["recalled"]) == {CRIMSON, EMERALD}


def test_two_facts_with_one_derived_key_are_one(tmp_path: Path) -> None:
    """It takes the second fact for a correction of the first, which nobody asked for."""
    row = run("inspeximus", tmp_path, [make_case("c", ["Bob is tall", "Bob is a baker"], "Bob")])["c"]
    assert row["recalled"] == ["Bob is a baker"]


def test_nothing_releases_or_purges_by_a_description(tmp_path: Path) -> None:
    cases = [make_case(op, FACTS, EVERYTHING, mutations=[(op, "bicycle")]) for op in ("release", "purge")]
    assert [row["verdict"] for row in run("inspeximus", tmp_path, cases).values()] == ["na", "na"]


def test_a_key_for_each_memory_lets_a_value_return(tmp_path: Path) -> None:
    chain = [("supersede", "bicycle", EMERALD), ("supersede", "bicycle", CRIMSON)]
    case = make_case("c", FACTS, EVERYTHING, FACTS, ["emerald"], chain)
    assert run("inspeximus+uniform", tmp_path, [case])["c"]["verdict"] == "pass"


def test_what_is_superseded_or_released_is_history_and_what_is_purged_is_gone(tmp_path: Path) -> None:
    mutations = {
        "supersede": ("supersede", "bicycle", EMERALD),
        "release": ("release", "bicycle"),
        "purge": ("purge", "bicycle"),
    }
    cases = [make_case(op, FACTS, EVERYTHING, must_not=["crimson"], mutations=[how]) for op, how in mutations.items()]
    rows = run("inspeximus+uniform", tmp_path, cases)
    assert {op: (row["verdict"], row["residue"]) for op, row in rows.items()} == {
        "supersede": ("pass", 1), "release": ("pass", 1), "purge": ("pass", 0),
    }  # fmt: skip


def test_a_store_in_a_folder_keeps_its_vectors(tmp_path: Path) -> None:
    """Where vectors count, from 300 memories on, those told before a restart rank as those told after it."""
    python, folder = str(python_of("inspeximus+uniform")), tmp_path / "store"
    folder.mkdir()
    environment = {"PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "PATH": "/usr/bin"}
    done = subprocess.run(
        [python, "-c", RESTART, str(folder)], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["300", "301"]
