"""Wall and processor time of the whole job and its longest way, beside the targets, and its slowest jobs one by one.

python benchmarks/time_job.py [CORES] [TARGET]        (2 and paper_tables, if not given)

The environments are those that stand there, or are built first. Processor time is that of all processes that had ended;
job by job it is what the benchmark files say.
"""

import csv
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
TARGETS_S = {
    "environments": (600.0, None),
    "from scratch": (480.0, 840.0),
    "nothing to do": (3.0, None),
}
"""Wall and processor time on two cores that each step is to stay below."""
LONGEST_WAY_S = 120.0
"""What the jobs may take that wait for each other, however many cores there are."""
_SLOWEST = 40


def timed(label: str, *arguments: str) -> None:
    """Run snakemake and print how long it took."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", cores, *arguments], cwd=ROOT, check=True, capture_output=True
    )
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    wall_target, processor_target = TARGETS_S[label]
    wanted = f"<= {wall_target:.0f}" + (f", <= {processor_target:.0f}" if processor_target else "")
    print(f"{label:15} {time.perf_counter() - start:8.1f} s wall {processor:8.1f} s processor   ({wanted})", flush=True)


def measured(results: Path) -> Iterator[tuple[float, float, str]]:
    """Wall time, processor time and name of each job that Snakemake timed."""
    for path in results.rglob("*.tsv"):
        with path.open(newline="", encoding="utf-8") as stream:
            for row in csv.DictReader(stream, delimiter="\t"):
                spent = row["cpu_time"]
                yield float(row["s"]), float(spent) if spent != "NA" else 0.0, str(path.relative_to(results))[:-4]


cores, target = [*sys.argv[1:], *["2", "paper_tables"][len(sys.argv) - 1 :]]
folder = Path(tempfile.mkdtemp())
extra = folder / "extra.yaml"
extra.write_text(yaml.safe_dump({"output_dir": str(folder / "out")}), encoding="utf-8")
given = ["--configfile", str(extra)]
try:
    timed("environments", "--until", "build_environment", "prepare_embedder", "prepare_further_embedder", *given)
    timed("from scratch", target, *given)
    predicted = [sys.executable, str(ROOT / "benchmarks" / "predict_job.py")]
    print(subprocess.run(predicted, cwd=ROOT, check=True, capture_output=True, text=True).stdout, end="")
    print(f"(longest way: <= {LONGEST_WAY_S:.0f} s)", flush=True)
    timed("nothing to do", target, *given)
    jobs = sorted(measured(folder / "out" / "results" / "benchmarks"), reverse=True)
    walls, processors = sum(job[0] for job in jobs), sum(job[1] for job in jobs)
    print(f"{len(jobs)} timed jobs: {walls:.0f} s wall, {processors:.0f} s processor")
    for wall, processor, name in jobs[:_SLOWEST]:
        print(f"{wall:8.1f} {processor:8.1f}  {name}")
finally:
    shutil.rmtree(folder)
