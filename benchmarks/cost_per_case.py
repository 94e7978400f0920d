"""What a case costs each system, as the table of docs/scale.md: python benchmarks/cost_per_case.py [FOLDER]

Reads Snakemake's benchmark files and the trials of a finished run in FOLDER (this one, if none is given). Time and
memory are those of the whole job, the start of the system included; repetitions count as cases.
"""

import csv
import sys
from collections import defaultdict
from pathlib import Path

import pyarrow.parquet as pq

RESULTS = Path(sys.argv[1] if sys.argv[1:] else ".") / "results"


def rows() -> dict[str, list[tuple[int, float, float, float, int]]]:
    """The runs of each system: trials, wall and processor seconds, peak memory (MB), bytes of results."""
    found = defaultdict(list)
    for path in sorted((RESULTS / "benchmarks" / "runs").rglob("*.tsv")):
        trials = RESULTS / path.relative_to(RESULTS / "benchmarks").with_suffix(".parquet")
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


print("| system | runs | cases | ms a case | processor ms a case | peak MB | bytes of results a case |")
print("|---|---|---|---|---|---|---|")
costs = []
for system, runs in rows().items():
    count = sum(run[0] for run in runs)
    walls, processors, written = (sum(run[at] for run in runs) for at in (1, 2, 4))
    peak = max(run[3] for run in runs)
    costs.append((walls / count, system, len(runs), count, processors / count, peak, written / count))
for wall, system, runs, count, processor, peak, written in sorted(costs):
    print(f"| {system} | {runs} | {count} | {1000 * wall:.0f} | {1000 * processor:.0f} | {peak:.0f} | {written:.0f} |")
