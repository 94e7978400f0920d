"""Where a worker's processor time goes: python benchmarks/profile_worker.py CONFIGURATION [SUITE] [CASES]

The configuration runs on the first cases of the suite (all of the adversarial one, if not given) in its environment,
which stands below .environments, under Python's profiler; the functions that took longest, with those that they call,
come first.
"""

import pstats
import sys
import tempfile
from pathlib import Path

from forgeteval.cases.suites import build_suite
from forgeteval.embed.embedder import CachedEmbedder
from lethe.config.reading import read_config
from lethe.config.selection import all_configurations
from lethe.embedding.embedder import FastEmbedder
from lethe.environments.build import interpreter
from lethe.jobs.kept import KeptTrials
from lethe.jobs.session import Code, RunSettings, Session
from lethe.jobs.trials import run_cases

ROOT = Path(__file__).parents[1]
ENVIRONMENTS = ROOT / ".environments"
_SHOWN = 60

name, suite, number = [*sys.argv[1:], *["", "adversarial", "1000000"][len(sys.argv) - 1 :]]
config = read_config(ROOT)
system = all_configurations(config)[name]
cases = build_suite(suite, config.suites[suite].options())[: int(number)]
(model,) = (path.parent for path in ENVIRONMENTS.glob("embedders/all-MiniLM*/embedder.json"))
embedder = CachedEmbedder({}, FastEmbedder(model))
embedder.embed([text for case in cases for text in case.texts()])
with tempfile.TemporaryDirectory() as temporary:
    folder = Path(temporary)
    profile, python = folder / "profile", folder / "python"
    profiler = f"{interpreter(ENVIRONMENTS, system.environment)} -m cProfile -o {profile}"
    python.write_text(f'#!/bin/sh\nexec {profiler} "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    with KeptTrials(folder / "kept.trials") as kept:
        settings, log, code = RunSettings(), folder / "log", Code("")
        session = Session(system, python, embedder, settings, kept, log, code, in_memory=not system.heavy)
        trials = run_cases(session, cases)
    print(f"{name}: {len(trials)} trials of {suite}, {sum(row['cpu_ms'] for row in trials) / 1000:.1f} s, profiled")
    pstats.Stats(str(profile)).strip_dirs().sort_stats("cumulative").print_stats(_SHOWN)
