"""What a stranger waits for: imports, the suite, the command, and a whole run of a small store.

    python benchmarks/time_door.py

Each is the best of five, in ms; of what begins in a new process, without what the interpreter alone takes.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from forgeteval import evaluate, load_suite
from tests.support.paths import ROOT
from tests.support.stores import Shelf

REPETITIONS = 5
COMMAND = "import sys; sys.argv[1:] = {!r}; from forgeteval.cli.main import main; main()"
PROGRAMS = {
    "import forgeteval": "import forgeteval",
    "from forgeteval import evaluate": "from forgeteval import evaluate",
    "forgeteval --version": COMMAND.format(["--version"]),
    "forgeteval run, 385 cases": COMMAND.format(["run", "my_store:MyStore", "--quiet"]),
}
CALLS: dict[str, Callable[[], object]] = {
    "load_suite('adversarial')": lambda: load_suite("adversarial"),
    "evaluate(Shelf)": lambda: evaluate(Shelf),
    "the same without controls": lambda: evaluate(Shelf, controls=False),
}


def best(call: Callable[[], object]) -> float:
    """The least time that a call takes, in ms."""
    taken = []
    for _ in range(REPETITIONS):
        begun = time.perf_counter()
        call()
        taken.append(time.perf_counter() - begun)
    return 1000 * min(taken)


def start(program: str, folder: str) -> None:
    """Run a program in a process of its own."""
    command = [sys.executable, "-c", program]
    subprocess.run(command, cwd=folder, env={"PYTHONPATH": str(ROOT)}, capture_output=True, check=True)


with tempfile.TemporaryDirectory() as folder:
    start(COMMAND.format(["init"]), folder)
    alone = best(lambda: start("pass", folder))
    for name, program in PROGRAMS.items():
        print(f"{name:32} {best(lambda program=program: start(program, folder)) - alone:7.1f}")
for name, call in CALLS.items():
    print(f"{name:32} {best(call):7.1f}")
