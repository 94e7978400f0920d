"""`forgeteval doctor`: a look at the machine before the first run."""

from pathlib import Path
from typing import Annotated

import typer

from forgeteval.cli.printing import show
from lethe.cli.standing import standing_in


def doctor(
    configfile: Annotated[
        list[Path] | None, typer.Option(help="a further file of configuration, as Snakemake's --configfile")
    ] = None,
    root: Annotated[Path, typer.Option(help="folder of the Snakefile")] = Path(),
) -> None:
    """Say which needs of a run this machine meets, and what each lack costs; exit code 1 if nothing can run."""
    from lethe.cli.machine import examine
    from lethe.config.reading import read_config

    missing, further = False, [path.absolute() for path in configfile or ()]
    with standing_in(root):
        findings = list(examine(read_config(Path(), further), Path()))
    for finding in findings:
        sign = "needed" if finding.costs and finding.needed else "lacks" if finding.costs else "ok"
        show(f"{sign:7} {finding.what}: {finding.found}" + (f" -- {finding.costs}" if finding.costs else ""))
        missing |= sign == "needed"
    if missing:
        raise typer.Exit(1)
