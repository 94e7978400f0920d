"""The workflow on a real Slurm: what is cancelled, runs out of time or loses the controller goes on where it was."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
import yaml

from lethe.parquet import read_arrow
from lethe.schemas import TRIALS
from tests.cluster.plugins import plugins
from tests.cluster.slurm import Slurm, lacking, running_slurm
from tests.support.paths import ROOT
from tests.workflow.conftest import SUITES_ALONE, write_cases

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(lacking()), reason=lacking())]
CASES, SYSTEMS = 1000, ("slow", "slow_too")
SLOW = {"label": "Slow", "regime": "control", "backend": "tests.workflow.slow_backend:Slow", "environment": "pipeline"}
ON_SLURM = [
    "--profile", str(ROOT / "profiles" / "slurm"), "--slurm-no-account", "--slurm-status-command", "squeue",
    "--slurm-init-seconds-before-status-checks", "2", "--seconds-between-status-checks", "2", "--latency-wait", "5",
]  # fmt: skip


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slurm]:
    with running_slurm(tmp_path_factory.mktemp("slurm") / "cluster") as cluster:
        yield cluster


def command(folder: Path, systems: Sequence[str], *options: str) -> list[str]:
    targets = [str(folder / "out/results/runs/mine" / f"{system}.parquet") for system in systems]
    return [
        sys.executable, "-m", "snakemake", *targets, "--configfile", str(folder / "extra.yaml"), *options,
    ]  # fmt: skip


def until(condition: Callable[[], bool], running: "subprocess.Popen[bytes]", said: Path, seconds: float = 420) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert running.poll() is None, said.read_text()
        assert time.monotonic() < deadline, f"it did not happen in time: {said.read_text()}"
        time.sleep(0.2)


def test_jobs_that_are_killed_go_on_where_they_were(slurm: Slurm, tmp_path: Path) -> None:
    write_cases(tmp_path / "mine.jsonl", CASES)
    config = {
        "output_dir": str(tmp_path / "out"),
        # Another process of the tests may run the workflow meanwhile.
        "environments_dir": str(tmp_path / "environments"),
        "suites": {"mine": {"source": str(tmp_path / "mine.jsonl")}},
        "systems": {
            name: {**SLOW, "label": name, "options": {"until": str(tmp_path / "hurry"), "seconds": 0.5}}
            for name in SYSTEMS
        },
        "run": SUITES_ALONE,
    }
    (tmp_path / "extra.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    kept = [tmp_path / f"out/results/trials/{name}.trials" for name in SYSTEMS]
    limits = [f"run_{name}:runtime=1" for name in SYSTEMS]
    limited = ["--set-resources", *limits, "--slurm-logdir", str(tmp_path / "logs")]
    limited.append("--slurm-keep-successful-logs")
    said = tmp_path / "said"
    with said.open("wb") as log:
        running = subprocess.Popen(
            command(tmp_path, SYSTEMS, *ON_SLURM, *limited), cwd=ROOT, stdout=log, stderr=log, start_new_session=True,
            env=os.environ | {"PYTHONPATH": str(plugins("slurm"))},
        )  # fmt: skip
    try:
        until(lambda: all(path.is_file() and path.read_bytes().count(b"\n") > 20 for path in kept), running, said)
        first = min(slurm.jobs("running"), key=int)
        slurm.stop_controller()
        slurm.start_controller()
        slurm.cancel(first)
        until(lambda: {"CANCELLED", "TIMEOUT"} <= set(slurm.jobs().values()), running, said)
        (tmp_path / "hurry").touch()
        assert running.wait(600) == 0, said.read_text()
    finally:
        running.kill()
        running.wait()

    states = list(slurm.jobs().values())
    assert states.count("CANCELLED") == 1 and "TIMEOUT" in states
    assert [path.read_bytes().count(b"\n") for path in kept] == [CASES, CASES]
    subprocess.run(
        command(tmp_path, ["verbatim"], "--cores", "1", "--nolock"), cwd=ROOT, check=True, capture_output=True
    )
    *slow, quick = (
        read_arrow(tmp_path / f"out/results/runs/mine/{name}.parquet", TRIALS) for name in (*SYSTEMS, "verbatim")
    )
    compared = [name for name in quick.column_names if name != "system" and not name.endswith("_ms")]
    assert quick.num_rows == CASES
    assert all(trials.select(compared).equals(quick.select(compared)) for trials in slow)
    # The log of a rule is its last attempt's alone; Slurm has one of each.
    told = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "logs").rglob("*.log"))
    for name, path in zip(SYSTEMS, kept, strict=True):
        resumed = re.findall(rf"{name}: (\d+) of {CASES} trials are in {re.escape(str(path))}", told)
        assert resumed and max(map(int, resumed)) >= 20, told
