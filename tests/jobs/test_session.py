"""A session and its worker: order, output, starts, exceptions, and what the worker sees."""

import json
import re
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from forgeteval.errors import UserError
from lethe.jobs.trials import placed
from lethe.parquet import read_arrow, write_rows
from lethe.schemas import TRIALS
from lethe.systems.backends import backend_class
from tests.support.bench import Bench, HashEmbedder, make_case, timeless
from tests.support.disturbed import FAILING, PASSING, kept, left_behind, three_cases, times_run
from tests.support.paths import ROOT


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


@pytest.mark.usefixtures("each_way_of_starting")
def test_a_module_of_ones_own_finds_the_home_of_its_worker_as_it_is_imported(bench: Bench) -> None:
    [row] = bench.run([make_case("c", PASSING, "where", ["home"])], "tests.support.at_home:AtHome")
    assert row["recalled"] == 2 * [str(bench.kept.with_suffix(".home") / "home")]


@pytest.mark.usefixtures("each_way_of_starting")
@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone chooses so")
def test_a_system_is_what_ends_first_where_memory_runs_out(bench: Bench) -> None:
    [row] = bench.run([make_case("c", PASSING, "how soon", ["1000"])], "FirstToEnd")
    assert row["verdict"] == "pass"


def test_what_a_repetition_was_asked_for_at_its_end_is_not_known_to_the_next(bench: Bench) -> None:
    rows = bench.run(three_cases(), "Learning", repetitions=3)
    assert [row["verdict"] for row in rows[:3]] == [row["verdict"] for row in rows[6:]]
    assert "fail" in {row["verdict"] for row in rows}


def test_a_broken_trial_keeps_file_line_and_method_and_so_does_the_log(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "broken").touch()
    rows = bench.run(three_cases("!generator_exit", tmp_path / "broken"))
    assert [row["verdict"] for row in rows] == ["pass", "error", "pass"]
    told = rows[1]["traceback"]
    assert re.search(r'^  File "tests/support/misbehaving.py", line \d+, in inscribe$', told, re.MULTILINE), told
    assert "GeneratorExit: the shelf fell down" in told and str(ROOT) not in told
    assert [row["traceback"] for row in rows if row["verdict"] == "pass"] == [None, None]
    assert re.search(r"at case c1: GeneratorExit: .*\n[^:]*Traceback", bench.logged())


def test_paths_of_a_traceback_are_those_of_no_machine() -> None:
    lines = [
        f'  File "{ROOT}/lethe/systems/mem0.py", line 3, in add',
        '  File "/x/lib/python3.11/site-packages/mem0/main.py", line 4, in add',
        '  File "/home/me/my_store.py", line 5, in add',
    ]
    found = [re.search(r'"(.*)"', line)[1] for line in placed("\n".join(lines)).splitlines()]  # type: ignore[index]
    assert found == ["lethe/systems/mem0.py", "mem0/main.py", "my_store.py"]


def test_kept_trials_alone_are_left_behind_after_success(bench: Bench) -> None:
    bench.run(three_cases())
    assert left_behind(bench) == ["sut.trials"]
    assert kept(bench) == ["c0", "c1", "c2"]


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


def test_a_system_that_hangs_while_starting(bench: Bench) -> None:
    started = time.monotonic()
    with pytest.raises(UserError, match=r"sut.*hung while starting.*2 s"):
        bench.run(three_cases(), "Hanging", start_timeout_s=2.0)
    assert time.monotonic() - started < 10
    assert "sut.home" not in left_behind(bench)


@pytest.mark.parametrize("worker_failure", ["stop", "record"])
def test_a_system_that_dies_while_starting(bench: Bench, worker_failure: str) -> None:
    with pytest.raises(UserError, match=r"sut.*died while starting.*exit code 3.*the pipes have burst.* to go on$"):
        bench.run(three_cases(), "DyingAtStart", worker_failure=worker_failure)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("FailingAtStart", "RuntimeError: no shelf to put anything on buy one"),
        ("LackingAtStart", "AttributeError: 'LackingAtStart' object has no attribute 'shelf'"),
    ],
)
def test_a_system_that_raises_while_starting(bench: Bench, name: str, said: str) -> None:
    with pytest.raises(UserError, match=f"^sut: while starting, it raised {said}; log: "):
        bench.run(three_cases(), name)
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
    with pytest.raises(UserError, match=f"sut.*{said}"):
        bench.run(three_cases(), backend)


def test_an_unknown_backend_is_named_beside_the_known_ones() -> None:
    with pytest.raises(UserError, match=r"unknown backend 'nonsuch'.*naive_sql.*module:Class"):
        backend_class("nonsuch")


def test_a_missing_interpreter(bench: Bench, tmp_path: Path) -> None:
    python = tmp_path / "gone" / "bin" / "python"
    listed = re.escape(str(tmp_path / "gone.freeze.txt"))
    with pytest.raises(UserError, match=f"sut: {re.escape(str(python))} cannot be run; remove {listed} and run again"):
        bench.run(three_cases(), python=python)
    assert "sut.home" not in left_behind(bench)


def test_a_folder_that_cannot_be_written(bench: Bench) -> None:
    bench.kept.parent.parent.joinpath("trials").write_text("a file stands where the folder should")
    with pytest.raises(UserError, match="trials"):
        bench.run(three_cases())


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
    with pytest.raises(UserError, match=r"sut on bench: every one of 2 trials broke.*the shelf fell down"):
        bench.run(cases)
    switch.unlink()
    assert {row["verdict"] for row in bench.run(cases)} == {"pass"}


def test_deaths_alone_are_no_result_either(bench: Bench, switch: Path) -> None:
    cases = [make_case(f"c{number}", [f"!exit {switch}"], "q") for number in range(2)]
    with pytest.raises(UserError, match=r"every one of 2 trials broke.*exit code 3"):
        bench.run(cases, worker_failure="record")


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
    assert Path(seen["home"]).is_relative_to(bench.kept.parent.absolute())
    assert seen["cwd"] == seen["home"]
    assert not Path(seen["home"]).exists()
