"""Scripts that Snakemake's process has forked: what they are given, how they end, and what the benchmark file holds."""

import os
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from snakemake.benchmark import BenchmarkRecord
from snakemake.script import PythonScript

from lethe import forked_scripts


@pytest.fixture
def forking(monkeypatch: pytest.MonkeyPatch) -> None:
    """`PythonScript` as it is in a workflow; the server ends with the test."""
    monkeypatch.setattr(PythonScript, "execute_script", PythonScript.execute_script)
    monkeypatch.setattr(forked_scripts, "_PRELOADED", ("json",))
    monkeypatch.setattr(forked_scripts, "_PRELOADED_MATCHER", ())
    monkeypatch.setattr(forked_scripts, "_server", [])
    forked_scripts.fork_scripts()


def run(path: Path, code: str, threads: int = 3, system: Any = None, weights: str = "") -> BenchmarkRecord:
    path.write_text(code, encoding="utf-8")
    given = {"params": {"system": system}, "input": {"weights": weights}, "resources": {"tmpdir": str(path.parent)}}
    script = SimpleNamespace(bench_record=BenchmarkRecord(), threads=threads, **given)
    PythonScript.execute_script(script, str(path))
    return script.bench_record


def test_a_script_has_what_snakemake_gives_and_is_measured(forking: None, tmp_path: Path) -> None:
    told = tmp_path / "told"
    code = f"""
import os, sys, time
while time.process_time() < 0.3: pass
given = [os.environ[name] for name in ("OMP_NUM_THREADS", "TMPDIR")]
open({str(told)!r}, "w").write(" ".join([*given, str("json" in sys.modules)]))
"""
    record = run(tmp_path / "script.py", code)
    assert told.read_text() == f"3 {tmp_path} True"
    assert record.cpu_time >= 0.3
    assert "NA" not in record.to_tsv(False)


@pytest.mark.skipif(len(os.sched_getaffinity(0)) == 1, reason="there is one processor")
@pytest.mark.parametrize(
    ("threads", "system", "weights", "alone"),
    [
        (1, None, "", True),
        (1, {"heavy": False}, "", True),
        (1, {"heavy": True}, "", False),
        (1, None, "model.gguf", False),
        (2, None, "", False),
    ],
)
def test_a_script_of_one_thread_has_a_processor_of_its_own(
    forking: None, tmp_path: Path, threads: int, system: Any, weights: str, alone: bool
) -> None:
    told = tmp_path / "told"
    code = f"import os; print(*os.sched_getaffinity(0), file=open({str(told)!r}, 'w'))"
    run(tmp_path / "script.py", code, threads, system, weights)
    processors = set(map(int, told.read_text().split()))
    assert processors < os.sched_getaffinity(0) if alone else processors == os.sched_getaffinity(0)


def test_a_script_that_fails_fails_its_job(forking: None, tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        run(tmp_path / "script.py", "raise SystemExit(3)")


def test_where_nothing_can_be_forked_scripts_are_started(
    forking: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forked_scripts, "_PRELOADED", ("tests.support.starting_a_thread",))
    started = []
    monkeypatch.setattr(PythonScript, "_execute_cmd", lambda *given, **options: started.append(options["fname"]))
    script = PythonScript.__new__(PythonScript)
    script.threads, script.params, script.input, script.resources, script.bench_record = 1, {}, {}, {}, None
    script.container_img = script.conda_env = script.env_modules = None
    PythonScript.execute_script(script, str(tmp_path / "script.py"))
    assert started == [str(tmp_path / "script.py")]
