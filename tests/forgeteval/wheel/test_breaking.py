"""A store that breaks, a mistake in the command, a full disk, Ctrl-C: one clear line each, and the exit code that
`forgeteval.cli.exits` gives it; each on one of the machine's Pythons in turn, with LETHE_PYTHONS=all on each."""

import signal
import subprocess
import time
from pathlib import Path

import pytest

from forgeteval.cli.exits import Exit
from tests.forgeteval.wheel.conftest import Stranger

pytestmark = pytest.mark.slow

QUICK = ("--quiet", "--no-controls", "--limit", "3")
FAR = 60.0


def lines(text: str) -> list[str]:
    return text.splitlines()


BREAKING = {
    "Raises": "first error, in compound_fact-01: RuntimeError: the disk is gone and \\x1b[31mred",
    "Hangs": "first error, in compound_fact-01: it hung for 1 s in delete",
    "Dicts": "first error, in compound_fact-01: TypeError: search returned a list with a dict in it; "
    "return forgeteval.Hit(id, text, score) for each memory",
    "Nothing": "first error, in compound_fact-01: TypeError: search returned None; return a list",
    "Exits": "first error, in compound_fact-01: its process exited with code 7 in delete",
    "ExitsPolitely": "first error, in compound_fact-01: SystemExit: no more",
    "Asks": "first error, in compound_fact-01: EOFError: EOF when reading a line",
}


@pytest.mark.parametrize("name", BREAKING)
def test_a_store_that_breaks_is_told_of_in_a_line(stranger: Stranger, stores: Path, name: str) -> None:
    done = stranger.run("run", f"stores:{name}", *QUICK, "--timeout", "1", folder=stores)
    assert (done.returncode, done.stderr.splitlines()) == (Exit.broke, ["nothing ran: the store broke in every case"])
    assert BREAKING[name] in lines(done.stdout)


def test_the_traceback_begins_in_the_store(stranger: Stranger, stores: Path) -> None:
    done = stranger.run("run", "stores:Raises", *QUICK, folder=stores)
    frames = [line for line in lines(done.stdout) if line.strip().startswith("File ")]
    assert len(frames) == 1 and f'"{stores / "stores.py"}", line' in frames[0]


def test_a_store_that_breaks_in_some_cases_has_a_score_and_ends_in_3(stranger: Stranger, stores: Path) -> None:
    done = stranger.run("run", "stores:Sometimes", "--quiet", "--no-controls", folder=stores)
    assert done.returncode == Exit.broke
    assert " of 385 (" in lines(done.stdout)[0]
    assert any(line.startswith("not passed besides fails: ") for line in lines(done.stdout))


def test_what_a_store_prints_is_a_note(stranger: Stranger, stores: Path) -> None:
    done = stranger.run("run", "stores:Prints", *QUICK, folder=stores)
    assert (done.returncode, done.stderr) == (Exit.fine, "")
    assert r"the first: adding \x1b[31m " in lines(done.stdout)[-1]


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("CannotBeBuilt", Exit.broke, "error: stores:CannotBeBuilt cannot be built: ValueError: no connection"),
        (
            "WantsAnAddress",
            Exit.broke,
            "error: stores:WantsAnAddress cannot be built: TypeError: WantsAnAddress.__init__() missing 1 required "
            "positional argument: 'address'",
        ),
        (
            "WithoutSearch",
            Exit.usage,
            "error: WithoutSearch has no search; a store has the methods reset, add, search, delete and close, or the "
            "paper's six",
        ),
    ],
)
def test_a_store_that_cannot_be_built(stranger: Stranger, stores: Path, name: str, code: Exit, said: str) -> None:
    done = stranger.run("run", f"stores:{name}", *QUICK, folder=stores)
    assert (done.returncode, done.stdout, lines(done.stderr)[0]) == (code, "", said)


def test_a_store_that_cannot_delete_is_na(stranger: Stranger, stores: Path) -> None:
    done = stranger.run("run", "stores:WithoutDelete", *QUICK, folder=stores)
    assert done.returncode == Exit.nothing_ran
    assert "3 N/A (the store cannot express an operation; the first: it cannot delete)" in done.stdout


MISTAKES = {
    "no module": (["run", "nowhere:Store"], "nowhere: there is no module of this name here"),
    "a module that needs another": (["run", "needs:Store"], "needs: needs the package nosuchpackage"),
    "no class": (["run", "stores:Store"], "stores:Store: stores has no Store; its classes are Good, "),
    "no colon": (["run", "stores"], "stores: name it as module:Class"),
    "no file": (["run", "nowhere.py:Store"], "nowhere.py: there is no such file"),
    "no suite": (["run", "stores:Good", "--suite", "nowhere"], "suite 'nowhere': no such suite, file or folder"),
    "a suite that is not here": (["run", "stores:Good", "--suite", "published"], "published"),
    "no policy": (["run", "stores:Good", "--policy", "purge=wildly"], "policy purge=wildly: no policy 'wildly'"),
    "no operation": (["run", "stores:Good", "--policy", "forget=best_match"], "no operation 'forget'"),
    "no category": (["run", "stores:Good", "--category", "traps"], "category 'traps': adversarial has none"),
    "no rate": (["run", "stores:Good", "--min", "speed=1"], "--min speed=1: give RATE=SHARE"),
    "no baseline": (
        ["run", "stores:Good", "--baseline", "none.json"],
        "none.json: no such file; `forgeteval run STORE --write-baseline none.json` writes it",
    ),
    "a model without its package": (["run", "stores:Good", "--model", "any"], 'pip install "forgeteval[llm]"'),
    "Parquet without its package": (
        ["run", "stores:Good", *QUICK, "--parquet", "trials.parquet"],
        'pip install "forgeteval[parquet]"',
    ),
    "an embedder that is not installed": (["run", "embeds:Store", *QUICK, "--embedder", "no:thing"], "no:thing"),
    "results that are missing": (
        ["show", "none.json"],
        "none.json: no such file; `forgeteval run STORE --out none.json` writes it",
    ),
    "results that are not text": (["show", "latin.json"], "latin.json: cannot be read as JSON"),
    "results that are others": (["show", "other.json"], "other.json: not results of `forgeteval run`"),
    "results that are a folder": (["show", "."], ".: cannot be read as JSON"),
    "a comparison with nothing": (
        ["compare", "none.json", "none.json"],
        "none.json: no such file; `forgeteval run STORE --out none.json`",
    ),
    "a suite that nobody has": (["fetch", "nowhere"], "suite 'nowhere': cannot be fetched"),
    "cases that are missing": (["check-cases", "nowhere.jsonl"], "nowhere.jsonl: cannot be read"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_line_and_exit_code_2(stranger: Stranger, stores: Path, mistake: str) -> None:
    (stores / "needs.py").write_text("import nosuchpackage\n", encoding="utf-8")
    (stores / "embeds.py").write_text("class Store:\n    def __init__(self, embedder): ...\n", encoding="utf-8")
    (stores / "latin.json").write_bytes('{"store": "é"}'.encode("latin-1"))
    (stores / "other.json").write_text("{}", encoding="utf-8")
    arguments, said = MISTAKES[mistake]
    done = stranger.run(*arguments, folder=stores)
    assert (done.returncode, done.stdout) == (Exit.usage, "")
    [line] = lines(done.stderr)
    assert line.startswith("error: ") and said in line


@pytest.mark.parametrize("option", ["--out", "--junit", "--summary", "--badge", "--write-baseline"])
def test_a_full_disk_is_one_line(stranger: Stranger, stores: Path, option: str) -> None:
    # By a link, which would be replaced in place of the device.
    (stores / "full").symlink_to("/dev/full")
    done = stranger.run("run", "stores:Good", *QUICK, option, "full", folder=stores)
    assert done.returncode == Exit.usage
    assert lines(done.stderr) == [
        "error: writing full: No space left on device; free space or fix the permissions of that path, then run again"
    ]
    assert (stores / "full").is_symlink()


def test_a_folder_that_cannot_be_written_is_one_line(stranger: Stranger, stores: Path) -> None:
    done = stranger.run("run", "stores:Good", *QUICK, "--out", "/proc/nobody/x.json", folder=stores)
    assert done.returncode == Exit.usage
    assert done.stdout == "", "it is said before anything runs"
    [line] = lines(done.stderr)
    assert line.startswith("error: writing /proc/nobody/x.json: ")


def test_a_full_disk_behind_standard_output_is_one_line(stranger: Stranger) -> None:
    with Path("/dev/full").open("w") as full:
        command = [stranger.bin / "forgeteval", "list"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode != 0
    assert len(lines(done.stderr)) == 1 and "No space left on device" in done.stderr


def test_results_on_standard_output_are_the_results(stranger: Stranger, stores: Path) -> None:
    done = stranger.run("run", "stores:Good", *QUICK, "--out", "/dev/stdout", folder=stores)
    assert done.returncode == 0
    assert done.stdout.startswith('{\n "schema_version": 1,')
    assert Path("/dev/stdout").is_symlink()


@pytest.mark.parametrize("arguments", [["stores:Hangs"], ["stores:Hangs", "--in-process"], ["stores:HangsAtOnce"]])
def test_ctrl_c_ends_a_run_in_one_line(stranger: Stranger, stores: Path, arguments: list[str]) -> None:
    command = [stranger.bin / "forgeteval", "run", *arguments, "--quiet", "--timeout", "600", "--out", "r.json"]
    temporary = stores / "tmp"
    temporary.mkdir()
    environment = stranger.environment | {"TMPDIR": str(temporary)}
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=stores, env=environment, text=True, preexec_fn=_listen, **pipes) as run:
        wait_for(stores / "hangs")
        pressed = time.monotonic()
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=FAR)
    assert (run.returncode, out, err) == (Exit.interrupted, "", "interrupted\n")
    assert time.monotonic() - pressed < FAR / 2
    assert list(temporary.iterdir()) == []
    assert list(stores.glob("*r.json*")) == []


def _listen() -> None:
    """Whoever runs the tests in the background may have had it ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def wait_for(path: Path) -> None:
    until = time.monotonic() + FAR
    while not path.exists():
        assert time.monotonic() < until, f"{path.name} never came"
        time.sleep(0.02)


def test_a_name_with_control_characters_does_nothing_to_the_terminal(stranger: Stranger, stores: Path) -> None:
    name = "red\x1b[31m.py"
    (stores / name).write_bytes((stores / "stores.py").read_bytes())
    for store in (f"{name}:Good", f"{name}:Nobody", "no\x1b[31m:Store", "stores:no\x1b]0;title\x07"):
        done = stranger.run("run", store, "--no-controls", "--limit", "3", folder=stores)
        said = done.stdout + done.stderr
        assert "\\x1b" in said and not any(character in said for character in "\x1b\x07")
        assert done.returncode == (Exit.fine if store.endswith(":Good") else Exit.usage)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--min", "pass=0"], Exit.fine, []),
        (["--min", "0.9"], Exit.worse, ["worse than asked: pass 17.4% is below 90.0%"]),
        (["--min", "leak=0.5"], Exit.worse, ["worse than asked: leak 52.0% is above 50.0%"]),
        (["--min", "leak=0.6", "--min", "collateral=0.2"], Exit.fine, []),
    ],
)
def test_a_least_rate(stranger: Stranger, stores: Path, arguments: list[str], code: Exit, said: list[str]) -> None:
    done = stranger.run("run", "stores:Good", "--quiet", "--no-controls", *arguments, folder=stores)
    assert done.returncode == code
    assert lines(done.stderr) == said


def test_a_baseline(stranger: Stranger, stores: Path) -> None:
    def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return stranger.run("run", *arguments, "--quiet", "--no-controls", folder=stores)

    assert run("stores:Good", "--write-baseline", "known.json").returncode == Exit.fine
    assert run("stores:Good", "--baseline", "known.json").returncode == Exit.fine
    worse = run("stores:Good", "--baseline", "known.json", "--policy", "purge=all_hits")
    assert worse.returncode == Exit.worse
    assert "worse than asked: prefix_collision-01 was pass, is fail" in lines(worse.stderr)
    assert run("stores:Good", "--baseline", "known.json", "--suite", "twins").returncode == Exit.usage
    broke = run("stores:Sometimes", "--write-baseline", "broken.json")
    assert broke.returncode == Exit.broke
    assert run("stores:Sometimes", "--baseline", "broken.json").returncode == Exit.fine
    assert run("stores:Good", "--baseline", "broken.json").returncode == Exit.fine


def test_whoever_reads_the_first_line_alone_has_the_results_all_the_same(stranger: Stranger, stores: Path) -> None:
    command = f"'{stranger.bin / 'forgeteval'}' run stores:Good --quiet --out results.json | head -1"
    done = subprocess.run(["sh", "-c", command], cwd=stores, capture_output=True, text=True, check=False)
    assert (len(lines(done.stdout)), done.stderr) == (1, "")
    assert stranger.run("show", "results.json", folder=stores).stdout.startswith(done.stdout)


def test_another_packages_commands_that_cannot_be_loaded_leave_the_others(stranger: Stranger, stores: Path) -> None:
    other = stores / "other-1.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1\n", encoding="utf-8")
    (other / "entry_points.txt").write_text("[forgeteval.commands]\nother = nowhere:add\n", encoding="utf-8")
    command = [stranger.bin / "forgeteval", "--version"]
    environment = stranger.environment | {"PYTHONPATH": str(stores)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.startswith("forgeteval ")
    assert lines(done.stderr) == [
        "warning: nowhere:add adds no commands: ModuleNotFoundError: No module named 'nowhere'"
    ]
