"""`forgeteval findings`: what a finished run found, written into README.md, docs/index.md and the pages of systems."""

from pathlib import Path
from typing import Annotated

import typer

from forgeteval.errors import UserError
from lethe.cli.standing import check_clone


def findings(
    folder: Annotated[
        Path, typer.Argument(help="folder that contains results/ and figures/ of a finished run")
    ] = Path(),
    check: Annotated[bool, typer.Option("--check", help="write nothing; compare the pages with docs/findings")] = False,
    partial: Annotated[bool, typer.Option("--partial", help="a line for which nothing was run says so")] = False,
    root: Annotated[Path, typer.Option(help="the project's folder")] = Path(),
) -> None:
    """Keep the numbers behind the findings, and write these into README.md, docs/index.md and docs/systems."""
    from lethe.findings.release import keep_release, pages_out_of_date
    from lethe.study.setup import Setup
    from lethe.trust.recipe import RECIPE_FILE, read_recipe

    check_clone(root)
    if not check:
        setup = Setup.from_json(read_recipe(folder / RECIPE_FILE).setup)
        written = keep_release(folder, setup, root, partial=partial)
        print(f"written: {', '.join(map(str, written))}")
    elif old := pages_out_of_date(root):
        raise UserError(f"{', '.join(map(str, old))}: not what docs/findings says; run `forgeteval findings FOLDER`")
    else:
        print("the pages say what docs/findings says")
