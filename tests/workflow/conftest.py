import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import pytest
import yaml

from lethe.jobs.forks import ForkServer, Order
from tests.support.paths import ROOT

TWIN = ROOT / "config" / "test.yaml"
VERDICT_COLUMNS = ["case_id", "verdict", "probed_verdict", "missing", "leaked", "recalled", "residue", "error"]
SUITES_ALONE: dict[str, Any] = {"workloads": []}
"""A test of something else waits for no data sets of other authors, no long histories and no erasure audit."""
IMPORTED = (
    *("snakemake.cli", "snakemake.workflow", "snakemake.persistence", "pandas", "lethe.config.answering"),
    *(
        "lethe.study.configured",
        "lethe.study.plan",
        "lethe.study.runs",
        "lethe.findings.ending",
        "lethe.forked_scripts",
    ),
)
"""What Snakemake and the rules import."""

Snakemake = Callable[..., "subprocess.CompletedProcess[str]"]


def snakemake_command(targets: Sequence[str], config: dict[str, Any], folder: Path) -> list[str]:
    """A command that runs the workflow with `config` on top of the defaults, below `folder`."""
    path = folder / "extra.yaml"
    run = {**SUITES_ALONE, **config.get("run", {})}
    merged = {"output_dir": str(folder / "out"), **config, "run": run}
    path.write_text(yaml.safe_dump(merged), encoding="utf-8")
    return [sys.executable, "-m", "snakemake", "--cores", "2", *targets, "--configfile", str(path)]


@pytest.fixture(scope="session")
def forking() -> Iterator[ForkServer]:
    """Forks Snakemake from a process that has imported what it imports, half of what a start takes."""
    one_thread = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS")}
    server = ForkServer.started(sys.executable, IMPORTED, {**os.environ, **one_thread})
    yield server
    server.close()


@pytest.fixture
def snakemake(tmp_path: Path, forking: ForkServer) -> Snakemake:
    """Run the workflow with its outputs below tmp_path/out; environments and embedder are the shared ones."""

    def run(targets: Sequence[str], config: dict[str, Any], *options: str) -> "subprocess.CompletedProcess[str]":
        _, _, program, *arguments = [*snakemake_command(targets, config, tmp_path), *options]
        order = Order(program, arguments, {**os.environ}, str(ROOT))
        with Path(os.devnull).open() as nothing, TemporaryFile("w+") as out, TemporaryFile("w+") as err:
            code = forking.start(order, [stream.fileno() for stream in (nothing, out, err)]).wait()
            said = [stream.read() for stream in (out, err) if stream.seek(0) == 0]
        return subprocess.CompletedProcess([program, *arguments], code, *said)

    return run


def environment_without(*names: str) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in names}


def case(number: int) -> dict[str, Any]:
    """A small well-formed case in the interchange form."""
    return {
        "id": f"case-{number}",
        "category": "prefix_collision",
        "setup_facts": [f"Ticket {number} is about the printer.", "The office closes at six."],
        "mutations": [["purge", f"ticket {number}"]],
        "final_query": "When does the office close and which tickets are open?",
        "must_contain": ["closes at six"],
        "must_not_contain": ["about the printer"],
    }


def write_cases(path: Path, count: int) -> None:
    path.write_text("".join(json.dumps(case(number)) + "\n" for number in range(1, count + 1)), encoding="utf-8")
