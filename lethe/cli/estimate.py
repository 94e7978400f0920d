"""`forgeteval estimate`: what a run will ask of chat models, and what that will cost, before anything is sent."""

from pathlib import Path
from typing import Annotated

import typer

from forgeteval.cli.printing import show
from lethe.cli.standing import standing_in


def estimate(
    configfile: Annotated[
        list[Path] | None, typer.Option(help="a further file of configuration, as Snakemake's --configfile")
    ] = None,
    root: Annotated[Path, typer.Option(help="folder of the Snakefile")] = Path(),
    yes: Annotated[bool, typer.Option("--yes", help="agree to that sum, above llm.agreed_usd")] = False,
) -> None:
    """Say what the next run leaves out and what it asks of chat models; exit code 1 if the cost is to be agreed to."""
    from lethe.config.reading import read_config
    from lethe.config.selection import lacking_keys, left_out_lines, without_endpoints
    from lethe.study.estimate import (
        agree,
        already_there,
        cap_lines,
        estimate_lines,
        estimates,
        there_line,
        to_be_agreed,
    )

    further = [path.absolute() for path in configfile or ()]
    with standing_in(root):
        config = read_config(Path(), further)
        found, unknown = estimates(config)
        left_out, there, keys = left_out_lines(config), already_there(config), lacking_keys(config)
        caps = cap_lines(config, found)
        if yes:
            agree(config, found, unknown)
        problem = to_be_agreed(config, found, unknown)
    expected = estimate_lines(found, unknown) or [_nobody(without_endpoints(config), bool(there))]
    unset = [f"model {name}: {problem}" for name, problem in keys.items()]
    for line in (*left_out, *expected, *caps, *([there_line(there)] if there else []), *unset):
        show(line)
    if problem:
        show(problem)
        raise typer.Exit(1)


def _nobody(lacking: int, there: bool) -> str:
    said = f"no chat model is to be asked{' for a file that is not there yet' if there else ''}"
    if not lacking:
        return said
    were = "was" if lacking == 1 else "were"
    return f"{said}; {lacking} {were} left out for lack of the extra endpoints (make env-all)"
