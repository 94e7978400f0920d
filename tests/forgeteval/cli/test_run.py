"""`forgeteval run`: what each option does, and how it ends."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from forgeteval import Results, load_suite
from forgeteval.cli.exits import Exit
from forgeteval.errors import UserError
from tests.forgeteval.cli.conftest import Command
from tests.support.paths import ROOT

SHELF = "shelves:Shelf"
COMMANDS = """
def forge():
    raise ValueError("\\n::error::forged\\n##[error]forged")


class Store:
    def add(self, texts):
        forge()

    def search(self, query, k):
        return []


class Unbuilt:
    def __init__(self):
        forge()
"""
PLAN = """
from forgeteval.planners.protocol import Meant


class Plan:
    def purge(self, query, candidates):
        {}

    release = purge

    def supersede(self, query, new_fact, candidates):
        return Meant()
"""


@pytest.fixture(autouse=True)
def _fresh_modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each test imports the modules of its own folder."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    _let_go()
    yield
    _let_go()


def _let_go() -> None:
    for name in ("shelves", "shelves_far", "planner", "lengths", "plan"):
        sys.modules.pop(name, None)


def results(run: Command, *arguments: str) -> Results:
    """What a run wrote."""
    done = run(*arguments, "--out", "out.json")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return Results.load("out.json")


def test_results_are_written_where_the_command_stands_wherever_a_store_goes(run: Command) -> None:
    Path("shelves_far.py").write_text(
        "import os, shelves\n\n\nclass Far(shelves.Shelf):\n    def add(self, texts):\n"
        "        os.chdir('/')\n        return super().add(texts)\n"
    )
    run("shelves_far:Far", "--limit", "2", "--in-process", "--quiet", "--out", "far.json")
    assert Results.load("far.json").total == 2


def test_a_score_in_a_table(run: Command) -> None:
    done = run(SHELF, "--limit", "40")
    assert (done.exit_code, done.stderr) == (Exit.fine, "")
    first, *_ = done.stdout.splitlines()
    assert first == "shelves:Shelf on adversarial version 1, 40 of its cases: 0 of 40 (0.0%) [0.0%, 8.8%]"
    assert [line for line in done.stdout.splitlines() if line != line.rstrip()] == []


def test_a_file_that_bears_the_name_of_a_suite_of_ours_is_called_one(run: Command, folder: Path) -> None:
    case = load_suite("held_out")[0]
    (folder / "adversarial.jsonl").write_text(json.dumps(case.to_json()) + "\n", encoding="utf-8")
    done = run(SHELF, "--suite", "adversarial.jsonl", "--no-controls")
    assert done.stdout.startswith("shelves:Shelf on adversarial (a file of that name): ")


def test_a_file_names_a_store_too(run: Command, folder: Path) -> None:
    assert results(run, "shelves.py:Shelf", "--limit", "2").store == "shelves.py:Shelf"
    assert results(run, f"{folder}/shelves.py:Shelf", "--limit", "2").total == 2


def test_suite(run: Command) -> None:
    assert results(run, SHELF, "--suite", "cases.jsonl", "--limit", "2").suite.name == "cases"
    assert results(run, SHELF, "--suite", "owners", "--limit", "2").suite.label == "Owners"


def test_k(run: Command) -> None:
    trials = results(run, SHELF, "--limit", "20", "-k", "2").trials
    assert max(len(trial.recalled) for trial in trials) == 2


def test_policy(run: Command) -> None:
    found = results(run, SHELF, "--policy", "purge=all_hits", "--policy", "release=none", "--limit", "50")
    assert found.settings["policies"] == {"supersede": "best_match", "purge": "all_hits"}
    asked = {trial.verdict for case, trial in found.pairs() if any(m.op == "release" for m in case.mutations)}
    assert asked == {"na"}


@pytest.mark.parametrize("name", ["planner:All", "planner:made", "planner:makes", "planner.py:All"])
def test_planner(run: Command, name: str) -> None:
    found = results(run, SHELF, "--suite", "cases.jsonl", "--planner", name, "--limit", "2")
    assert [trial.decisions for trial in found.trials] == [["purge: 2 of 2 memories"]] * 2
    assert found.settings["hook"]


def test_unsure(run: Command) -> None:
    def left(*arguments: str) -> list[int]:
        asked = ("--suite", "cases.jsonl", "--limit", "2", "--planner", "planner:Hesitant")
        found = results(run, SHELF, *asked, *arguments)
        return [len(trial.recalled) for trial in found.trials]

    assert left() == left("--unsure", "policy") == [1, 1]
    assert left("--unsure", "ask") == [2, 2]


def test_a_planner_that_cannot_be_made(run: Command) -> None:
    done = run(SHELF, "--planner", "planner:Broken")
    assert isinstance(done.exception, UserError)
    assert str(done.exception) == "--planner planner:Broken: cannot be made (RuntimeError: no weights)"


def test_a_planner_and_a_model_are_one_too_many(run: Command) -> None:
    assert "give one of them" in str(run(SHELF, "--planner", "planner:All", "--model", "any").exception)


def test_model_base_url_and_key(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def refuse(llm: object) -> None:
        asked.append(llm)
        raise UserError("no such endpoint")

    monkeypatch.setattr("forgeteval.chat.llm.Asking", refuse)
    url = "http://127.0.0.1:1/v1"
    for key in ("MY_KEY", ""):
        done = run(SHELF, "--model", "small", "--base-url", url, "--key-env", key)
        assert str(done.exception) == "no such endpoint"
    told = [(llm.model, llm.base_url, llm.api_key_env) for llm in asked]  # type: ignore[attr-defined]
    assert told == [("small", url, "MY_KEY"), ("small", url, None)]


def test_embedder(run: Command) -> None:
    found = results(run, "lengths:Store", "--embedder", "lengths:lengths", "--suite", "cases.jsonl", "--limit", "2")
    assert found.settings["embedder"]
    assert found.count("error") == 0


def test_an_embedder_that_nobody_asks_for_is_a_note(run: Command) -> None:
    found = results(run, SHELF, "--embedder", "lengths:lengths", "--limit", "2")
    assert found.notes == ("the store asks for no embedder; the one that was given is not used",)


def test_category_and_limit(run: Command) -> None:
    named = ("--category", "negation_trap", "--category", "substring_trap")
    assert set(results(run, SHELF, *named).by_category()) == {"substring_trap", "negation_trap"}
    assert results(run, SHELF, *named, "--limit", "3").total == 3


@pytest.mark.parametrize("option", [("--timeout", "inf"), ("--timeout", "nan"), ("-k", "999999999999")])
def test_a_limit_that_is_none_is_a_mistake_of_use(command: Command, option: tuple[str, str]) -> None:
    done = command("run", "shelves:Shelf", "--limit", "1", *option)
    assert done.exit_code == 2 and option[0] in done.output


@pytest.mark.parametrize("store", [":Shelf", ".:Shelf", "..shelves:Shelf", "shelves:", "a b:Shelf"])
def test_what_names_no_store_is_a_mistake_of_use(command: Command, store: str) -> None:
    done = command("run", store, "--limit", "1")
    assert isinstance(done.exception, UserError) and "name it as module:Class" in str(done.exception)


def test_a_run_whose_standard_error_is_closed_gives_its_number() -> None:
    command = f"exec {sys.executable} -m forgeteval.cli.main run tests.support.stores:Shelf --limit 3 2>&-"
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "all" in done.stdout, done.stdout


def test_timeout(command: Command) -> None:
    done = command("run", "shelves:Hangs", "--limit", "1", "--timeout", "0.5", "--quiet", "--no-controls")
    assert done.exit_code == Exit.broke
    assert "first error, in compound_fact-01: it hung for 0.5 s in delete" in done.stdout


def test_in_process_and_in_one_of_its_own_come_to_the_same(command: Command) -> None:
    said = [
        command("run", SHELF, "--limit", "30", "--quiet", *arguments).stdout for arguments in ([], ["--in-process"])
    ]
    assert said[0] == said[1] != ""


def test_controls_are_run_unless_they_are_left_out(command: Command) -> None:
    said = "controls came out right: null 0, nuke 0, verbatim 0, frozen 0, oracle 2"
    assert said in command("run", SHELF, "--limit", "2", "--in-process", "--quiet").stdout
    assert "controls" not in command("run", SHELF, "--limit", "2", "--in-process", "--quiet", "--no-controls").stdout


def test_where_a_suite_has_no_gold_the_oracle_is_not_asked(command: Command) -> None:
    said = command("run", SHELF, "--suite", "cases.jsonl", "--in-process", "--quiet").stdout
    assert "oracle N/A; a case that one but the oracle passes proves little" in said


def test_progress_is_on_standard_error_unless_quiet(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forgeteval.progress._SECONDS_BETWEEN_LINES", 0.0)
    loud = command("run", SHELF, "--limit", "2", "--in-process")
    quiet = command("run", SHELF, "--limit", "2", "--in-process", "--quiet")
    assert "shelves:Shelf on adversarial: 2 of 2" in loud.stderr
    assert (quiet.stderr, quiet.stdout) == ("", loud.stdout)


@pytest.mark.parametrize(
    ("asked", "code", "said"),
    [
        ("pass=0", Exit.fine, []),
        ("0.1", Exit.worse, ["pass 0.0% is below 10.0%"]),
        ("leak=0.1", Exit.worse, ["leak 11.1% is above 10.0%"]),
        ("collateral=1", Exit.fine, []),
        ("stale=0", Exit.worse, ["stale 31.8% is above 0.0%"]),
    ],
)
def test_min(run: Command, asked: str, code: Exit, said: list[str]) -> None:
    done = run(SHELF, "--limit", "40", "--min", asked)
    worse = [line.removeprefix("worse than asked: ") for line in done.stderr.splitlines()]
    assert (done.exit_code, worse) == (code, said)


def test_a_rate_that_a_suite_cannot_give_is_worse_than_any(run: Command) -> None:
    done = run(SHELF, "--suite", "cases.jsonl", "--limit", "2", "--min", "leak=1")
    assert done.exit_code == Exit.worse
    assert "leak cannot be said of cases: its cases have no fact with the state released or purged" in done.stderr
    done = run(SHELF, "--limit", "2", "--policy", "purge=none", "--policy", "release=none", "--min", "leak=1")
    assert done.exit_code in (Exit.worse, Exit.nothing_ran)
    said = "each case with a fact with the state released or purged is N/A or broke"
    assert f"leak cannot be said of adversarial: {said}" in done.stderr


@pytest.mark.parametrize("asked", ["pass=much", "speed=0.5", "1.5", "leak=-0.1", "pass=nan"])
def test_a_rate_that_is_none_is_refused(run: Command, asked: str) -> None:
    assert str(run(SHELF, "--min", asked).exception).startswith(f"--min {asked}: ")


def test_outputs(run: Command, folder: Path) -> None:
    pytest.importorskip("pyarrow")
    files = {"--out": "r.json", "--junit": "r.xml", "--summary": "r.md", "--badge": "b.json", "--parquet": "r.parquet"}
    options = [part for pair in files.items() for part in pair]
    done = run(SHELF, "--suite", "cases.jsonl", "--limit", "2", "--annotations", *options)
    assert [name for name in files.values() if not (folder / name).stat().st_size] == []
    assert json.loads((folder / "b.json").read_text(encoding="utf-8"))["label"] == "ForgetEval"
    assert "::error title=keeps-2 (keeps)%3A failed::" in done.stdout


@pytest.mark.parametrize("store", [SHELF, "commands:Store", "commands:Unbuilt"])
def test_a_runner_of_github_takes_nothing_for_a_command_but_annotations(folder: Path, store: str) -> None:
    Path("commands.py").write_text(COMMANDS, encoding="utf-8")
    command = [sys.executable, "-m", "forgeteval.cli.main", "run", store, "--suite", "cases.jsonl", "--annotations"]
    shown = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False).stdout
    first, *between, last = shown.splitlines()
    token = first.removeprefix("::stop-commands::")
    assert len(token) == 32 and last == f"::{token}::"
    heard = list[str]()
    for line in between:
        if line in (first, last):
            first, last = last, first
        elif last == f"::stop-commands::{token}":
            heard.append(line)
    assert all(line.startswith("::error title=") and "##[" not in line.partition("::")[0] for line in heard)
    assert ("forged" in shown, bool(heard)) == (store != SHELF, store != "commands:Unbuilt")


def test_the_score_is_said_where_a_file_cannot_be_written(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Results, path: Path) -> None:
        raise UserError(f"writing {path}: No space left on device")

    monkeypatch.setattr(Results, "save", full)
    done = run(SHELF, "--limit", "2", "--out", "results.json")
    assert (done.exit_code, done.stderr) == (Exit.usage, "error: writing results.json: No space left on device\n")
    assert "0 of 2" in done.stdout


OUTPUTS = ("--out", "--junit", "--summary", "--badge", "--write-baseline")


@pytest.mark.parametrize("full", OUTPUTS)
def test_an_output_that_cannot_be_written_stops_no_other(run: Command, folder: Path, full: str) -> None:
    files = {option: folder / option.removeprefix("--") for option in OUTPUTS}
    # By a link, which would be replaced in place of the device.
    files[full].symlink_to("/dev/full")
    options = [str(part) for pair in files.items() for part in pair]
    done = run(SHELF, "--limit", "2", "--annotations", *options)
    remedy = "No space left on device; free space or fix the permissions of that path, then run again"
    assert (done.exit_code, done.stderr) == (Exit.usage, f"error: writing {files[full]}: {remedy}\n")
    assert [option for option, file in files.items() if not file.is_symlink() and not file.stat().st_size] == []
    assert "::error title=" in done.stdout and "0 of 2" in done.stdout


def test_every_output_that_cannot_be_written_has_its_line(run: Command, folder: Path) -> None:
    for option in OUTPUTS:
        (folder / option.removeprefix("--")).symlink_to("/dev/full")
        # Each in a place of its own, as far as the check before the run can see.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("forgeteval.cli.run.real", lambda path: path)
        done = run(SHELF, "--limit", "2", *(part for option in OUTPUTS for part in (option, option.removeprefix("--"))))
    assert done.exit_code == Exit.usage and "0 of 2" in done.stdout
    assert [line.split(": ")[:2] for line in done.stderr.splitlines()] == [
        ["error", f"writing {option.removeprefix('--')}"] for option in OUTPUTS
    ]


@pytest.mark.parametrize("length", [230, 245, 255])
def test_an_output_may_have_as_long_a_name_as_any_file(run: Command, folder: Path, length: int) -> None:
    name = "o" * (length - 5) + ".json"
    assert run(SHELF, "--limit", "1", "--out", name).exit_code == Exit.fine
    assert Results.load(name).total == 1
    assert [file.name for file in folder.iterdir() if file.name.startswith(".")] == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--base-url", "http://127.0.0.1:1/v1"], "--base-url: only for a chat model; name one by --model"),
        (["--key-env", "MY_KEY"], "--key-env: only for a chat model; name one by --model"),
        (["--key-env", ""], "--key-env: only for a chat model; name one by --model"),
        (["--preset", "vllm", "--max-tokens", "20"], "--preset and --max-tokens: only for a chat model; name one by"),
        (["--planner", "planner:All", "--base-url", "http://127.0.0.1:1/v1"], "--base-url: only for a chat model"),
        (["--unsure", "ask"], "--unsure: only for what decides mutations; name it by --planner or --model"),
        (["--unsure", "policy"], "--unsure: only for what decides mutations; name it by --planner or --model"),
    ],
)
def test_an_option_that_means_nothing_alone_is_refused(run: Command, options: list[str], said: str) -> None:
    done = run(SHELF, "--limit", "1", *options)
    assert (done.stdout, type(done.exception)) == ("", UserError)
    assert str(done.exception).startswith(said)


def test_a_file_that_python_cannot_import_by_its_name_is_told_so(run: Command, folder: Path) -> None:
    (folder / "x.y.py").write_bytes((folder / "shelves.py").read_bytes())
    done = run("x.y.py:Shelf", "--limit", "1")
    assert isinstance(done.exception, UserError)
    said = "x.y.py: Python imports no file with a further dot in its name; rename it, such as x_y.py"
    assert str(done.exception) == said
    assert "x.z.py: there is no such file" in str(run("x.z.py:Shelf", "--limit", "1").exception)


@pytest.mark.parametrize("words", [["run", "shelves:Shelf", "--out", "o.json"], ["run", "/none.py:Shelf"], ["init"]])
def test_a_current_folder_that_is_gone_is_said(tmp_path: Path, words: list[str]) -> None:
    command = (
        'mkdir gone && cd gone && rmdir ../gone && exec "$0" -P -c "from forgeteval.cli.main import main; main()" "$@"'
    )
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (Exit.usage, "")
    assert done.stderr.endswith(": the current folder is gone; change to one that is there, then run again\n")
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--out", "taken"], "writing taken: it is a folder; name a file"),
        (["--out", "here/results.json"], "writing here/results.json: Not a directory"),
        (["--out", "r.json", "--badge", "./r.json"], "--out and --badge name one file, r.json; give each its own"),
        (["--out", "r.json", "--write-baseline", "r.json"], "--out and --write-baseline name one file, r.json"),
        (["--min", "0.1", "--min", "pass=0.2"], "--min pass=0.2: pass is given twice; give it once"),
        (["--suite", "here", "--out", "./here"], "--out would overwrite here, which this run reads; name another file"),
        (
            ["--baseline", "cases.jsonl", "--out", "cases.jsonl"],
            "--out would overwrite cases.jsonl, which this run reads",
        ),
        (
            ["--suite", "taken", "--out", "taken/a.jsonl"],
            "--out taken/a.jsonl would be read as cases of --suite taken;",
        ),
        (
            ["--suite", ".", "--badge", "b.json"],
            "--badge b.json would be read as cases of --suite .; name another folder",
        ),
        (["--out", "not/../shelves.py"], "writing not/../shelves.py: there is no folder not; leave it out"),
        (["--out", "shelves.py"], "--out would overwrite shelves.py, which this run reads; name another file"),
        (["--planner", "planner:All", "--badge", "planner.py"], "--badge would overwrite planner.py, which this run"),
        (["--embedder", "lengths:lengths", "--junit", "lengths.py"], "--junit would overwrite lengths.py, which this"),
    ],
)
def test_a_place_that_cannot_be_written_is_said_before_anything_runs(
    run: Command, folder: Path, options: list[str], said: str
) -> None:
    (folder / "here").touch()
    (folder / "taken").mkdir()
    before = sorted(folder.iterdir())
    done = run(SHELF, *options)
    assert (done.stdout, type(done.exception)) == ("", UserError)
    assert str(done.exception).startswith(said)
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["b\udcff.py:Shelf", "--suite", "cases.jsonl"], "error: store: 'b\\udcff.py:Shelf' is not UTF-8"),
        (["shelves:Shelf", "--suite", "c\udcff.jsonl"], "error: suite: 'c\\udcff' is not UTF-8"),
    ],
)
def test_a_name_that_no_file_can_hold_is_said_before_the_run(folder: Path, arguments: list[str], said: str) -> None:
    for name, copy in (("shelves.py", "b\udcff.py"), ("cases.jsonl", "c\udcff.jsonl")):
        (folder / copy).write_bytes((folder / name).read_bytes())
    program = "from forgeteval.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "run", *arguments, "--out", "out.json", "--write-baseline", "b.json"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (Exit.usage, "")
    assert done.stderr.startswith(said) and done.stderr.count("\n") == 1
    assert not (folder / "out.json").exists() and not (folder / "b.json").exists()


def test_standard_output_is_written_to_and_what_it_leads_to_is_kept(folder: Path) -> None:
    log = folder / "log.txt"
    log.write_text("precious\n", encoding="utf-8")
    program = "from forgeteval.cli.main import main; main()"
    command = [sys.executable, "-c", program, "run", SHELF, "--limit", "1", "-q", "--no-controls"]
    with log.open("a", encoding="utf-8") as stream:
        subprocess.run(
            [*command, "--in-process", "--out", "/dev/stdout", "--badge", "/dev/fd/1"],
            stdout=stream,
            cwd=folder,
            env={"PYTHONPATH": os.pathsep.join([str(ROOT), str(folder)]), "PATH": os.environ["PATH"]},
            check=True,
        )
    first, rest = log.read_text(encoding="utf-8").split("\n", 1)
    results, end = json.JSONDecoder().raw_decode(rest)
    badge, _ = json.JSONDecoder().raw_decode(rest[end:].lstrip())
    assert (first, results["store"], badge["label"]) == ("precious", SHELF, "ForgetEval")


def test_parquet_without_its_package_is_said_before_anything_runs(
    run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    done = run(SHELF, "--parquet", "trials.parquet")
    assert (done.stdout, type(done.exception)) == ("", UserError)


def test_data(run: Command, folder: Path) -> None:
    done = run(SHELF, "--suite", "published", "--data", str(folder))
    assert isinstance(done.exception, UserError)


@pytest.mark.parametrize("in_process", [[], ["--in-process"]])
def test_a_store_that_cannot_be_built(command: Command, in_process: list[str]) -> None:
    done = command("run", "shelves:CannotBeBuilt", "--quiet", *in_process)
    assert (done.exit_code, done.stdout) == (Exit.broke, "")
    first, *others = done.stderr.splitlines()
    assert first == "error: shelves:CannotBeBuilt cannot be built: ValueError: no connection"
    assert others[0] == "Traceback (most recent call last):" and others[-1] == "ValueError: no connection"


def test_a_store_that_broke_everywhere_before_ran_nothing(command: Command) -> None:
    arguments = ["run", "shelves:Raises", "--suite", "cases.jsonl", "--quiet"]
    assert command(*arguments, "--write-baseline", "before.json").exit_code == Exit.broke
    assert command(*arguments, "--baseline", "before.json").exit_code == Exit.nothing_ran


@pytest.mark.parametrize("name", ["OffersNoText", "OffersNoWord", "OffersNothing"])
def test_a_store_that_names_no_operation_as_not_offered(command: Command, name: str) -> None:
    done = command("run", f"shelves:{name}", "--quiet")
    assert (done.exit_code, done.stdout) == (Exit.broke, "")
    (line,) = done.stderr.splitlines()
    assert line.endswith("; it is a set of purge, release, supersede")


@pytest.mark.parametrize(
    ("store", "code", "last"),
    [
        ("shelves:Raises", Exit.broke, "nothing ran: the store broke in every case"),
        ("shelves:WithoutDelete", Exit.nothing_ran, "nothing ran: every case is N/A, or there is none"),
    ],
)
def test_nothing_ran(run: Command, store: str, code: Exit, last: str) -> None:
    done = run(store, "--limit", "3")
    assert (done.exit_code, done.stderr.splitlines()) == (code, [last])


SETS = """
from forgeteval import Hit


class Store:
    def reset(self):
        self.texts = set()

    def add(self, texts):
        self.texts.update(texts)

    def search(self, query, k):
        return [Hit(text, text, 1.0) for text in list(self.texts)[:k]]

    def delete(self, id):
        self.texts.discard(id)
"""


def test_a_store_that_walks_through_sets_does_the_same_in_each_run(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "sets.py").write_text(SETS, encoding="utf-8")
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)

    def recalled() -> list[object]:
        command("run", "sets:Store", "-k", "1", "--limit", "20", "--no-controls", "--quiet", "--out", "out.json")
        return [trial.recalled for trial in Results.load(folder / "out.json").trials]

    first = recalled()
    assert recalled() == first and any(first)
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    assert recalled() != first, "the user's own seed counts"


@pytest.mark.parametrize("option", ["--suite", "--baseline", "--data"])
def test_a_link_to_itself_is_refused_in_one_line(run: Command, option: str) -> None:
    Path("loop.jsonl").symlink_to("loop.jsonl")
    published = ["--suite", "published"] if option == "--data" else []
    done = run(SHELF, option, "loop.jsonl", *published, "--limit", "1", "--no-controls", "--in-process")
    assert isinstance(done.exception, UserError) and "loop.jsonl" in str(done.exception)


def test_nothing_is_appended_to_a_link_to_itself(run: Command) -> None:
    Path("loop.md").symlink_to("loop.md")
    done = run(SHELF, "--summary", "loop.md", "--limit", "1")
    assert done.exit_code == Exit.usage
    assert done.stderr.startswith("error: writing loop.md: ") and done.stderr.count("\n") == 1


@pytest.mark.parametrize("option", ["--out", "--junit", "--badge", "--write-baseline"])
def test_an_output_takes_the_place_of_a_link_to_itself(run: Command, option: str) -> None:
    Path("loop").symlink_to("loop")
    done = run(SHELF, option, "loop", "--limit", "1", "--no-controls", "--in-process")
    assert done.exit_code == Exit.fine and Path("loop").is_file()


def test_a_store_s_file_may_be_no_link_to_itself_either(run: Command) -> None:
    Path("loop.py").symlink_to("loop.py")
    done = run("loop.py:Store", "--limit", "1")
    assert isinstance(done.exception, UserError) and "loop.py: there is no such file" in str(done.exception)


@pytest.mark.parametrize("in_process", [[], ["--in-process"]])
@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("raise ValueError('no plan')", "Plan.purge raised ValueError: no plan"),
        (
            "raise type('PanicException', (BaseException,), {})('a library in Rust')",
            "PanicException: a library in Rust",
        ),
        ("return None", "Plan.purge: None is not a decision: answer Meant or Unsure"),
        ("return Meant((99,))", "Plan.purge: no candidate 99: there are 0 to "),
    ],
)
def test_a_hook_that_breaks_is_not_the_stores_fault(run: Command, does: str, said: str, in_process: list[str]) -> None:
    Path("plan.py").write_text(PLAN.format(does), encoding="utf-8")
    cases = [case for case in load_suite("adversarial") if {mutation.op for mutation in case.mutations} == {"purge"}]
    Path("purges.jsonl").write_text("".join(json.dumps(case.to_json()) + "\n" for case in cases[:3]), encoding="utf-8")
    done = run(SHELF, "--planner", "plan:Plan", "--suite", "purges.jsonl", *in_process)
    assert done.exit_code == Exit.broke
    assert "nothing ran: the hook failed in every case" in done.stderr
    assert "3 errors (the hook failed)" in done.stdout and said in done.stdout
