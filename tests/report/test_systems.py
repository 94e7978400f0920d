import re
from dataclasses import replace

from forgeteval.run.facts import MEASURES
from forgeteval.stores.policies import POLICIES
from lethe.report.systems import describe_systems
from lethe.report.words import WORDS
from lethe.study.erasure import SHOWN
from lethe.study.setup import Erasure, Long
from lethe.tables.cells import label, text
from lethe.tables.registry import figure_specs
from lethe.tables.table import Table
from tests.support.config import load
from tests.support.paths import ROOT
from tests.support.report import PACKAGES, SETUP

ERASURE = Table("erasure", "", ("System", "A0", "A3"), [[[label("Lethe"), text("gone"), text("present")]]])
FOUND = {each["name"]: each for each in describe_systems(SETUP, {"erasure": ERASURE}, PACKAGES)}


def test_each_mutation_says_what_decides_it() -> None:
    assert "Purge: composed here, all of the ten best hits are deleted, however distant." in FOUND["absent"]["what"]
    assert "Release: not offered (N/A)." in FOUND["absent"]["what"]
    assert "Purge: its own operation." in FOUND["lethe"]["what"]
    assert "Purge: the matcher decides which memories are meant." in FOUND["lethe+matcher"]["what"]
    assert FOUND["null"]["what"][1] == "Returns nothing."


def test_of_what_cannot_be_run_only_what_is_known_is_said() -> None:
    assert FOUND["closed"]["what"][1:] == ["It cannot be run: it has no API."]
    endless = FOUND["endless"]["what"]
    assert "Purge: not offered (N/A)." in endless and not any("its own operation" in line for line in endless)


def test_a_caveat_stands_with_its_system_alone() -> None:
    found = describe_systems(replace(SETUP, caveats={"lethe": "Not for judging."}), {}, {})
    assert [(each["name"], each["caveat"]) for each in found if each["caveat"]] == [("lethe", "Not for judging.")]


def test_recorded_answers_are_said() -> None:
    assert [name for name, each in FOUND.items() if each["recorded"]] == ["lethe+llm@one"]


def test_the_erasure_audit_is_shown_where_it_has_a_row() -> None:
    assert FOUND["lethe"]["erasure"] == [[["A0", "gone"], ["A3", "present"]]]
    assert FOUND["null"]["erasure"] is None
    assert describe_systems(SETUP, {}, {})[0]["erasure"] is None


def test_there_are_words_for_every_regime_policy_and_control_in_config() -> None:
    entries = load("systems.yaml")["systems"].values()
    assert {entry["regime"] for entry in entries} <= WORDS["regimes"].keys()
    assert {name for known in POLICIES.values() for name in known} == WORDS["policies"].keys()
    stores = [entry for entry in entries if entry["regime"] == "control" and "hook" not in entry]
    assert {entry["backend"] for entry in stores} == WORDS["controls"].keys()
    assert {entry["hook"] for entry in entries if "hook" in entry} == WORDS["planners"].keys()
    known = {entry["backend"] for entry in entries if "backend" in entry and entry["regime"] != "control"}
    assert known == WORDS["backends"].keys() and WORDS["marks"].keys() <= known


def test_the_version_of_a_system_is_that_of_its_environment() -> None:
    assert "Backend lethe, in the environment pipeline: lethe 9.9, apsw 3.1." in FOUND["lethe"]["what"]
    unknown = describe_systems(SETUP, {}, {})[0]["what"]
    assert "Backend lethe, in the environment pipeline." in unknown


def test_every_environment_of_config_has_packages_that_its_lock_holds() -> None:
    systems = load("systems.yaml")["systems"].values()
    environments = {entry["environment"] for entry in systems if "environment" in entry}
    assert environments == WORDS["packages"].keys()
    for environment, packages in WORDS["packages"].items():
        locked = set(re.findall(r"^([\w.-]+)==", (ROOT / f"envs/{environment}.lock").read_text(), re.MULTILINE))
        assert locked.issuperset(set(packages) - {"lethe"}), environment


def test_every_rate_and_every_level_is_explained() -> None:
    assert list(WORDS["measures"]) == ["pass", *MEASURES]
    assert list(WORDS["levels"]) == list(SHOWN)


def test_every_suite_of_config_is_explained() -> None:
    assert load("suites.yaml")["suites"].keys() == WORDS["suites"].keys()
    assert {"N/A", "Contract paper", "Contract uniform", "Hook", "k", "Holm"} <= WORDS["glossary"].keys()


def test_every_figure_is_described() -> None:
    every = replace(
        SETUP,
        long=Long(1, (10,), ["lethe"], {}),
        erasure=Erasure({"lethe": [[1, 1]]}, {}, {}),
        store_size=replace(SETUP.store_size, enabled=True, configurations=["lethe"]),
    )
    assert {spec.name for spec in figure_specs(every)} == WORDS["figures"].keys()
