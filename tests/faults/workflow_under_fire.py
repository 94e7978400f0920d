"""The workflow under fire: its processes killed at random moments, its disk filled, its machine a strange one, and the
results compared with those of an undisturbed run.

    python -m tests.faults.workflow_under_fire --kills 200 --folder /tmp/fire
    python -m tests.faults.workflow_under_fire --kills 100 --folder /tmp/aimed --kill llama,keeper,worker,gateway

With `--kill` only processes of these kinds are killed, in a workflow that runs hooks with a model served here; the
server and the gateway, which is a part of a job's process, while an answer is computed.

The project is copied into the folder; environments of systems are those of the clone or of `--environments`.
docs/reliability.md has the figures of a long run.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import yaml

from lethe.schemas import TRIALS
from lethe.trust.folder import MANIFEST_FILE
from release.same import compare_runs, first_difference
from tests.support.jobs import copy_project
from tests.support.paths import ROOT

SYSTEMS = ("lethe", "lethe+matcher", "lethe+llm", "langgraph", "qdrant", "naive_sql", "null", "verbatim")
SUITES: Mapping[str, Mapping[str, Any]] = {
    "template_small": {"label": "Template (small)", "seed": 42, "cases_per_family": 4},
    "adversarial_small": {"label": "Adversarial (small)", "folder": "suites/adversarial", "cases_per_category": 2},
}
TARGET = "paper_tables"
SERVED = "smollm2-135m"
SERVED_SUITE = "adversarial_small"
SYSTEMS_OF_SERVED = ("lethe+llm", "naive_sql+llm")
PARTS = ("strange machine", "two at once", "kills", "full disk")
_LONGEST_RUN_S = 1800.0
_MOST_PAUSE_S = 4.0
"""Kills come after a random time below this."""
_SHARE_OF_EARLY = 0.1
"""Share of the chances before any job runs that are taken."""
_DISK_MB = 64
AIMS: Mapping[str, Sequence[str]] = {
    "llama": ("llama.cpp", "keeper of llama.cpp"),
    "keeper": ("keeper",),
    "worker": ("worker",),
    "gateway": ("job with a gateway",),
    "fork-server": ("fork server", "fork server of a system"),
    "job": ("job",),
    "snakemake": ("snakemake",),
}
"""What `--kill` takes, each with the kinds of processes that it means."""
_DURING_A_CALL = ("llama.cpp", "job with a gateway")
"""Kinds that are killed while an answer is computed, where they are aimed at."""
_COMPUTES_WITHIN_S = 0.5
_STARTS_JOBS = ("snakemake", "shell of a job")
_RETRIES = 10
"""How often an aimed run tries a job anew before it ends, and starts anew itself; what a job made stays kept."""


@dataclass(slots=True)
class Fire:
    """What was done to runs, and what came of it.

    Attributes:
        kills: how many processes of each kind were killed.
        runs: how often the workflow was started.
        finished: how often it came to an end with every file.
        different: what differed then from the undisturbed run, a line each.
    """

    kills: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    finished: int = 0
    different: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """What is said of it."""
        yield f"{self.kills.total()} kills: " + ", ".join(f"{n} of {kind}" for kind, n in self.kills.most_common())
        yield f"{self.runs} starts, {self.finished} finished runs compared, {len(self.different)} differences"
        yield from self.different


class Project:
    """A copy of the project, in which runs write to folders of their own.

    Args:
        targets: files of results, from a run's folder; every table if there are none.
        served: whether hooks ask a model that is served here, on one suite.
    """

    def __init__(
        self,
        folder: Path,
        environments: Path,
        systems: Sequence[str] = SYSTEMS,
        targets: Sequence[str] = (),
        served: bool = False,
    ) -> None:
        self.folder, self.targets = folder / "project", targets
        self.temporary = folder / "tmp"
        self.temporary.mkdir(exist_ok=True)
        self._options = ["--retries", str(_RETRIES)] if served else []
        if not self.folder.exists():
            copy_project(self.folder)
            environments.mkdir(parents=True, exist_ok=True)
            (self.folder / ".environments").symlink_to(environments)
        self.config: dict[str, Any] = {
            "suites": dict(SUITES),
            "run": {"suites": list(SUITES), "systems": list(systems), "workloads": []},
            "paper": {
                "template_suite": "template_small",
                **{f"{name}_suite": "adversarial_small" for name in ("adversarial", "held_out")},
            },
            "resamples": 100,
        }
        if served:
            # Recorded answers would be taken before the server is asked.
            self.config["llm"] = {"serve": [SERVED], "answers": "none"}
            self.config["models"] = {
                SERVED: {"systems": list(systems), "suites": {"hook": [SERVED_SUITE], "inside": []}}
            }

    @classmethod
    def with_served_model(cls, folder: Path, environments: Path) -> "Project":
        """Runs of two stores whose hook asks the smallest model, from the suite to the trials."""
        trials = [TRIALS.path.format(suite=SERVED_SUITE, system=f"{name}@{SERVED}") for name in SYSTEMS_OF_SERVED]
        return cls(folder, environments, SYSTEMS_OF_SERVED, trials, served=True)

    def start(self, out: Path, log: Path, **environment: str | None) -> subprocess.Popen[bytes]:
        """Start the workflow with its outputs in `out`; variables that are None are taken away."""
        out.parent.mkdir(parents=True, exist_ok=True)
        config = out.with_suffix(".yaml")
        config.write_text(yaml.safe_dump({"output_dir": str(out), **self.config}), encoding="utf-8")
        wanted = {**os.environ, "PYTHONPATH": str(self.folder), "TMPDIR": str(self.temporary), **environment}
        goals = [str(out / target) for target in self.targets] or [TARGET]
        command = [sys.executable, "-m", "snakemake", "--cores", "2", *goals, "--configfile", str(config)]
        command += self._options
        with log.open("ab") as stream:
            return subprocess.Popen(
                command,
                cwd=self.folder,
                env={name: value for name, value in wanted.items() if value is not None},
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
                start_new_session=True,
            )

    def run(self, out: Path, log: Path, **environment: str | None) -> int:
        """Run it to its end; the exit code."""
        return self.start(out, log, **environment).wait(_LONGEST_RUN_S)

    def differences(self, out: Path, reference: Path) -> list[str]:
        """What differs in two finished runs, times aside, a line each."""
        if not self.targets:
            return list(compare_runs(out, reference).lines())[:-1]
        found = {target: first_difference(target, out / target, reference / target) for target in self.targets}
        return [f"{target}: {said}" for target, said in found.items() if said is not None]

    def processes(self, running: subprocess.Popen[bytes]) -> dict[str, list[psutil.Process]]:
        """Every process of a run, by what it is; what serves a model outlives the job that started it."""
        found: dict[str, list[psutil.Process]] = {}
        with suppress(psutil.NoSuchProcess):
            for kind, process in _below(psutil.Process(running.pid)):
                found.setdefault(kind, []).append(process)
        if SERVED in self.config.get("models", {}):
            for process in psutil.process_iter():
                kind = _served_kind(process, self.temporary)
                if kind and process not in found.get(kind, []):
                    found.setdefault(kind, []).append(process)
        return found


def _below(snakemake: psutil.Process) -> list[tuple[str, psutil.Process]]:
    """Every process below Snakemake's, and that, with what it is."""
    found, waiting = [("snakemake", snakemake)], [("snakemake", snakemake)]
    while waiting:
        above, parent = waiting.pop()
        for child in _children(parent):
            kind = _kind(above, child)
            found.append((kind, child))
            waiting.append((kind, child))
    return found


def _children(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children()
    except psutil.Error:
        return []


def _served_kind(process: psutil.Process, temporary: Path) -> str:
    """What a process is that serves a model to runs whose temporary files are in a folder; else nothing."""
    try:
        if process.environ().get("TMPDIR") != str(temporary):
            return ""
        line = " ".join(process.cmdline())
    except psutil.Error:
        return ""
    return "llama.cpp" if "llama_server.py" in line else "keeper of llama.cpp" if "serving.keeper" in line else ""


def _computes(process: psutil.Process) -> bool:
    """Whether a process uses a processor just now."""
    try:
        before = process.cpu_times().user
        time.sleep(_COMPUTES_WITHIN_S)
        return process.cpu_times().user > before
    except psutil.Error:
        return False


def _kind(above: str, process: psutil.Process) -> str:
    try:
        words = process.cmdline()
        listens = any(connection.status == psutil.CONN_LISTEN for connection in process.net_connections())
    except psutil.Error:
        return "process that just ended"
    line = " ".join(words)
    if "llama_server.py" in line:
        return "llama.cpp"
    if "serving.keeper" in line:
        return "keeper of llama.cpp"
    if "fork_server" in line and "lethe.jobs.keeper" in line:
        within = {"job": "fork server of a system", "fork server": "fork server of a system"}
        return within.get(above, {"fork server of a system": "keeper", "keeper": "worker"}.get(above, "worker"))
    if "fork_server" in line and above == "snakemake":
        return "fork server"
    if "fork_server" in line or (above.startswith(_STARTS_JOBS) and "/.snakemake/scripts/" in line):
        return "shell of a job" if Path(words[0]).name in ("sh", "bash") else "job with a gateway" if listens else "job"
    if "keeper" in line:
        return "keeper"
    return "worker" if above in ("keeper", "worker") else "program that a job started"


def under_fire(
    project: Project, reference: Path, folder: Path, kills: int, seed: int, seconds: float, aims: Sequence[str] = ()
) -> Fire:
    """Kill processes of runs, those of some kinds of `AIMS` alone, until so many were killed, and compare each run that
    ends with the undisturbed one."""
    fire, chance, ends = Fire(), random.Random(seed), time.monotonic() + seconds
    out, log = folder / "fire", folder / "fire.log"
    while fire.kills.total() < kills and time.monotonic() < ends:
        fire.runs += 1
        if _disturbed_run(project, project.start(out, log), fire, chance, kills, ends, aims) == 0:
            _compare(project, out, reference, fire, "after kills")
            shutil.rmtree(out)
    if out.exists():
        fire.runs += 1
        if project.run(out, log) == 0:
            _compare(project, out, reference, fire, "after kills")
        else:
            fire.different.append(f"a run that nothing disturbs does not end well after kills: {log}")
    return fire


def _disturbed_run(
    project: Project,
    running: subprocess.Popen[bytes],
    fire: Fire,
    chance: random.Random,
    kills: int,
    ends: float,
    aims: Sequence[str],
) -> int:
    """Kill until the run has ended; its exit code."""
    while running.poll() is None:
        pause = time.monotonic() + chance.uniform(0.05, _MOST_PAUSE_S)
        while running.poll() is None and time.monotonic() < pause:
            time.sleep(0.02)
        if fire.kills.total() >= kills or time.monotonic() > ends:
            return running.wait(_LONGEST_RUN_S)
        found = project.processes(running)
        early = "job" not in found and "job with a gateway" not in found
        if not aims and early and chance.random() > _SHARE_OF_EARLY:
            # It starts for longer than most jobs run, so that most kills would be of what starts.
            continue
        chosen = aimed_at(found, aims, chance) if aims else chance.choice(sorted(found)) if found else None
        if chosen is None:
            continue
        try:
            chance.choice(found[chosen]).kill()
        except psutil.NoSuchProcess:
            continue
        fire.kills[chosen] += 1
        print(f"kill {fire.kills.total()}: {chosen}", file=sys.stderr, flush=True)
    return running.returncode or 0


def aimed_at(found: Mapping[str, Sequence[psutil.Process]], aims: Sequence[str], chance: random.Random) -> str | None:
    """The kind to kill next, of those that are there and aimed at; none where it is to wait for a call."""
    there = [kinds for aim in aims if (kinds := sorted(set(AIMS[aim]) & found.keys()))]
    if not there:
        return None
    kind = chance.choice(chance.choice(there))
    servers = found.get("llama.cpp", ())
    return kind if kind not in _DURING_A_CALL or any(map(_computes, servers)) else None


def _compare(project: Project, out: Path, reference: Path, fire: Fire, when: str) -> None:
    fire.finished += 1
    fire.different += [f"{when}: {line}" for line in project.differences(out, reference)]


def strange_machines(project: Project, reference: Path, folder: Path) -> Fire:
    """A run with a space in TMPDIR, without HOME, in the C locale, under umask 077."""
    fire, temporary = Fire(), folder / "with a space"
    temporary.mkdir(exist_ok=True)
    before = os.umask(0o077)
    try:
        fire.runs += 1
        code = project.run(
            folder / "strange run", folder / "strange.log", TMPDIR=str(temporary), HOME=None, LANG="C", LC_ALL="C"
        )
    finally:
        os.umask(before)
    if code == 0:
        _compare(project, folder / "strange run", reference, fire, "on a strange machine")
    else:
        fire.different.append(f"on a strange machine: exit code {code}; {folder / 'strange.log'}")
    left = sorted(path.name for path in temporary.iterdir())
    if left:
        fire.different.append(f"on a strange machine: left in TMPDIR: {', '.join(left)}")
    return fire


def two_at_once(project: Project, reference: Path, folder: Path) -> Fire:
    """Two runs into one folder: each ends, well or with a line that says that the other is there; then a third does."""
    fire, out, log = Fire(), folder / "shared", folder / "shared.log"
    both = [project.start(out, log) for _ in range(2)]
    fire.runs += 3
    for running in both:
        running.wait(_LONGEST_RUN_S)
    if project.run(out, log) == 0:
        _compare(project, out, reference, fire, "after two runs at once")
    else:
        fire.different.append(f"after two runs at once: {log}")
    if b"Traceback" in log.read_bytes():
        fire.different.append(f"two runs at once: a traceback in {log}")
    return fire


def full_disk(project: Project, reference: Path, folder: Path, chance: random.Random) -> Fire:
    """A disk that is full from a random moment on; with room again, the run goes on to the same results."""
    fire, disk, log = Fire(), folder / "disk", folder / "disk.log"
    with small_disk(disk):
        fire.runs += 2
        running = project.start(disk / "out", log)
        time.sleep(chance.uniform(2.0, 40.0))
        ballast = disk / "ballast"
        try:
            with ballast.open("wb") as stream:
                while True:
                    stream.write(bytes(1 << 20))
        except OSError:
            pass
        code = running.wait(_LONGEST_RUN_S)
        ballast.unlink()
        fire.kills["disk that filled"] += code != 0
        if project.run(disk / "out", log) == 0:
            _compare(project, disk / "out", reference, fire, "after a full disk")
        else:
            fire.different.append(f"after a full disk: {log}")
    return fire


@contextmanager
def small_disk(at: Path) -> Iterator[None]:
    """A file system of its own of `_DISK_MB` MiB in memory; it takes root to mount one."""
    at.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={_DISK_MB}m", "tmpfs", str(at)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(at)], check=True)


def main() -> None:
    """Run all of it from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--environments", type=Path, default=ROOT / ".environments", help="of the systems, built")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument(
        "--kill",
        type=lambda text: text.split(","),
        default=[],
        help=f"what is killed alone, with commas, while a served model is asked: {', '.join(AIMS)}",
    )
    parser.add_argument("--part", choices=PARTS, action="append", help="some parts alone; may be repeated")
    parser.add_argument("--seconds", type=float, default=7200)
    parser.add_argument("--seed", type=int, default=42)
    given = parser.parse_args()
    if unknown := set(given.kill) - set(AIMS):
        parser.error(f"--kill {','.join(sorted(unknown))}: it is some of {', '.join(AIMS)}")
    folder: Path = given.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    make = Project.with_served_model if given.kill else Project
    project, reference = make(folder, given.environments.resolve()), folder / "reference"
    wanted = project.targets or [MANIFEST_FILE.as_posix()]
    if (
        not all((reference / name).exists() for name in wanted)
        and project.run(reference, folder / "reference.log") != 0
    ):
        sys.exit(f"the undisturbed run does not end well: {folder / 'reference.log'}")
    chance = random.Random(given.seed)
    parts: dict[str, Callable[[], Fire]] = {
        "strange machine": lambda: strange_machines(project, reference, folder),
        "two at once": lambda: two_at_once(project, reference, folder),
        "kills": lambda: under_fire(project, reference, folder, given.kills, given.seed, given.seconds, given.kill),
        "full disk": lambda: full_disk(project, reference, folder, chance),
    }
    failed = False
    for name in given.part or (["kills"] if given.kill else parts):
        if name == "full disk" and os.geteuid() != 0:
            print(f"{name}: not tried; a small disk can be mounted by root alone")
            continue
        fire = parts[name]()
        failed = failed or bool(fire.different)
        for line in fire.lines():
            print(f"{name}: {line}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    main()
