"""How long the job would take on more cores, from a run of it: python benchmarks/predict_job.py [LOG [CORES ...]]

Reads Snakemake's log of a run from scratch (the one with the most jobs, if none is given): which jobs there were, what
each read and wrote, and how long it took. Then the same jobs are handed out to other numbers of cores, the longest way
to the end first; a job that ran alone on all cores does so again. The prediction for the cores of the run itself stands
beside what was measured.
"""

import functools
import heapq
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
_CORES = (1, 2, 4, 16, 64, 1000)
_STARTED = re.compile(r"^(?:local)?(?:rule|checkpoint) (\w+):$")
_FINISHED = re.compile(r"^Finished jobid: (\d+) ")
_CORES_GIVEN = re.compile(r"^Provided cores: (\d+)", re.MULTILINE)
_TIME = re.compile(r"^\[(\w{3} \w{3} +\d+ [\d:]{8} \d{4})\]$")


@dataclass
class Job:
    """A job of the log: when it ran (seconds since 1970), and what must be there before it."""

    rule: str
    started: float
    read: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    threads: int = 1
    finished: float = 0.0

    @property
    def seconds(self) -> float:
        return self.finished - self.started


def read_jobs(log: Path) -> dict[int, Job]:
    """The jobs of a log that finished, by their number."""
    jobs: dict[int, Job] = {}
    now, job = 0.0, None
    for line in log.read_text(encoding="utf-8").splitlines():
        if time := _TIME.match(line):
            now = datetime.strptime(time[1], "%a %b %d %H:%M:%S %Y").timestamp()
        elif rule := _STARTED.match(line):
            job = Job(rule[1], now)
        elif finished := _FINISHED.match(line):
            jobs[int(finished[1])].finished = now
        elif job is not None and line.startswith("    "):
            key, _, value = line.strip().partition(": ")
            if key == "jobid":
                jobs[int(value)] = job
            elif key == "threads":
                job.threads = int(value)
            elif key in ("input", "output"):
                (job.read if key == "input" else job.written).extend(value.split(", "))
    return {number: job for number, job in jobs.items() if job.finished}


def dependencies(jobs: dict[int, Job]) -> dict[int, set[int]]:
    """The jobs that write what a job reads."""
    writer = {path: number for number, job in jobs.items() for path in job.written}
    return {number: {writer[path] for path in job.read if path in writer} - {number} for number, job in jobs.items()}


def longest_ways(jobs: dict[int, Job], needs: dict[int, set[int]]) -> dict[int, float]:
    """Seconds from a job's start to the end of the last that waits for it, with nothing in the way."""
    followers: dict[int, list[int]] = {number: [] for number in jobs}
    for number, needed in needs.items():
        for before in needed:
            followers[before].append(number)

    @functools.cache
    def way(number: int) -> float:
        return jobs[number].seconds + max(map(way, followers[number]), default=0.0)

    return {number: way(number) for number in jobs}


def predicted(
    jobs: dict[int, Job], needs: dict[int, set[int]], ways: dict[int, float], cores: int, alone: int
) -> float:
    """Seconds of wall time on so many cores; jobs of `alone` threads take all of them."""
    waiting = {number: set(needed) for number, needed in needs.items()}
    ready = [number for number, needed in waiting.items() if not needed]
    running: list[tuple[float, int, int]] = []
    now, free = 0.0, cores
    while ready or running:
        ready.sort(key=lambda number: -ways[number])
        for number in list(ready):
            wanted = cores if jobs[number].threads >= alone > 1 else min(cores, jobs[number].threads)
            if wanted <= free:
                ready.remove(number)
                free -= wanted
                heapq.heappush(running, (now + jobs[number].seconds, number, wanted))
        now, ended, freed = heapq.heappop(running)
        free += freed
        for number, needed in waiting.items():
            if ended in needed:
                needed.remove(ended)
                if not needed:
                    ready.append(number)
    return now


def longest_log(folder: Path) -> Path:
    """Snakemake's log with the most jobs that finished, of the runs in a folder: that of the run from scratch."""
    logs = (folder / ".snakemake" / "log").glob("*.log")
    return max(logs, key=lambda log: log.read_text(encoding="utf-8").count("Finished jobid:"))


def print_predictions(log: Path, numbers: Sequence[int] = _CORES) -> float:
    """Print wall time measured, and predicted for each of `numbers` of cores; seconds of the longest way."""
    jobs = read_jobs(log)
    needs = dependencies(jobs)
    ways = longest_ways(jobs, needs)
    alone = max(job.threads for job in jobs.values())
    total = sum(job.seconds * job.threads for job in jobs.values())
    cores = _CORES_GIVEN.search(log.read_text(encoding="utf-8"))
    given = cores[1] if cores else "?"
    print(f"{len(jobs)} jobs, {total:.0f} s of cores; measured: {wall_s(jobs):.0f} s of wall on {given} cores")
    print(f"longest way: {max(ways.values()):.0f} s\n")
    print(f"| cores | {' | '.join(map(str, numbers))} |\n|{'---|' * (len(numbers) + 1)}")
    walls = [f"{predicted(jobs, needs, ways, number, alone):,.0f}" for number in numbers]
    print(f"| the whole job, predicted, s | {' | '.join(walls)} |\n")
    slowest = sorted(jobs.values(), key=lambda job: -job.seconds)[:10]
    told = (f"{job.rule} {Path(job.written[0]).stem} {job.seconds:.0f} s" for job in slowest if job.written)
    print(f"slowest: {', '.join(told)}")
    return max(ways.values())


def wall_s(jobs: dict[int, Job]) -> float:
    """Seconds from the first job's start to the last one's end."""
    return max(job.finished for job in jobs.values()) - min(job.started for job in jobs.values())


if __name__ == "__main__":
    print_predictions(
        Path(sys.argv[1]) if sys.argv[1:] else longest_log(ROOT), [int(given) for given in sys.argv[2:]] or _CORES
    )
