"""Suites of other authors: where their files are looked for, and fetching them from a server on loopback."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from forgeteval.cases import others
from forgeteval.cases.interchange import cases_sha256
from forgeteval.cases.library import load_suite
from forgeteval.cases.others import FOLDER_VARIABLE, fetch, find_other, other_suites
from forgeteval.errors import UserError
from tests.support.example_cases import other_case, sound_case, write_lines
from tests.support.paths import ROOT
from tests.support.serving import served_folder

FILE = "forgeteval/cases.jsonl"
RELEASED = ROOT.parent / "shared" / "datasets"
COMMON = ("label", "form", "sha256", "url")


def test_the_configuration_pins_the_same_as_the_package() -> None:
    configured = yaml.safe_load((ROOT / "config/suites.yaml").read_text(encoding="utf-8"))["suites"]
    assert other_suites().keys() == {name for name, options in configured.items() if "url" in options}
    for name, pinned in other_suites().items():
        here = {key: configured[name][key] for key in COMMON if key in configured[name]}
        paths = {key: f"datasets/{pinned[key]}" for key in ("source", "labels") if key in pinned}
        assert here == {key: pinned[key] for key in COMMON if key in pinned}
        assert {key: configured[name][key] for key in ("source", "labels") if key in configured[name]} == paths


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    folder = tmp_path / "clone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    return folder


def pin(monkeypatch: pytest.MonkeyPatch, **options: Any) -> None:
    pinned: Mapping[str, Any] = {"label": "Theirs", "cases": 2, "source": FILE, **options}
    monkeypatch.setattr(others, "other_suites", lambda: {"theirs": pinned})


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    with served_folder(tmp_path / "served") as found:
        yield found


def test_a_folder_is_looked_for_in_order(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pin(monkeypatch)
    monkeypatch.setenv(FOLDER_VARIABLE, str(elsewhere / "named"))
    given = elsewhere / "given"
    order = [Path("../shared/datasets"), Path("datasets"), elsewhere / "named", given]
    assert find_other("theirs", given) is None
    for folder in order:
        (folder / FILE).parent.mkdir(parents=True)
        (folder / FILE).touch()
        assert find_other("theirs", given) == folder
    monkeypatch.delenv(FOLDER_VARIABLE)
    assert find_other("theirs") == Path("datasets")


def test_a_suite_that_is_not_here_says_how_to_get_it(elsewhere: Path) -> None:
    with pytest.raises(UserError) as caught:
        load_suite("published", data=elsewhere / "data")
    assert str(caught.value) == (
        f"suite published: forgeteval/adversarial_385.jsonl is not in {elsewhere / 'data'}, datasets, "
        "../shared/datasets; run `forgeteval fetch published`, or name the folder of the data by FORGETEVAL_DATA"
    )


def test_what_is_fetched_can_be_loaded(
    elsewhere: Path, served: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, address = served
    cases = [*load_suite([sound_case(), other_case()])]
    write_lines(folder / "cases.jsonl", sound_case(), other_case())
    pin(monkeypatch, url=[f"{address}/cases.jsonl"], sha256=cases_sha256(cases), labels="forgeteval/labels.csv")
    assert fetch("theirs") == f"datasets/{FILE}: 2 cases, sha256 {cases_sha256(cases)}, fetched"
    assert fetch("theirs").endswith("there already")
    assert [case.case_id for case in others.read_other("theirs")] == ["lockers", "club"]
    labels = elsewhere / "datasets/forgeteval/labels.csv"
    labels.write_text("case_id,provenance,family\nclub,generated,drift\n")
    with pytest.raises(UserError, match=r"labels\.csv: 1 of the 2 cases of theirs have no line, such as 'lockers'"):
        others.read_other("theirs")
    said = labels.read_text()
    labels.write_text(f"{said}lockers,mine,purge\n")
    with pytest.raises(UserError, match=r"labels\.csv:3: .*provenance 'mine' is none of handcrafted, generated"):
        others.read_other("theirs")
    labels.write_text(f"{said}lockers,handcrafted,purge\n")
    assert [(case.provenance, case.family) for case in others.read_other("theirs")] == [
        ("core", "purge"),
        ("expansion", "drift"),
    ]


@pytest.mark.parametrize("chosen", ["argument", "variable", "neither"])
def test_it_is_fetched_into_the_folder_that_is_chosen(
    elsewhere: Path, served: tuple[Path, str], monkeypatch: pytest.MonkeyPatch, chosen: str
) -> None:
    folder, address = served
    write_lines(folder / "cases.jsonl", sound_case())
    pin(monkeypatch, url=[f"{address}/cases.jsonl"], sha256=cases_sha256([*load_suite([sound_case()])]))
    if chosen != "neither":
        monkeypatch.setenv(FOLDER_VARIABLE, "by_variable")
    fetch("theirs", Path("by_argument") if chosen == "argument" else None)
    expected = {"argument": "by_argument", "variable": "by_variable", "neither": "datasets"}[chosen]
    assert [str(path) for path in Path().rglob("*.jsonl")] == [f"{expected}/{FILE}"]


@pytest.mark.parametrize("failure", ["another content", "no such file", "no JSON", "no server", "too many patches"])
def test_nothing_is_left_of_what_cannot_be_fetched(
    elsewhere: Path, served: tuple[Path, str], monkeypatch: pytest.MonkeyPatch, failure: str
) -> None:
    folder, address = served
    write_lines(folder / "cases.jsonl", sound_case() if failure != "no JSON" else "{")
    (folder / "cases.json").write_text(json.dumps({"admitted_cases": [sound_case()]}), encoding="utf-8")
    (folder / "patch.json").write_text(json.dumps({"unknown": {}}), encoding="utf-8")
    url = {
        "no such file": [f"{address}/none.jsonl"],
        "no server": ["http://127.0.0.1:1/cases.jsonl"],
        "too many patches": [f"{address}/cases.json", f"{address}/patch.json"],
    }.get(failure, [f"{address}/cases.jsonl"])
    pin(monkeypatch, url=url, sha256="0" * 64)
    with pytest.raises(UserError) as caught:
        fetch("theirs")
    assert "\n" not in str(caught.value)
    assert list(elsewhere.iterdir()) == []


def test_what_nobody_pinned_cannot_be_fetched() -> None:
    with pytest.raises(UserError, match="suite 'adversarial': cannot be fetched; known: published, "):
        fetch("adversarial")


@pytest.mark.skipif(not RELEASED.is_dir(), reason="the data of other authors is not beside the clone")
@pytest.mark.parametrize("name", ["published", "published_repaired", "published_external", "letta_core_memory"])
def test_the_released_suites_are_those_that_are_pinned(name: str) -> None:
    suite = load_suite(name, data=RELEASED)
    assert (suite.label, len(suite)) == (other_suites()[name]["label"], other_suites()[name]["cases"])
