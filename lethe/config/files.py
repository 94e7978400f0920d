"""Reading the configuration as the workflow does: the files that the Snakefile names, and further ones over them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from forgeteval.errors import UserError
from lethe.config.check import check_config

CONFIG_FILES = ("config.yaml", "suites.yaml", "systems.yaml", "models.yaml", "embedders.yaml")
"""In the folder config/, in this order."""


def read_config(root: Path, further: Iterable[Path] = ()) -> dict[str, Any]:
    """The checked configuration of the project in `root`, with `further` files merged over it in their order.

    Raises:
        UserError: naming the file that is missing or no YAML mapping, or the key that is wrong.
    """
    # Snakemake takes a second to import, which the workflow's jobs should not wait.
    from snakemake.utils import update_config

    config: dict[str, Any] = {}
    for path in [*(root / "config" / name for name in CONFIG_FILES), *further]:
        update_config(config, _mapping(path))
    check_config(config, root)
    return config


def _mapping(path: Path) -> dict[str, Any]:
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise UserError(f"{path}: not a readable configuration ({type(error).__name__}); name another file") from error
    if not isinstance(found, dict):
        raise UserError(f"{path}: a configuration maps keys to values; this file does not")
    return found
