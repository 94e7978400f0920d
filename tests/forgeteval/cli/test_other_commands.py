"""The other commands: `show`, `compare`, `init`, `list`, `check-cases`, `fetch`, and what is there for all."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from typer.main import get_command
from typer.testing import CliRunner

from forgeteval import __version__, evaluate
from forgeteval.cli import init, main
from forgeteval.cli.exits import Exit
from forgeteval.cli.init import _FILES
from forgeteval.errors import UserError
from forgeteval.stores.controls import Null, Verbatim
from tests.forgeteval.cli.conftest import Command
from tests.support.commands import app as study
from tests.support.plugin import LOADED, SUITE
from tests.support.stores import Raises, Shelf

CASES = [json.loads(line) for line in SUITE.splitlines()]


@pytest.fixture
def written(folder: Path) -> Path:
    """Results of a store on the first two cases, of which it fails one, and one that breaks it."""
    broken = {**CASES[0], "id": "keeps-9", "setup_facts": ["Ada lives in Ghent."], "mutations": []}
    path = folder / "results.json"
    evaluate(Shelf, CASES[:2], name="Shelf").save(path)
    evaluate(Raises, [CASES[0], broken], name="Raises").save(folder / "broken.json")
    return path


def test_show(command: Command, written: Path) -> None:
    done = command("show", str(written))
    assert done.exit_code == 0
    first, *_, last = done.stdout.splitlines()
    assert first == "Shelf on cases: 1 of 2 (50.0%) [9.5%, 90.5%]"
    assert last == "failed: keeps-2"


def test_show_one_case(command: Command, written: Path) -> None:
    said = command("show", str(written), "keeps-2").stdout
    assert said.startswith("keeps-2 (keeps): fail\n\ntold:\n  - Ada lives in Ghent.\n  - Bo lives in Tartu.\nthen:\n")
    assert said.endswith("missing: 'Tartu'\nleaked: 'Ghent'\n")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("show results.json --failures", Exit.fine),
        ("run shelves:Shelf --limit 2 --quiet", Exit.fine),
        ("run shelves:Shelf --limit 2 --quiet --min 0.9 2>&1", Exit.worse),
        ("run shelves:Raises --limit 2 --quiet 2>&1", Exit.broke),
    ],
)
def test_a_reader_that_leaves_early_changes_no_exit_code(written: Path, words: str, code: Exit) -> None:
    line = f"{sys.executable} -m forgeteval.cli.main {words} | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "")


def test_one_case_and_every_failure_are_not_shown_at_once(command: Command, written: Path) -> None:
    done = command("show", str(written), "keeps-2", "--failures")
    assert isinstance(done.exception, UserError) and "leave it out, or keeps-2" in str(done.exception)


def test_show_all_failures(command: Command, written: Path) -> None:
    said = command("show", str(written), "--failures").stdout
    assert "keeps-2 (keeps): fail" in said and "keeps-1" not in said
    said = command("show", "broken.json", "--failures").stdout
    assert "keeps-9 (keeps): fail" in said and "keeps-1 (keeps): error" in said
    assert "error: RuntimeError: the disk is gone" in said


def test_show_a_store_that_broke(command: Command, written: Path) -> None:
    said = command("show", "broken.json").stdout
    assert "not passed besides fails: 1 errors (the store broke)" in said
    assert "first error, in keeps-1: RuntimeError: the disk is gone" in said


def test_show_a_file_of_the_study_says_where_its_cases_are(command: Command, folder: Path) -> None:
    (folder / "lethe.parquet").write_bytes(b"PAR1\xef")
    said = str(command("show", "lethe.parquet", "substring_trap-01").exception)
    assert said.startswith(
        "lethe.parquet: a file of the study; results/report/index.html#/case/SUITE/CASE shows a case"
    )
    assert "pandas.read_parquet" in said
    assert "no such file" in str(command("show", "none.parquet").exception)


def test_a_file_that_is_not_json_is_named_with_its_folder(command: Command, written: Path) -> None:
    (written.parent / "old").mkdir()
    (written.parent / "old" / "results.json").write_text("{", encoding="utf-8")
    done = command("compare", "results.json", "old/results.json")
    assert str(done.exception).startswith("old/results.json: cannot be read as JSON")


def test_show_a_case_that_is_not_there(command: Command, written: Path) -> None:
    assert str(command("show", str(written), "keeps-7").exception).startswith("keeps-7: no case of these results")


def test_compare(command: Command, folder: Path) -> None:
    for store in (Null, Verbatim):
        evaluate(store, "twins", controls=False).save(folder / f"{store.__name__}.json")
    better = command("compare", "Verbatim.json", "Null.json")
    assert better.exit_code == Exit.fine
    assert better.stdout.startswith("Verbatim is better than Null: 150 cases are passed by Verbatim alone, 0 by Null")
    assert command("compare", "Null.json", "Verbatim.json").exit_code == Exit.worse
    same = command("compare", "Null.json", "Null.json", "--cases")
    assert same.exit_code == Exit.fine
    assert same.stdout.splitlines()[1:] == ["Null (Null.json) alone: none", "Null (Null.json) alone: none"]
    alone = command("compare", "Verbatim.json", "Null.json", "--cases").stdout.splitlines()
    assert alone[1].startswith("Verbatim alone: ") and len(alone[1].split(", ")) == 150
    assert alone[2] == "Null alone: none"


@pytest.mark.parametrize(
    ("first", "second", "note"),
    [
        ({"hook": "x", "unsure": "policy"}, {"hook": "y", "unsure": "ask"}, "unsure policy, unsure ask"),
        ({"hook": "x", "unsure": "ask"}, {"hook": "y", "unsure": "ask"}, None),
        ({"hook": "x", "unsure": "ask", "k": 5}, {}, "k 5, k 10"),
        ({"case_timeout_s": 5.0}, {}, "case_timeout_s 5.0, case_timeout_s None"),
        (
            {"policies": {"purge": "all_hits"}},
            {"policies": {"purge": "equal_text"}},
            "purge all_hits, purge equal_text",
        ),
    ],
)
def test_settings_that_differ_are_named(
    command: Command, folder: Path, first: dict[str, Any], second: dict[str, Any], note: str | None
) -> None:
    found = evaluate(Null, CASES[:2], controls=False)
    for name, settings in (("first", first), ("second", second)):
        replace(found, settings={**found.settings, **settings}).save(folder / f"{name}.json")
    said = command("compare", "first.json", "second.json").stdout
    assert said.partition(" They ran with other settings: ")[2] == ("" if note is None else f"{note}.\n")


def test_two_runs_of_one_store_are_told_apart_by_their_files(command: Command, folder: Path) -> None:
    evaluate(Null, "twins", controls=False).save(folder / "new.json")
    evaluate(Null, "twins", controls=False).save(folder / "old.json")
    assert "Null (new.json) and Null (old.json)" in command("compare", "new.json", "old.json").stdout


def test_a_comparison_cuts_a_name_that_nobody_reads(command: Command, folder: Path) -> None:
    for file, name in ("a.json", "n" * 10_000 + "a.py:Store"), ("b.json", "n" * 10_000 + "b.py:Store"):
        evaluate(Shelf, CASES, name=name).save(folder / file)
    done = command("compare", "a.json", "b.json")
    assert "a.py:Store" in done.stdout and "b.py:Store" in done.stdout and len(done.stdout) < 1000


def test_a_comparison_says_which_settings_differ(command: Command, folder: Path) -> None:
    evaluate(Verbatim, "twins", controls=False, limit=5).save(folder / "ten.json")
    evaluate(Verbatim, "twins", controls=False, limit=5, k=3).save(folder / "three.json")
    assert command("compare", "ten.json", "three.json").stdout.endswith(" They ran with other settings: k 10, k 3.\n")


def test_results_of_other_cases_are_not_compared(command: Command, written: Path, folder: Path) -> None:
    evaluate(Null, "twins", controls=False, limit=2).save(folder / "twins.json")
    assert "these are results on different cases" in str(command("compare", str(written), "twins.json").exception)


def test_init(command: Command, folder: Path) -> None:
    done = command("init", "new")
    assert done.stdout.splitlines() == [
        *(f"new/{name}: written" for name in _FILES),
        "next: cd new && forgeteval run my_store:MyStore",
        "for a CI on GitHub: move forgeteval.yml to .github/workflows at the top of your repository; "
        "its first lines say what it needs",
    ]
    written = [path for path in (folder / "new").rglob("*") if path.is_file()]
    assert {str(path.relative_to(folder / "new")) for path in written} == {*_FILES}


def test_init_replaces_no_link_that_leads_nowhere(command: Command, folder: Path) -> None:
    (folder / "my_store.py").symlink_to("gone.py")
    assert str(command("init").exception) == "my_store.py: is there already; name another folder"


def test_init_is_not_led_in_a_circle(command: Command, folder: Path) -> None:
    (folder / "loop").symlink_to("loop")
    done = command("init", "loop")
    assert isinstance(done.exception, UserError) and "loop" in str(done.exception)


@pytest.mark.parametrize("name", _FILES)
def test_init_touches_nothing_that_is_there(command: Command, folder: Path, name: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("mine", encoding="utf-8")
    assert str(command("init").exception) == f"{name}: is there already; name another folder"
    assert [path for path in _FILES if (folder / path).exists()] == [name]
    assert (folder / name).read_text(encoding="utf-8") == "mine"


def workflow(folder: Path) -> Any:
    [job] = yaml.safe_load((folder / "forgeteval.yml").read_text(encoding="utf-8"))["jobs"].values()
    return job


def test_the_workflow_of_a_store_in_a_folder_of_a_repository_runs_in_that_folder(
    command: Command, folder: Path
) -> None:
    (folder / ".git").mkdir()
    done = command("init", 'my "store"')
    assert f"move forgeteval.yml to {folder / '.github/workflows'}; " in done.stdout
    assert workflow(folder / 'my "store"')["defaults"]["run"]["working-directory"] == 'my "store"'


@pytest.mark.parametrize(
    ("source", "installed"),
    [
        (None, f"forgeteval=={__version__}"),
        (
            {"vcs_info": {"commit_id": "abc"}, "url": "https://me:secret@host.org/a/b.git"},
            "git+https://host.org/a/b@abc",
        ),
        ("git@host.org:a/b.git", "git+https://host.org/a/b@HEAD"),
        ("https://token@host.org/a/b", "git+https://host.org/a/b@HEAD"),
        ("ssh://git@host.org/a/b.git", "git+https://host.org/a/b@HEAD"),
        ("/home/me/clone", "git+https://github.com/OWNER/REPOSITORY@VERSION"),
        ("", "git+https://github.com/OWNER/REPOSITORY@VERSION"),
    ],
)
def test_the_workflow_installs_what_is_installed_here(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch, source: Any, installed: str
) -> None:
    clone = folder / "clone"
    head = ""
    if isinstance(source, str):
        git = ["git", "-C", str(clone), "-c", "user.name=a", "-c", "user.email=a@b.c"]
        subprocess.run(["git", "init", "--quiet", str(clone)], check=True)
        subprocess.run([*git, "commit", "--quiet", "--allow-empty", "--message=a"], check=True)
        head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
        if source:
            subprocess.run([*git, "remote", "add", "origin", source], check=True)
        source = {"dir_info": {}, "url": clone.as_uri()}
    told = None if source is None else json.dumps(source)
    monkeypatch.setattr(init, "distribution", lambda name: SimpleNamespace(read_text=lambda file: told))
    command("init", "new")
    (step,) = [step["run"] for step in workflow(folder / "new")["steps"] if "pip install" in step.get("run", "")]
    wanted = installed.replace("HEAD", head)
    assert step == f'pip install "{wanted if wanted.startswith("forgeteval") else f"forgeteval @ {wanted}"}"'


def test_the_workflow_may_read_the_repository_and_nothing_else(command: Command, folder: Path) -> None:
    command("init", "new")
    written = yaml.safe_load((folder / "new/forgeteval.yml").read_text(encoding="utf-8"))
    assert written["permissions"] == {"contents": "read"}


def test_the_workflow_fails_only_with_a_baseline_and_on_what_got_worse(command: Command, folder: Path) -> None:
    command("init", "new")
    new = folder / "new"
    step = workflow(new)["steps"][-1]["run"].replace("forgeteval run", f"{sys.executable} -m forgeteval.cli.main run")

    def ends_with() -> int:
        environment = {**os.environ, "GITHUB_STEP_SUMMARY": str(folder / "summary.md")}
        return subprocess.run(["bash", "-e", "-c", step], cwd=new, env=environment, check=False).returncode

    assert ends_with() == 0, "without a baseline"
    known = [
        "run",
        f"{new / 'my_store.py'}:MyStore",
        "--quiet",
        "--write-baseline",
        str(new / "forgeteval.baseline.json"),
    ]
    assert command(*known).exit_code == 0
    assert ends_with() == 0
    store = (new / "my_store.py").read_text(encoding="utf-8")
    (new / "my_store.py").write_text(store.replace("del self.memories[id]", "pass"), encoding="utf-8")
    assert ends_with() == Exit.worse


def test_what_init_writes_passes_its_own_test(command: Command, folder: Path) -> None:
    command("init")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *LOADED, "-q", "-p", "no:cacheprovider"],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_list(command: Command, folder: Path) -> None:
    said = command("list", "--data", str(folder)).stdout
    assert "  adversarial            385 cases  Adversarial\n" in said
    assert "forgeteval fetch published\n" in said
    assert "  purge                equal_text, largest_gap, best_match, all_hits\n" in said


def test_stores_that_installed_packages_offer_have_names(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered = [EntryPoint("shelf", "tests.support.stores:Shelf", "forgeteval.stores")]
    monkeypatch.setattr("forgeteval.cli.listing.entry_points", lambda group: offered)
    monkeypatch.setattr("forgeteval.stores.given.entry_points", lambda group: offered)
    assert command("list").stdout.splitlines()[-1] == "stores by name: shelf"
    done = command("run", "shelf", "--limit", "2", "--in-process", "--quiet")
    assert done.stdout.startswith("shelf on adversarial")
    assert "installed packages offer shelf" in str(command("run", "shell", "--in-process").exception)


@pytest.mark.parametrize(("cases", "code"), [(CASES[:2], Exit.fine), (CASES, Exit.worse)])
def test_check_cases(command: Command, folder: Path, cases: list[dict[str, object]], code: Exit) -> None:
    (folder / "mine.jsonl").write_text("".join(f"{json.dumps(case)}\n" for case in cases), encoding="utf-8")
    done = command("check-cases", "mine.jsonl")
    assert (done.exit_code, done.stdout.splitlines()[-1].partition(" admitted")[0].split()[-1]) == (code, "2")
    told = json.loads(command("check-cases", "mine.jsonl", "--format", "json").stdout)
    assert (told["checked"], told["admitted"]) == (len(cases), 2)
    assert command("check-cases", "mine.jsonl", "--strict").exit_code == Exit.worse


def test_fetch_published_is_all_that_the_papers_authors_released(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, Path | None]] = []
    monkeypatch.setattr("forgeteval.cli.cases.fetch_suite", lambda name, into: asked.append((name, into)) or name)
    assert command("fetch", "published", "--into", "there").exit_code == 0
    assert command("fetch", "letta_core_memory").exit_code == 0
    assert [name for name, _ in asked] == [
        *("published", "published_repaired", "published_external"),
        "letta_core_memory",
    ]
    assert {into for _, into in asked} == {Path("there"), None}


def test_version(command: Command) -> None:
    assert command("--version").stdout == f"forgeteval {__version__}\n"


def test_every_command_and_option_says_what_it_is_for() -> None:
    commands = get_command(main.build_app()).commands  # type: ignore[attr-defined]
    assert {*commands} == {"run", "show", "compare", "check-cases", "init", "fetch", "list"}
    told = [(name, each.name, each.help) for name, command in commands.items() for each in command.params]
    assert [option for option in told if not option[2]] == []
    assert [name for name, command in commands.items() if not command.help] == []
    codes = "0 fine, 1 worse than asked, 2 usage, 3 the store broke or its hook failed, 4 nothing ran"
    assert codes in commands["run"].help


class TestMain:
    """What stands around the commands."""

    @pytest.fixture(autouse=True)
    def _arguments(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "argv", ["forgeteval", "list"])
        monkeypatch.setattr("signal.signal", lambda number, handler: None)

    def raising(self, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
        def known(data: object) -> None:
            raise error

        monkeypatch.setattr("forgeteval.cli.listing.known_suites", known)

    def test_a_mistake_is_one_line_and_2(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.raising(monkeypatch, UserError("nothing\nis \x1b[31mhere"))
        with pytest.raises(SystemExit) as ended:
            main.main()
        assert (ended.value.code, capsys.readouterr().err) == (Exit.usage, "error: nothing is \\x1b[31mhere\n")

    def test_ctrl_c_is_one_line_and_130(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.raising(monkeypatch, KeyboardInterrupt())
        with pytest.raises(SystemExit) as ended:
            main.main()
        assert (ended.value.code, capsys.readouterr().err) == (130, "interrupted\n")

    def test_commands_of_another_package_that_cannot_be_loaded_are_a_warning(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        point = EntryPoint("theirs", "nowhere:add", main.COMMANDS)
        monkeypatch.setattr("forgeteval.cli.main.entry_points", lambda group: [point])
        with pytest.raises(SystemExit) as ended:
            main.main()
        said = capsys.readouterr()
        assert ended.value.code == 0 and said.out.startswith("suites:")
        assert said.err == "warning: nowhere:add adds no commands: ModuleNotFoundError: No module named 'nowhere'\n"


class TestTheStudysCommands:
    """What only a clone with the study has is named by pages to people who have the package alone."""

    def test_all_are_known_here(self) -> None:
        added = {*get_command(study).commands} - {*get_command(main.build_app()).commands}  # type: ignore[attr-defined]
        assert added == main.OF_THE_STUDY

    @pytest.mark.parametrize("arguments", [["submit", "naive_sql", "--by", "Ana"], ["submit", "--help"], ["submit"]])
    def test_without_the_study_one_line_says_where_it_is(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str]
    ) -> None:
        monkeypatch.setattr("forgeteval.cli.main.entry_points", lambda group: [])
        monkeypatch.setattr(sys, "argv", ["forgeteval", *arguments])
        with pytest.raises(SystemExit) as ended:
            main.main()
        assert (ended.value.code, capsys.readouterr().err) == (
            Exit.usage,
            "error: submit comes with the study: in a clone of its repository, make env, then .venv/bin/forgeteval "
            "submit\n",
        )

    def test_with_the_study_it_is_run(self) -> None:
        done = CliRunner().invoke(study, ["submit", "--help"])
        assert done.exit_code == 0 and "--by" in done.stdout

    def test_what_nobody_has_is_unknown(self, command: Command) -> None:
        done = command("sumbit")
        assert done.exit_code == 2 and "No such command 'sumbit'" in done.stderr
