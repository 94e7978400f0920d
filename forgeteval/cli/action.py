"""The steps of action.yml: what a workflow on GitHub gives, as arguments of pip and of `forgeteval run`.

    python -m forgeteval.cli.action install | run

Inputs come as variables `INPUT_NAME`; the results go to the files that the runner names.
"""

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from forgeteval.cli.exits import Exit
from forgeteval.cli.main import main as forgeteval
from forgeteval.errors import UserError, one_line_errors
from forgeteval.run.results import Results

RESULTS, JUNIT = "results.json", "junit.xml"
_OF_THE_ACTION = {
    "--suite": "give the input `suite`",
    "--baseline": "give the input `baseline`",
    "--out": "take the output `results`",
    "--junit": "take the output `junit`",
    "--summary": "it stands on the page of the run",
}
"""Options that the action gives, and what does for them: given twice, one of both would be passed over."""


def main() -> None:
    """Do the step that the command line names; exits as `pip` or `forgeteval run` does."""
    with one_line_errors(exit_code=Exit.usage):
        steps = {"install": install, "run": run}
        if len(sys.argv) != 2 or sys.argv[1] not in steps:
            raise UserError(f"forgeteval.cli.action: name one step, {' or '.join(steps)}")
        raise SystemExit(steps[sys.argv[1]](os.environ))


def install(environment: Mapping[str, str]) -> int:
    """Install what the store needs."""
    arguments = _words(environment, "install")
    return subprocess.run([sys.executable, "-m", "pip", "install", *arguments], check=False).returncode


def run(environment: Mapping[str, str]) -> int:
    """Run the suite, and tell the workflow the result."""
    folder = Path(environment.get("RUNNER_TEMP") or tempfile.gettempdir()) / "forgeteval"
    (folder / RESULTS).unlink(missing_ok=True)
    sys.argv = ["forgeteval", *run_arguments(environment, folder)]
    try:
        forgeteval()
    except SystemExit as end:
        if (folder / RESULTS).is_file() and environment.get("GITHUB_OUTPUT"):
            with Path(environment["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as stream:
                stream.write(outputs(folder))
        return int(end.code or 0)
    return 0


def run_arguments(environment: Mapping[str, str], folder: Path) -> list[str]:
    """The arguments of `forgeteval` that the inputs of the action amount to.

    Args:
        folder: takes the results.

    Raises:
        UserError: where there is no store, or further arguments are not quoted as in a shell or are the action's own.
    """
    store = environment.get("INPUT_STORE", "").strip()
    if not store:
        raise UserError("input `store`: missing; name the store as module:Class or file.py:Class")
    further = _words(environment, "args")
    for option in (word.partition("=")[0] for word in further):
        if option in _OF_THE_ACTION:
            raise UserError(f"input `args`: {option} is the action's own; {_OF_THE_ACTION[option]}")
    arguments = ["run", *further]
    for option in ("suite", "baseline"):
        if value := environment.get(f"INPUT_{option.upper()}", "").strip():
            arguments.append(f"--{option}={value}")
    arguments += [f"--min={rate}" for rate in environment.get("INPUT_MIN", "").split()]
    if summary := environment.get("GITHUB_STEP_SUMMARY"):
        arguments.append(f"--summary={summary}")
    arguments += [f"--out={folder / RESULTS}", f"--junit={folder / JUNIT}", "--annotations"]
    return [*arguments, "--", store]


def outputs(folder: Path) -> str:
    """The lines of the runner's file of outputs."""
    results = Results.load(folder / RESULTS)
    found = {
        "passed": results.passed,
        "cases": results.total,
        "rate": round(results.rate.share, 4),
        "results": folder / RESULTS,
        "junit": folder / JUNIT,
    }
    return "".join(f"{name}={value}\n" for name, value in found.items())


def _words(environment: Mapping[str, str], name: str) -> list[str]:
    try:
        return shlex.split(environment.get(f"INPUT_{name.upper()}", ""))
    except ValueError as error:
        raise UserError(f"input `{name}`: not quoted as in a shell ({error})") from error


if __name__ == "__main__":
    main()
