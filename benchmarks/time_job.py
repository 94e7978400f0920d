"""Wall time of the whole job with environments built: from scratch, and a second call.

python benchmarks/time_job.py [CORES]
"""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]


def timed(label: str, *arguments: str) -> None:
    """Run snakemake and print how long it took."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "snakemake", "--cores", cores, "paper_tables", *arguments]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    print(f"{label}: {time.perf_counter() - start:.1f} s")


cores = sys.argv[1] if len(sys.argv) > 1 else "2"
folder = Path(tempfile.mkdtemp())
extra = folder / "extra.yaml"
extra.write_text(yaml.safe_dump({"output_dir": str(folder / "out")}), encoding="utf-8")
try:
    timed("environments and embedder", "--until", "build_environment", "prepare_embedder", "--configfile", str(extra))
    timed(f"cold, {cores} cores", "--configfile", str(extra))
    timed("second call", "--configfile", str(extra))
finally:
    shutil.rmtree(folder)
