"""The measured tables of docs/scale.md, from a finished run: python -m benchmarks.scale_tables [FOLDER]

FOLDER (this one, if none is given) holds `results/` and Snakemake's logs. First the targets on two cores beside what
was measured, by stage and job by job, then what a case costs each system, then the same jobs on other numbers of cores.
Processor time is that of the jobs with a benchmark file: runs, and no building, embedding or counting.
"""

import csv
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from benchmarks.cost_per_case import print_costs
from benchmarks.predict_job import longest_log, print_predictions, read_jobs, wall_s

TARGETS_S = {
    "environments": (600.0, None),
    "from scratch": (480.0, 840.0),
    "nothing to do": (3.0, None),
}
"""Wall and processor time on two cores that each step is to stay below."""
LONGEST_WAY_S = 120.0
"""What the jobs may take that wait for each other, however many cores there are."""
_SLOWEST = 40


def measured(benchmarks: Path) -> Iterator[tuple[float, float, str]]:
    """Wall time, processor time and name of each job that Snakemake timed."""
    for path in benchmarks.rglob("*.tsv"):
        with path.open(newline="", encoding="utf-8") as stream:
            for row in csv.DictReader(stream, delimiter="\t"):
                spent = row["cpu_time"]
                yield float(row["s"]), float(spent) if spent != "NA" else 0.0, str(path.relative_to(benchmarks))[:-4]


def print_jobs(benchmarks: Path) -> None:
    """Print the timed jobs by stage, and the slowest one by one."""
    jobs = sorted(measured(benchmarks), reverse=True)
    stages: dict[str, list[tuple[float, float, str]]] = defaultdict(list)
    for job in jobs:
        stage, _, rest = job[2].partition("/")
        stages[f"{stage}/{rest.partition('/')[0]}" if stage in ("runs", "crosseval") else stage].append(job)
    print("| jobs | number | wall, s | processor, s |\n|---|---|---|---|")
    for stage, found in [*sorted(stages.items()), ("all timed jobs", jobs)]:
        print(f"| {stage} | {len(found)} | {sum(job[0] for job in found):.0f} | {sum(job[1] for job in found):.0f} |")
    print("\n| slowest | wall, s | processor, s |\n|---|---|---|")
    for wall, processor, name in jobs[:_SLOWEST]:
        print(f"| `{name}` | {wall:.1f} | {processor:.1f} |")


def print_targets(log: Path, benchmarks: Path) -> None:
    """Print what the whole job took beside its targets; the way is printed with the predictions."""
    wall, processor = TARGETS_S["from scratch"]
    jobs = list(measured(benchmarks))
    print("| what | target, s | measured, s |\n|---|---|---|")
    print(f"| wall, of the run with most jobs | {wall:.0f} | {wall_s(read_jobs(log)):.0f} |")
    print(f"| processor, timed jobs alone | {processor:.0f} | {sum(job[1] for job in jobs):.0f} |\n")


def main() -> None:
    folder = Path(sys.argv[1] if sys.argv[1:] else ".")
    log, benchmarks = longest_log(folder), folder / "results" / "benchmarks"
    print_targets(log, benchmarks)
    print_jobs(benchmarks)
    print()
    print_costs(folder / "results")
    print()
    print_predictions(log)
    print(f"(longest way: <= {LONGEST_WAY_S:.0f} s)")


if __name__ == "__main__":
    main()
