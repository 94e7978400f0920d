"""`forgeteval why`: what makes jobs run again, why a configuration does not run, what a replay lacked."""

import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import typer

from forgeteval.cli.printing import show
from lethe.cli.reasons import Job, jobs_to_run, told
from lethe.cli.standing import standing_in
from lethe.config.model import Config

_NAMED = 3
"""How many of the files that are not made yet are named for a rule."""


def why(
    targets: Annotated[list[str], typer.Argument(help="files of the workflow, or names of rules")],
    configfile: Annotated[
        list[Path] | None, typer.Option(help="a further file of configuration, as Snakemake's --configfile")
    ] = None,
    root: Annotated[Path, typer.Option(help="folder of the Snakefile")] = Path(),
) -> None:
    """Say what would run for TARGETS and why (which input, key or module changed), or why a run is not made."""
    further = [path.absolute() for path in configfile or ()]
    with standing_in(root):
        _explain(targets, further)


def _explain(targets: Sequence[str], further: Sequence[Path]) -> None:
    from lethe.config.answering import is_live
    from lethe.config.reading import read_config

    config = read_config(Path(), further)
    out = Path(config.output_dir)
    for target in targets:
        for line in (*_not_run(target, config), *_lacking(Path(target), lambda model: is_live(config, model))):
            show(f"{target}: {line}")
    runnable = [target for target in targets if not list(_not_run(target, config))]
    if not runnable:
        return
    with tempfile.TemporaryDirectory() as listings:
        jobs = jobs_to_run(runnable, further, Path(), Path(listings))
        for job in jobs:
            if not (job.follows or job.is_new):
                show(f"{job.outputs} ({job.rule}): {'; '.join(told(job, out / 'results/logs/code', Path(listings)))}")
    for line in (*_new(jobs), *_following(jobs)):
        show(line)
    if not jobs:
        show(f"{', '.join(runnable)}: up to date")


def _new(jobs: Sequence[Job]) -> Iterator[str]:
    made: dict[str, list[str]] = defaultdict(list)
    for job in jobs:
        if job.is_new:
            made[job.rule].append(job.outputs)
    for rule, outputs in made.items():
        more = f" and {len(outputs) - _NAMED} more" if len(outputs) > _NAMED else ""
        yield f"not made yet ({rule}): {', '.join(outputs[:_NAMED])}{more}"


def _following(jobs: Sequence[Job]) -> Iterator[str]:
    counted = Counter(job.rule for job in jobs if job.follows)
    if counted:
        yield "after these, as inputs change: " + ", ".join(f"{count} {rule}" for rule, count in counted.items())


def _not_run(target: str, config: Config) -> Iterator[str]:
    """Why the configuration whose trials a target is does not run."""
    from lethe.config.selection import all_configurations, reasons_not_run

    parts = Path(target).parts
    if parts[-3:-2] != ("runs",) or parts[-2] not in config.suites:
        return
    name = parts[-1].removesuffix(".parquet")
    if name not in all_configurations(config):
        known = all_configurations(config)
        near = [other for other in known if other.startswith(name)] or get_close_matches(name, known)
        yield f"there is no configuration {name}" + (f"; did you mean {' or '.join(near)}?" if near else "")
    elif (reason := reasons_not_run(config, parts[-2]).get(name)) is not None:
        yield reason


def _lacking(path: Path, live: Callable[[str], bool]) -> Iterator[str]:
    """What broke trials of a file of trials, with the remedy where their model may be asked."""
    from lethe.parquet import read_rows
    from lethe.schemas import TRIALS

    if path.parts[-3:-2] != ("runs",) or not path.is_file():
        return
    rows = list(read_rows(path, TRIALS))
    errors = [row["error"] for row in rows if row["verdict"] == "error"]
    lacking = [error for error in errors if "answer" in error]
    if errors:
        model = rows[0]["model"]
        remedy = f"; to run them again: rm {path} and the same command" if model and live(model) else ""
        yield (
            f"{len(errors)} trials are errors, {len(lacking)} of them about an answer; the first: {errors[0]}{remedy}"
        )
