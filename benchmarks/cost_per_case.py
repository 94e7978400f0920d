"""What a case costs each system, as the table of docs/scale.md: python benchmarks/cost_per_case.py [FOLDER]

Reads Snakemake's benchmark files and the trials of a finished run in FOLDER (this one, if none is given). Time and
memory are those of the whole job, the start of the system included; repetitions count as cases.
"""

import csv
import sys
from collections import defaultdict
from pathlib import Path

import pyarrow.parquet as pq


def runs_of_systems(results: Path) -> dict[str, list[tuple[int, float, float, float, int]]]:
    """The runs of each system: trials, wall and processor seconds, peak memory (MB), bytes of results."""
    found = defaultdict(list)
    for path in sorted((results / "benchmarks" / "runs").rglob("*.tsv")):
        trials = results / path.relative_to(results / "benchmarks").with_suffix(".parquet")
        if not trials.exists():
            continue
        with path.open(newline="", encoding="utf-8") as stream:
            spent = next(csv.DictReader(stream, delimiter="\t"))
        if "NA" in (spent["cpu_time"], spent["max_rss"]):  # over before Snakemake looked
            continue
        count = pq.ParquetFile(trials).metadata.num_rows
        taken = float(spent["s"]), float(spent["cpu_time"]), float(spent["max_rss"])
        found[trials.stem].append((count, *taken, trials.stat().st_size))
    return found


def print_costs(results: Path) -> None:
    """Print the table."""
    print("| system | runs | cases | ms a case | of these processor | peak MB | bytes of results a case |")
    print("|---|---|---|---|---|---|---|")
    costs = []
    for system, runs in runs_of_systems(results).items():
        count = sum(run[0] for run in runs)
        walls, processors, written = (sum(run[at] for run in runs) for at in (1, 2, 4))
        peak = max(run[3] for run in runs)
        costs.append((walls / count, system, len(runs), count, processors / count, peak, written / count))
    for wall, system, number, count, processor, peak, written in sorted(costs):
        times = f"{1000 * wall:.0f} | {1000 * processor:.0f}"
        print(f"| `{system}` | {number} | {count} | {times} | {peak:.0f} | {written:.0f} |")


if __name__ == "__main__":
    print_costs(Path(sys.argv[1] if sys.argv[1:] else ".") / "results")
