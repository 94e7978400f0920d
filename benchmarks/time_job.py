"""Wall and processor time of the whole job and its longest way, beside the targets, and its slowest jobs one by one.

python -m benchmarks.time_job [CORES] [TARGET]        (2 and paper_tables, if not given)

The environments are those that stand there, or are built first. Processor time is that of all processes that had ended;
job by job it is what the benchmark files say.
"""

import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

from benchmarks.predict_job import print_predictions
from benchmarks.scale_tables import LONGEST_WAY_S, TARGETS_S, print_jobs

ROOT = Path(__file__).parents[1]


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


cores, target = [*sys.argv[1:], *["2", "paper_tables"][len(sys.argv) - 1 :]]
folder = Path(tempfile.mkdtemp())
extra = folder / "extra.yaml"
extra.write_text(yaml.safe_dump({"output_dir": str(folder / "out")}), encoding="utf-8")
given = ["--configfile", str(extra)]
try:
    timed("environments", "--until", "build_environment", "prepare_embedder", "prepare_further_embedder", *given)
    timed("from scratch", target, *given)
    longest_way = print_predictions(max((ROOT / ".snakemake" / "log").glob("*.log")))
    print(f"longest way     {longest_way:8.1f} s   (<= {LONGEST_WAY_S:.0f})", flush=True)
    timed("nothing to do", target, *given)
    print_jobs(folder / "out" / "results" / "benchmarks")
finally:
    shutil.rmtree(folder)
