"""`forgeteval list`: suites, policies, and stores that installed packages offer."""

from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated

import typer

from forgeteval.cases.library import known_suites
from forgeteval.cli.printing import show
from forgeteval.stores.given import ENTRY_POINTS, UNIFORM
from forgeteval.stores.policies import POLICIES


def list_all(data: Annotated[Path | None, typer.Option(help="folder with other authors' cases")] = None) -> None:
    """List the suites, the policies, and the stores that installed packages offer."""
    show("suites:")
    for suite in known_suites(data):
        where = "" if suite.here else f"; not here: forgeteval fetch {suite.name}"
        show(f"  {suite.name:20} {suite.cases:5} cases  {suite.label}{where}")
    show("policies (the first is the default):")
    for operation, known in POLICIES.items():
        default = UNIFORM[operation]
        others = [name for name in known if name != default]
        show(f"  {operation:20} {', '.join([default, *others])}")
    offered = sorted(point.name for point in entry_points(group=ENTRY_POINTS))
    show(f"stores by name: {', '.join(offered) or 'none; give yours as module:Class'}")
