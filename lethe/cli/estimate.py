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
    from lethe.study.estimate import agree, agreed_usd, already_there, estimate_lines, estimates, there_line

    further = [path.absolute() for path in configfile or ()]
    with standing_in(root):
        config = read_config(Path(), further)
        found, unknown = estimates(config)
        left_out, there, keys = left_out_lines(config), already_there(config), lacking_keys(config)
        usd, agreed = sum(one.usd or 0.0 for one in found), agreed_usd(config)
        if yes:
            agree(config, usd)
    expected = estimate_lines(found, unknown) or [_nobody(without_endpoints(config), bool(there))]
    unset = [f"model {name}: {problem}" for name, problem in keys.items()]
    for line in (*left_out, *expected, *([there_line(there)] if there else []), *unset):
        show(line)
    if usd > agreed and not yes:
        show(f"more than {agreed:.2f} USD (llm.agreed_usd): run with --yes to agree")
        raise typer.Exit(1)


def _nobody(lacking: int, there: bool) -> str:
    said = f"no chat model is to be asked{' for a file that is not there yet' if there else ''}"
    if not lacking:
        return said
    were = "was" if lacking == 1 else "were"
    return f"{said}; {lacking} {were} left out for lack of the extra endpoints (make env-all)"
