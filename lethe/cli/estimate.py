"""`forgeteval estimate`: what a run will ask of chat models, and what that will cost, before anything is sent."""

from pathlib import Path
from typing import Annotated

import typer

from lethe.cli.show import show


def estimate(
    configfile: Annotated[
        list[Path] | None, typer.Option(help="a further file of configuration, as Snakemake's --configfile")
    ] = None,
    root: Annotated[Path, typer.Option(help="folder of the Snakefile")] = Path(),
    yes: Annotated[bool, typer.Option("--yes", help="agree to that sum, above llm.agreed_usd")] = False,
) -> None:
    """Say what the next run leaves out and what it asks of chat models; exit code 1 if the cost is to be agreed to."""
    from lethe.config.reading import read_config
    from lethe.config.selection import left_out_lines
    from lethe.study.estimate import agree, agreed_usd, estimate_lines, estimates

    config = read_config(root, configfile or ())
    found, unknown = estimates(config)
    asked = estimate_lines(found, unknown) or ["no chat model is to be asked"]
    for line in (*left_out_lines(config), *asked):
        show(line)
    usd = sum(one.usd or 0.0 for one in found)
    if yes:
        agree(config, usd)
    elif usd > agreed_usd(config):
        show(f"more than {agreed_usd(config):.2f} USD (llm.agreed_usd): run with --yes to agree")
        raise typer.Exit(1)
