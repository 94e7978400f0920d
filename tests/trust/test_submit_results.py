"""A store that `forgeteval run` was given, handed in and taken in."""

import json
import re
import tarfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from forgeteval import evaluate
from forgeteval.errors import UserError
from lethe.parquet import read_rows
from lethe.schemas import TRIALS
from lethe.trust.submit import submit_results
from tests.support.commands import app
from tests.support.paths import ROOT
from tests.support.stores import Shelf


def test_results_are_handed_in_and_admitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    evaluate(Shelf, "owners", name="shelf:Shelf").save("results.json")
    said = CliRunner().invoke(app, ["submit", "results.json", "--by", "ana"])
    assert said.output == "ana-results.tar.gz: shelf.Shelf on owners, handed in by ana\n"
    monkeypatch.chdir(ROOT)
    done = CliRunner().invoke(app, ["admit", str(tmp_path / "ana-results.tar.gz"), "--into", str(tmp_path / "in")])
    assert done.exit_code == 0, done.output
    assert "shelf.Shelf on owners, handed in by ana: admitted" in done.output


def test_a_store_whose_model_was_asked_is_admitted_with_what_it_used(tmp_path: Path) -> None:
    alone = evaluate(Shelf, "owners", name="shelf:Shelf")
    asked = tuple(replace(trial, model="small", llm_calls=2, tokens_in=200, tokens_out=20) for trial in alone.trials)
    replace(alone, trials=asked).save(tmp_path / "results.json")
    submit_results(tmp_path / "results.json", "ana", tmp_path / "out.tar.gz")
    words = ["admit", str(tmp_path / "out.tar.gz"), "--into", str(tmp_path / "in"), "--root", str(ROOT)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output


class Telling(Shelf):
    """A store whose errors name what it connects with."""

    def search(self, query: str, k: int) -> list[str]:
        """Raise, as a client of a database does."""
        raise ConnectionError("no answer of postgresql://me:secret@here/db, api_key='secret'")


def test_no_credential_of_what_broke_is_handed_in(tmp_path: Path) -> None:
    found = evaluate(Telling, "owners", name="shelf:Telling", controls=False)
    told = ("purge: fallback (the model's Client(api_key='secret') did not answer)",)
    replace(found, trials=tuple(replace(trial, decisions=told) for trial in found.trials)).save(
        tmp_path / "results.json"
    )
    submit_results(tmp_path / "results.json", "ana", tmp_path / "out.tar.gz")
    with tarfile.open(tmp_path / "out.tar.gz") as archive:
        archive.extract("trials/owners.parquet", tmp_path, filter="data")
    rows = read_rows(tmp_path / "trials/owners.parquet", TRIALS)
    assert {row["verdict"] for row in rows} == {"error"} and "no answer of" in rows[0]["error"]
    assert "secret" not in str(rows) and rows[0]["decisions"][0].startswith("purge: fallback (the model's Client")


@pytest.mark.parametrize("name", ["res.txt", "R.JSON", "results"])
def test_results_may_have_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    evaluate(Shelf, "owners", name="shelf:Shelf", controls=False).save(name)
    said = CliRunner().invoke(app, ["submit", name, "--by", "ana", "--out", "ana.tar.gz"])
    assert said.output == "ana.tar.gz: shelf.Shelf on owners, handed in by ana\n"


def test_a_hook_stands_in_the_label_of_a_store_with_a_long_name(tmp_path: Path) -> None:
    found = evaluate(Shelf, "owners", name="a_module_of_a_very_long_name_for_a_store_of_memories:Store", controls=False)
    replace(found, settings={**found.settings, "hook": "Planner"}).save(tmp_path / "r.json")
    made = submit_results(tmp_path / "r.json", "ana", tmp_path / "out.tar.gz")
    assert made.configuration.label == "a_module_of_a_very_long_name_for_a_store_of_memori + Planner"


@pytest.mark.parametrize(
    ("store", "hook", "name", "label"),
    [
        ("/home/ana/a folder/of a project/my_store.py:MyStore", None, "my_store.py.MyStore", "my_store.py:MyStore"),
        (r"C:\stores\my_store.py:MyStore", None, "my_store.py.MyStore", "my_store.py:MyStore"),
        ("_store:Store", None, "store.Store", "_store:Store"),
        ("m" * 100 + ":Store", None, "m" * 74 + ".Store", "m" * 60),
        ("my_store:MyStore", "Planner", "my_store.MyStore+Planner", "my_store:MyStore + Planner"),
    ],
)
def test_a_store_has_a_name_wherever_its_file_is_and_another_with_a_hook(
    tmp_path: Path, store: str, hook: str | None, name: str, label: str
) -> None:
    found = evaluate(Shelf, "owners", name=store, controls=False)
    replace(found, settings={**found.settings, "hook": hook}).save(tmp_path / "r.json")
    made = submit_results(tmp_path / "r.json", "ana", tmp_path / "out.tar.gz").configuration
    assert (made.name, made.label) == (name, label)


def test_a_store_that_no_letter_names_is_one_line(tmp_path: Path) -> None:
    evaluate(Shelf, "owners", name="\u5e93:\u5e93", controls=False).save(tmp_path / "r.json")
    with pytest.raises(
        UserError, match=r"r\.json: the store '\u5e93:\u5e93' has no letter of A to Z and no digit to name it by"
    ):
        submit_results(tmp_path / "r.json", "ana", tmp_path / "out.tar.gz")


def test_a_suite_that_no_bundle_can_name_is_one_line(tmp_path: Path) -> None:
    found = evaluate(Shelf, "owners", name="shelf:Shelf", controls=False)
    own = replace(found.suite, name="my cases", version=0)
    replace(found, suite=own).save(tmp_path / "r.json")
    with pytest.raises(UserError, match=r"r\.json: no bundle can name the suite 'my cases': letters, digits"):
        submit_results(tmp_path / "r.json", "ana", tmp_path / "out.tar.gz")


def test_a_store_is_handed_in_with_all_suites_that_it_ran_on(tmp_path: Path) -> None:
    suites = ("owners", "twins")
    for suite in suites:
        evaluate(Shelf, suite, name="shelf:Shelf", controls=False).save(tmp_path / f"{suite}.json")
    files, out = [str(tmp_path / f"{suite}.json") for suite in suites], tmp_path / "out.tar.gz"
    done = CliRunner().invoke(app, ["submit", *files, "--by", "ana", "--out", str(out)])
    assert done.output == f"{out}: shelf.Shelf on owners, twins, handed in by ana\n"
    done = CliRunner().invoke(app, ["admit", str(out), "--into", str(tmp_path / "in"), "--root", str(ROOT)])
    assert "shelf.Shelf on owners, twins, handed in by ana: admitted" in done.output
    evaluate(Shelf, "twins", name="another:Shelf", controls=False).save(tmp_path / "another.json")
    for further, said in (("owners", "of owners, as another of the files"), ("another", "of another store than")):
        with pytest.raises(UserError, match=rf"{further}\.json: {said}"):
            submit_results(tmp_path / "owners.json", "ana", out, further=[tmp_path / f"{further}.json"])
    done = CliRunner().invoke(app, ["submit", "lethe", "mem0", "--by", "ana"])
    assert "lethe mem0: one SYSTEM makes a bundle" in str(done.exception)


def test_two_systems_of_one_person_have_two_labels(tmp_path: Path) -> None:
    said: list[str] = []
    for last in "abcc":
        name, out = f"{'long_' * 12}name_of_a_store:Store{last}", tmp_path / f"{len(said)}.tar.gz"
        evaluate(Shelf, "owners", name=name if last < "c" else "c:Store", controls=False).save(tmp_path / "r.json")
        submit_results(tmp_path / "r.json", "ben" if len(said) == 3 else "ana", out)
        words = ["admit", str(out), "--into", str(tmp_path / "in"), "--root", str(ROOT)]
        said.append(CliRunner().invoke(app, words).output)
    assert [": admitted, kept in" in each for each in said] == [True, False, True, True]
    assert "which ana handed in before; rename it, run again" in said[1]


def test_a_part_of_a_suite_is_not_handed_in(tmp_path: Path) -> None:
    evaluate(Shelf, "owners", limit=3).save(tmp_path / "r.json")
    with pytest.raises(UserError, match="3 cases of owners alone; run the whole suite"):
        submit_results(tmp_path / "r.json", "ana", tmp_path / "out.tar.gz")


def test_what_is_refused_leaves_an_earlier_bundle_as_it_is(tmp_path: Path) -> None:
    evaluate(Shelf, "owners", name="shelf:Shelf", controls=False).save(tmp_path / "r.json")
    large, out = tmp_path / "large.py", tmp_path / "out.tar.gz"
    large.write_bytes(b"#" * ((1 << 20) + 1))
    for is_there in (False, True):
        if is_there:
            submit_results(tmp_path / "r.json", "ana", out)
        before = out.read_bytes() if is_there else None
        with pytest.raises(UserError, match=r"out\.tar\.gz: .*is larger than 1048576 bytes"):
            submit_results(tmp_path / "r.json", "ana", out, adapter=large)
        assert (out.read_bytes() if out.exists() else None) == before
    assert {path.name for path in tmp_path.iterdir()} == {"r.json", "large.py", "out.tar.gz"}


@pytest.mark.parametrize("taken", ["r.json", "shelf.py", "key", "kept.tar.gz"])
def test_a_bundle_never_takes_the_place_of_what_it_is_made_of(tmp_path: Path, taken: str) -> None:
    evaluate(Shelf, "owners", name="shelf:Shelf", controls=False).save(tmp_path / "r.json")
    for name in ("shelf.py", "key"):
        (tmp_path / name).write_text("what was there\n")
    with tarfile.open(tmp_path / "kept.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "shelf.py", "adapter.py")
    before, given = (tmp_path / taken).read_bytes(), {name: str(tmp_path / name) for name in ("shelf.py", "key")}
    words = ["submit", str(tmp_path / "r.json"), "--by", "ana", "--adapter", given["shelf.py"], "--key", given["key"]]
    said = CliRunner().invoke(app, [*words, "--out", str(tmp_path / taken)])
    assert said.exit_code != 0 and "is there, and no bundle; name another file" in str(said.exception)
    assert (tmp_path / taken).read_bytes() == before


def test_a_bundle_takes_the_place_of_its_own_earlier_one_alone(tmp_path: Path) -> None:
    out = tmp_path / "ana-results.tar.gz"
    for name in ("mine", "other"):
        evaluate(Shelf, "owners", name=f"{name}:Shelf", controls=False).save(tmp_path / f"{name}.json")
    for _ in range(2):
        submit_results(tmp_path / "mine.json", "ana", out)
    before = out.read_bytes()
    for file, by in (("other.json", "ana"), ("mine.json", "ben")):
        with pytest.raises(UserError, match=r"out .*is there, and the bundle of mine\.Shelf by ana; name another file"):
            submit_results(tmp_path / file, by, out)
    with tarfile.open(out, "w:gz") as archive:
        archive.add(tmp_path / "mine.json", "submission.json")
    backup = out.read_bytes()
    with pytest.raises(UserError, match="is there, and no bundle"):
        submit_results(tmp_path / "mine.json", "ana", out)
    assert before != backup == out.read_bytes()


@pytest.mark.parametrize(
    ("adapter", "said"),
    [
        ("gone.py", "No such file or directory"),
        ("folder", "Is a directory"),
        ("/dev/zero", "a pipe or device, not a file"),
    ],
)
def test_an_adapter_that_is_no_file_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, adapter: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    evaluate(Shelf, "owners", name="shelf:Shelf", controls=False).save("r.json")
    Path("folder").mkdir()
    with pytest.raises(UserError, match=f"^{adapter}: {said}; name a file that can be read$"):
        submit_results(Path("r.json"), "ana", Path("out.tar.gz"), adapter=Path(adapter))
    assert not Path("out.tar.gz").exists()


@pytest.mark.parametrize(
    ("part", "value", "said"),
    [
        ("made_with", {}, "made_with: forgeteval is missing"),
        ("made_with", {"forgeteval": "1", "python": "3"}, "made_with: platform is missing"),
        ("settings", {"k": 10}, "settings: policies is missing"),
        ("settings", {"k": 10, "policies": ["x"]}, "settings: policies is no mapping"),
    ],
)
def test_results_without_what_a_bundle_says_are_refused_in_one_line(
    tmp_path: Path, part: str, value: dict[str, Any], said: str
) -> None:
    file = tmp_path / "r.json"
    evaluate(Shelf, "owners", name="shelf:Shelf", controls=False).save(file)
    told = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**told, part: value}), encoding="utf-8")
    line = f"{file}: {said}; run again with `forgeteval run --out {file}`"
    with pytest.raises(UserError, match=re.escape(line)):
        submit_results(file, "ana", tmp_path / "out.tar.gz")
    assert not (tmp_path / "out.tar.gz").exists()
