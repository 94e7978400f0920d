"""A session and its worker, undisturbed and disturbed in the ways a third-party system can disturb them."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lethe.cases.case import Case
from lethe.embedding.embedder import Vectors
from lethe.errors import LetheError
from lethe.gateway.context import Usage
from lethe.parquet import read_arrow, write_rows
from lethe.run import journal as journal_module
from lethe.run.journal import FinishedTrial, Journal
from lethe.run.replay import Replay
from lethe.schemas import TRIALS
from lethe.systems.backends import backend_class
from tests.support.bench import Bench, HashEmbedder, make_case, timeless
from tests.support.paths import ROOT

PASSING, FAILING = ["Alice rides a tandem", "Bob rides a unicycle"], ["Alice rides a tandem"]


def three_cases(order: str = "!count", *paths: Path, at: int = 1, runs: Path | None = None) -> list[Case]:
    """Cases c0, c1, c2; c1 (or the one `at`) gives an order as well. With `runs`, each notes that it ran."""
    cases = []
    for number in range(3):
        facts = list(PASSING)
        if runs is not None:
            facts.append(f"!count {runs}-c{number}")
        if paths and number == at:
            facts.extend(f"{order} {path}" for path in paths)
        mutations = [("purge", "alice tandem")]
        cases.append(make_case(f"c{number}", facts, "who rides", ["unicycle"], ["tandem"], mutations))
    return cases


def times_run(runs: Path) -> list[int]:
    paths = [Path(f"{runs}-c{number}") for number in range(3)]
    return [path.read_text().count("ran") if path.exists() else 0 for path in paths]


@pytest.fixture
def switch(tmp_path: Path) -> Path:
    """Orders are obeyed while this file exists."""
    path = tmp_path / "switch"
    path.touch()
    return path


def journalled(bench: Bench) -> list[str]:
    lines = bench.journal.read_text(encoding="utf-8").splitlines()[1:]
    return [json.loads(line)["history"] for line in lines]


def left_behind(bench: Bench) -> list[str]:
    return sorted(path.name for path in bench.journal.parent.rglob("*"))


# Undisturbed


def test_trials_come_in_order_with_every_column(bench: Bench, tmp_path: Path) -> None:
    cases = three_cases()
    cases[1] = make_case("c1", FAILING, "who rides", ["unicycle"], ["tandem"])
    rows = bench.run(cases, repetitions=2)
    assert [(row["repetition"], row["case_id"]) for row in rows] == [
        (repetition, f"c{number}") for repetition in range(2) for number in range(3)
    ]
    assert [row["verdict"] for row in rows] == ["pass", "fail", "pass"] * 2
    assert rows[1]["missing"] == ["unicycle"]
    assert rows[1]["leaked"] == ["tandem"]
    assert rows[0]["recalled"] == ["Bob rides a unicycle"]
    for row in rows:
        assert list(row) == [column.name for column in TRIALS.columns]
        assert (row["suite"], row["system"], row["model"], row["error"]) == ("bench", "sut", "", None)
        assert min(row["inscribe_ms"], row["mutate_ms"], row["recall_ms"]) >= 0
    write_rows(tmp_path / "trials.parquet", TRIALS, rows, "test")
    assert read_arrow(tmp_path / "trials.parquet", TRIALS).to_pylist() == rows


def test_nothing_is_left_behind_after_success(bench: Bench) -> None:
    bench.run(three_cases())
    assert left_behind(bench) == []


def test_a_registered_backend_runs(bench: Bench) -> None:
    rows = bench.run([make_case("c", PASSING, "unicycle", ["unicycle"])], "lethe", k=1)
    assert rows[0]["verdict"] == "pass"
    assert len(rows[0]["recalled"]) == 1


def test_texts_survive_the_way_to_the_worker_and_back(bench: Bench) -> None:
    facts = [
        "zwei\nZeilen\r\n\t",
        "\u2028 \u202eעברית \U0001f600\U0001f468\u200d\U0001f4bb",
        'a "quoted" \\ one',
        "e\u0301\u0327",
    ]
    rows = bench.run([make_case("c", facts, "q", facts)])
    assert rows[0]["verdict"] == "pass"
    assert rows[0]["recalled"] == facts


# Standard output


def test_a_noisy_system_changes_nothing_and_is_in_the_log(bench: Bench, tmp_path: Path) -> None:
    cases = three_cases()
    noisy = bench.run(cases, "Noisy")
    assert timeless(noisy) == timeless(Bench(tmp_path / "quiet").run(cases))
    logged = bench.logged()
    for said in (
        "AT-START",
        "WITHOUT-NEWLINE",
        "BETWEEN-CASES",
        "FROM-A-THREAD",
        "FROM-A-CHILD",
        "AT-RECALL",
        "AT-CLOSE",
    ):
        assert f"NOISE-{said}" in logged
    assert b"\xff\xfe\x00\x80" in bench.log.read_bytes()


# Death


@pytest.mark.parametrize(
    ("order", "how"),
    [("!exit", "exit code 3"), ("!sigkill", "signal SIGKILL"), ("!system_exit", "exit code 4")],
)
def test_a_dying_worker_stops_the_run_which_then_goes_on(
    bench: Bench, tmp_path: Path, switch: Path, order: str, how: str
) -> None:
    runs = tmp_path / "runs"
    cases = three_cases(order, switch, runs=runs)
    with pytest.raises(LetheError) as caught:
        bench.run(cases)
    message = str(caught.value)
    for part in ("sut", "c1", how, str(bench.journal), str(bench.log)):
        assert part in message
    assert "\n" not in message
    assert journalled(bench) == ["c0"]
    assert left_behind(bench) == ["sut.jsonl"]
    switch.unlink()
    resumed = bench.run(cases)
    assert times_run(runs) == [1, 2, 1]
    assert timeless(resumed) == timeless(Bench(tmp_path / "undisturbed").run(cases))
    assert left_behind(bench) == []


def test_a_worker_that_dies_again_stops_again_without_losing_anything(
    bench: Bench, tmp_path: Path, switch: Path
) -> None:
    runs = tmp_path / "runs"
    cases = three_cases("!exit", switch, runs=runs)
    for _ in range(2):
        with pytest.raises(LetheError, match="c1"):
            bench.run(cases)
    assert times_run(runs) == [1, 2, 0]
    assert journalled(bench) == ["c0"]


def test_the_message_repeats_what_a_dying_worker_said_last(bench: Bench, switch: Path) -> None:
    with pytest.raises(LetheError, match="the pipes have burst"):
        bench.run(three_cases("!say_and_exit", switch))


def test_the_message_does_not_repeat_what_another_worker_said(bench: Bench, switch: Path) -> None:
    with pytest.raises(LetheError):
        bench.run(three_cases("!say_and_exit", switch))
    with pytest.raises(LetheError) as caught:
        bench.run(three_cases("!exit", switch))
    assert "the pipes have burst" not in str(caught.value)


def test_a_hanging_case_stops_the_run_which_then_goes_on(bench: Bench, tmp_path: Path, switch: Path) -> None:
    runs = tmp_path / "runs"
    cases = three_cases("!hang", switch, runs=runs)
    started = time.monotonic()
    with pytest.raises(LetheError) as caught:
        bench.run(cases, case_timeout_s=1.0)
    assert time.monotonic() - started < 15
    message = str(caught.value)
    for part in ("sut", "hung", "c1", "1 s", str(bench.journal), str(bench.log)):
        assert part in message
    assert journalled(bench) == ["c0"]
    switch.unlink()
    resumed = bench.run(cases, case_timeout_s=20.0)
    assert times_run(runs) == [1, 2, 1]
    assert timeless(resumed) == timeless(Bench(tmp_path / "undisturbed").run(cases))


def test_a_hung_worker_names_the_whole_limit(bench: Bench) -> None:
    case = make_case("c", PASSING, "unicycle", ["unicycle"])
    with pytest.raises(LetheError) as caught:
        bench.run([case], "EmbeddingLateThenHanging", case_timeout_s=3.0)
    assert "for 3 s" in str(caught.value)


@pytest.mark.parametrize(
    ("order", "how"), [("!exit", "died"), ("!sigkill", "SIGKILL"), ("!hang", "hung"), ("!system_exit", "exit code 4")]
)
@pytest.mark.parametrize("at", [0, 2])
def test_worker_failures_can_be_recorded(
    bench: Bench, tmp_path: Path, switch: Path, order: str, how: str, at: int
) -> None:
    runs = tmp_path / "runs"
    cases = three_cases(order, switch, at=at, runs=runs)
    rows = bench.run(cases, worker_failure="record", case_timeout_s=1.5)
    expected = ["pass"] * 3
    expected[at] = "error"
    assert [row["verdict"] for row in rows] == expected
    assert how in rows[at]["error"]
    assert rows[at]["probed_verdict"] is None
    assert set(rows[at]) == set(rows[1])
    assert times_run(runs) == [1, 1, 1]
    assert left_behind(bench) == []


def test_a_stopped_run_can_go_on_by_recording(bench: Bench, tmp_path: Path, switch: Path) -> None:
    runs = tmp_path / "runs"
    cases = three_cases("!exit", switch, runs=runs)
    with pytest.raises(LetheError):
        bench.run(cases)
    rows = bench.run(cases, worker_failure="record")
    assert [row["verdict"] for row in rows] == ["pass", "error", "pass"]
    assert times_run(runs) == [1, 2, 1]


def test_children_of_a_hung_worker_are_ended(bench: Bench, tmp_path: Path, switch: Path) -> None:
    child = tmp_path / "child"
    case = make_case("c", [f"!child {child}", f"!hang {switch}"], "q")
    with ended(child):
        with pytest.raises(LetheError, match="hung"):
            bench.run([case], case_timeout_s=1.0)
        assert gone(child, within_s=5)


def test_children_of_a_finished_worker_are_ended(bench: Bench, tmp_path: Path) -> None:
    child = tmp_path / "child"
    with ended(child):
        bench.run([make_case("c", [*PASSING, f"!child {child}"], "q")])
        assert gone(child, within_s=5)


# Start


def test_a_system_that_hangs_while_starting(bench: Bench) -> None:
    started = time.monotonic()
    with pytest.raises(LetheError, match=r"sut.*hung while starting.*2 s"):
        bench.run(three_cases(), "Hanging", start_timeout_s=2.0)
    assert time.monotonic() - started < 10
    assert "sut.home" not in left_behind(bench)


@pytest.mark.parametrize("worker_failure", ["stop", "record"])
def test_a_system_that_dies_while_starting(bench: Bench, worker_failure: str) -> None:
    with pytest.raises(LetheError, match=r"sut.*died while starting.*exit code 3.*the pipes have burst"):
        bench.run(three_cases(), "DyingAtStart", worker_failure=worker_failure)


def test_a_system_that_raises_while_starting(bench: Bench) -> None:
    with pytest.raises(LetheError, match=r"sut.*while starting.*no shelf to put anything on"):
        bench.run(three_cases(), "FailingAtStart")
    assert "Traceback" in bench.logged()


@pytest.mark.parametrize(
    ("backend", "said"),
    [
        ("MissingPackage", "a_package_nobody_installed"),
        ("NoSuchClass", "NoSuchClass"),
        ("no_such_module:Class", "no_such_module"),
    ],
)
def test_a_system_that_cannot_be_imported(bench: Bench, backend: str, said: str) -> None:
    with pytest.raises(LetheError, match=f"sut.*{said}"):
        bench.run(three_cases(), backend)


def test_an_unknown_backend_is_named_beside_the_known_ones() -> None:
    with pytest.raises(LetheError, match=r"unknown backend 'nonsuch'.*naive_sql.*module:Class"):
        backend_class("nonsuch")


def test_a_missing_interpreter(bench: Bench, tmp_path: Path) -> None:
    python = tmp_path / "gone" / "bin" / "python"
    with pytest.raises(LetheError, match=f"sut: {re.escape(str(python))} cannot be run"):
        bench.run(three_cases(), python=python)
    assert "sut.home" not in left_behind(bench)


def test_a_folder_that_cannot_be_written(bench: Bench) -> None:
    bench.journal.parent.parent.joinpath("journals").write_text("a file stands where the folder should")
    with pytest.raises(LetheError, match="journals"):
        bench.run(three_cases())


# Exceptions


def test_an_exception_is_an_error_and_the_rest_goes_on(bench: Bench, switch: Path) -> None:
    rows = bench.run(three_cases("!fail", switch))
    assert [row["verdict"] for row in rows] == ["pass", "error", "pass"]
    assert rows[1]["error"] == "RuntimeError: the shelf fell down"


def test_an_exception_whose_text_is_not_unicode_is_an_error(bench: Bench, switch: Path) -> None:
    """Python holds file names and output that are not UTF-8 as lone surrogates."""
    rows = bench.run(three_cases("!fail_unprintably", switch))
    assert [row["verdict"] for row in rows] == ["pass", "error", "pass"]
    assert rows[1]["error"].startswith("RuntimeError: ")


def test_not_implemented_is_na(bench: Bench, switch: Path) -> None:
    rows = bench.run(three_cases("!refuse", switch))
    assert [row["verdict"] for row in rows] == ["pass", "na", "pass"]
    assert rows[1]["error"] == "no shelf for that"


def test_an_operation_without_policy_is_na_and_not_run(bench: Bench, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    cases = three_cases(runs=runs)
    cases[1] = make_case("c1", PASSING, "unicycle", ["unicycle"])
    rows = bench.run(cases, "AddAndSearch", policies={})
    assert [row["verdict"] for row in rows] == ["na", "pass", "na"]
    assert "purge" in rows[0]["error"]
    assert times_run(runs) == [0, 0, 0]


def test_a_backend_without_delete_is_na(bench: Bench) -> None:
    rows = bench.run(three_cases(), "AddAndSearch", policies={"purge": "equal_text"})
    assert {row["verdict"] for row in rows} == {"na"}
    assert rows[0]["error"] == "nothing is ever deleted here"


def test_a_run_of_errors_alone_is_no_result(bench: Bench, switch: Path) -> None:
    cases = [make_case(f"c{number}", [f"!fail {switch}"], "q") for number in range(2)]
    with pytest.raises(LetheError, match=r"sut: every one of 2 trials broke.*the shelf fell down"):
        bench.run(cases)
    switch.unlink()
    assert {row["verdict"] for row in bench.run(cases)} == {"pass"}


def test_deaths_alone_are_no_result_either(bench: Bench, switch: Path) -> None:
    cases = [make_case(f"c{number}", [f"!exit {switch}"], "q") for number in range(2)]
    with pytest.raises(LetheError, match=r"every one of 2 trials broke.*exit code 3"):
        bench.run(cases, worker_failure="record")


# Journal


def test_a_new_fingerprint_starts_anew(bench: Bench, tmp_path: Path, switch: Path) -> None:
    runs = tmp_path / "runs"
    cases = three_cases("!exit", switch, runs=runs)
    with pytest.raises(LetheError):
        bench.run(cases, fingerprint="old code")
    switch.unlink()
    bench.run(cases, fingerprint="new code")
    assert times_run(runs) == [2, 2, 1]


@pytest.mark.parametrize("changed", ["k", "repetitions", "policies", "cases"])
def test_another_configuration_starts_anew(bench: Bench, tmp_path: Path, switch: Path, changed: str) -> None:
    runs = tmp_path / "runs"
    cases = three_cases("!exit", switch, runs=runs)
    with pytest.raises(LetheError):
        bench.run(cases)
    switch.unlink()
    options: dict[str, dict[str, Any]] = {
        "k": {"k": 5},
        "repetitions": {"repetitions": 2},
        "policies": {"policies": {"purge": "equal_text"}},
        "cases": {},
    }
    if changed == "cases":
        cases[2] = make_case("c2", PASSING, "another question")
    bench.run(cases, **options[changed])
    assert times_run(runs)[0] == (3 if changed == "repetitions" else 2)


def test_a_half_written_trial_is_run_again(bench: Bench, tmp_path: Path, switch: Path) -> None:
    runs = tmp_path / "runs"
    cases = three_cases("!exit", switch, runs=runs, at=2)
    with pytest.raises(LetheError):
        bench.run(cases)
    switch.unlink()
    content = bench.journal.read_bytes()
    bench.journal.write_bytes(content[:-20])
    rows = bench.run(cases)
    assert times_run(runs) == [1, 2, 2]
    assert [row["verdict"] for row in rows] == ["pass"] * 3


@pytest.mark.parametrize("content", [b"no journal\n", b"\x00\x00\x00\n", b"\xff\xfe\n", b"[1]\n{}\n", b"\n"])
def test_a_file_that_is_no_journal_is_begun_anew_or_named(bench: Bench, content: bytes) -> None:
    bench.journal.parent.mkdir(parents=True)
    bench.journal.write_bytes(content)
    try:
        rows = bench.run(three_cases())
    except LetheError as error:
        assert str(bench.journal) in str(error)
    else:
        assert [row["verdict"] for row in rows] == ["pass"] * 3


def test_two_runs_of_the_same_journal_do_not_mix(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "_LOCK_PATIENCE_S", 0.3)
    held = Journal(bench.journal, "another run")
    try:
        with pytest.raises(LetheError, match="another process"):
            bench.run(three_cases())
    finally:
        held.close()
    assert [row["verdict"] for row in bench.run(three_cases())] == ["pass"] * 3


def test_a_run_that_waited_for_another_to_finish_has_a_journal(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    first = Journal(path, "code")
    opened: list[Journal] = []
    waiting = threading.Thread(target=lambda: opened.append(Journal(path, "code")))
    waiting.start()
    time.sleep(0.5)
    first.discard()
    waiting.join(timeout=10)
    trial = FinishedTrial("c0", 0, Replay(), Usage())
    opened[0].append(trial)
    opened[0].close()
    again = Journal(path, "code")
    assert again.trials == [trial]
    again.close()


# Embeddings


def test_texts_that_were_not_sent_along_are_embedded_by_the_parent(bench: Bench) -> None:
    embedder = HashEmbedder()
    cases = [make_case(name, ["a fact"], query) for name, query in (("c0", "one"), ("c1", "two"), ("c2", "one"))]
    rows = bench.run(cases, "Embedding", embedder=embedder)
    assert [row["verdict"] for row in rows] == ["pass"] * 3
    for row, query in zip(rows, ("one", "two", "one"), strict=True):
        vectors = np.array([json.loads(text) for text in row["recalled"]], dtype=np.float32)
        expected = HashEmbedder().embed([query, f"unsent {query}", f"unsent {query}"])
        np.testing.assert_array_equal(vectors, expected)
    assert sorted(embedder.asked) == sorted(["a fact", "one", "two", "unsent one", "unsent two"])


# The worker's surroundings


def test_the_worker_sees_no_secrets_and_not_the_users_home(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    secrets = (
        "FAKE_API_KEY",
        "OPENAI_API_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "HTTPS_PROXY",
        "XDG_CONFIG_HOME",
        "VIRTUAL_ENV",
    )
    for name in secrets:
        monkeypatch.setenv(name, "secret-value")
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    seen = json.loads(bench.run([make_case("c", PASSING, "q")], "Surroundings")[0]["recalled"][0])
    assert "secret-value" not in seen["environment"].values()
    assert not set(secrets) & set(seen["environment"])
    assert seen["environment"]["PYTHONPATH"] == str(ROOT)
    assert seen["home"] == seen["environment"]["HOME"] != str(tmp_path / "user")
    assert Path(seen["home"]).is_relative_to(bench.journal.parent.absolute())
    assert seen["cwd"] == seen["home"]
    assert not Path(seen["home"]).exists()


# Both sides on their own


DRIVER = """
import json, sys, time
from pathlib import Path
from lethe.errors import LetheError
from lethe.cases.interchange import case_from_json
from tests.support.bench import Bench, HashEmbedder

class Slow(HashEmbedder):
    def embed(self, texts):
        time.sleep(spec["embedding_s"])
        return super().embed(texts)

spec = json.loads(sys.stdin.read())
cases = [case_from_json(case, "bench", "driver") for case in spec["cases"]]
try:
    rows = Bench(Path(spec["folder"])).run(cases, embedder=Slow(), **spec["settings"])
except LetheError as error:
    print(f"LetheError: {error}")
else:
    print(json.dumps(rows))
"""


def start_parent(
    folder: Path, cases: Sequence[Case], embedding_s: float = 0.0, **settings: Any
) -> subprocess.Popen[str]:
    spec = {
        "folder": str(folder),
        "cases": [case.to_json() for case in cases],
        "settings": settings,
        "embedding_s": embedding_s,
    }
    parent = subprocess.Popen(
        [sys.executable, "-c", DRIVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert parent.stdin is not None
    parent.stdin.write(json.dumps(spec))
    parent.stdin.close()
    parent.stdin = None
    return parent


def alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def gone(pid_file: Path, within_s: float) -> bool:
    pid, deadline = int(pid_file.read_text()), time.monotonic() + within_s
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    return not alive(pid)


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 30
    while not (path.exists() and path.read_text()):
        assert time.monotonic() < deadline, f"{path} was never written"
        time.sleep(0.05)


@contextlib.contextmanager
def ended(*pid_files: Path) -> Iterator[None]:
    """Kill what a failed test would leave running."""
    try:
        yield
    finally:
        for path in pid_files:
            if path.exists() and alive(int(path.read_text())):
                os.kill(int(path.read_text()), signal.SIGKILL)


@pytest.fixture
def pids(tmp_path: Path) -> tuple[Path, Path]:
    return tmp_path / "worker_pid", tmp_path / "child_pid"


def test_a_killed_parent_leaves_no_worker_and_its_run_goes_on(
    bench: Bench, tmp_path: Path, switch: Path, pids: tuple[Path, Path]
) -> None:
    runs, (worker, _) = tmp_path / "runs", pids
    cases = three_cases(runs=runs)
    facts = (*PASSING, f"!count {runs}-c1", f"!pid {worker}", f"!hang {switch}")
    cases[1] = make_case("c1", facts, "unicycle", ["unicycle"])
    parent = start_parent(tmp_path, cases)
    with ended(worker):
        wait_for(worker)
        parent.kill()
        parent.communicate()
        assert gone(worker, within_s=5)
    assert journalled(bench) == ["c0"]
    switch.unlink()
    resumed = bench.run(cases)
    assert times_run(runs) == [1, 2, 1]
    assert timeless(resumed) == timeless(Bench(tmp_path / "undisturbed").run(cases))
    assert left_behind(bench) == []


def test_a_killed_parent_leaves_no_children_of_the_worker(
    tmp_path: Path, switch: Path, pids: tuple[Path, Path]
) -> None:
    worker, child = pids
    parent = start_parent(tmp_path, [make_case("c", [f"!child {child}", f"!pid {worker}", f"!hang {switch}"], "q")])
    with ended(worker, child):
        wait_for(worker)
        parent.kill()
        parent.communicate()
        assert gone(worker, within_s=5)
        assert gone(child, within_s=5)


def test_an_interrupted_parent_leaves_nothing_running(tmp_path: Path, switch: Path, pids: tuple[Path, Path]) -> None:
    worker, child = pids
    parent = start_parent(tmp_path, [make_case("c", [f"!child {child}", f"!pid {worker}", f"!hang {switch}"], "q")])
    with ended(worker, child):
        wait_for(worker)
        parent.send_signal(signal.SIGINT)
        parent.communicate(timeout=20)
        assert gone(worker, within_s=1)
        assert gone(child, within_s=1)


def answer_of(parent: subprocess.Popen[str], within_s: float) -> str:
    try:
        return parent.communicate(timeout=within_s)[0]
    except subprocess.TimeoutExpired:
        parent.kill()
        parent.communicate()
        return "the parent itself hung"


def test_a_worker_that_loses_its_channel_and_hangs_does_not_hang_the_parent(
    tmp_path: Path, switch: Path, pids: tuple[Path, Path]
) -> None:
    """Some packages close every file descriptor, as daemons do."""
    facts = [f"!pid {pids[0]}", f"!close_channel_and_hang {switch}"]
    with ended(*pids):
        parent = start_parent(tmp_path, [make_case("c", facts, "q")], case_timeout_s=2.0)
        assert answer_of(parent, within_s=20).startswith("LetheError: sut: ")


def test_a_worker_that_stops_between_two_cases_does_not_hang_the_parent(
    tmp_path: Path, switch: Path, pids: tuple[Path, Path]
) -> None:
    """The next case is larger than the pipe, so that sending it has to wait for the worker."""
    cases = [
        make_case("c0", [*PASSING, f"!pid {pids[0]}", f"!stop_soon {switch}"], "q"),
        make_case("c1", ["a large fact " * 20_000], "q"),
    ]
    with ended(*pids):
        parent = start_parent(tmp_path, cases, embedding_s=1.0, case_timeout_s=2.0)
        assert answer_of(parent, within_s=25).startswith("LetheError: sut: ")


def test_a_slow_embedder_of_the_parent_is_not_counted_against_the_worker(bench: Bench) -> None:
    class Slow(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> Vectors:
            time.sleep(1.5)
            return super().embed(texts)

    case = make_case("c", PASSING, "unicycle")
    rows = bench.run([case], "EmbeddingThenPausing", embedder=Slow(), case_timeout_s=1.0)
    assert rows[0]["verdict"] == "pass"
