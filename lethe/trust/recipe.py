"""The recipe of the tables: what they were built from, kept beside the results so that the audit can rebuild them.

It holds data alone: the record of the configuration, and the files that were read. What is built from them, the
registry of the package says.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from forgeteval.errors import UserError
from forgeteval.files import write_text
from forgeteval.json_records import read_object
from lethe.fingerprints import sha256_of
from lethe.study.inputs import PROJECT_PUBLISHED
from lethe.study.setup import Setup
from lethe.tables.registry import all_paths
from lethe.tables.writing import PAPER, tables_of
from lethe.trust.versions import without_credentials

RECIPE_FILE = Path("results/recipe.json")


@dataclass(frozen=True, slots=True)
class Recipe:
    """What the tables of a results folder were built from.

    Attributes:
        setup: `Setup.to_json`.
        inputs: paths relative to the folder, and config/published.csv, which is the project's own.
        published_sha256: checksum of that file.
        room: the room that was asked for alone; empty where all were.
    """

    setup: dict[str, Any]
    inputs: Sequence[str]
    published_sha256: str
    room: str = ""


def write_recipe(root: Path, setup: Setup, room: str = "") -> None:
    """Write the recipe of the tables of a room, or of all rooms, below the output folder."""
    paths, published = all_paths(tables_of(setup, room)), sha256_of(PROJECT_PUBLISHED)
    recipe = Recipe(without_credentials(setup.to_json()), paths, published, room)
    write_text(root / RECIPE_FILE, json.dumps(asdict(recipe), indent=1) + "\n")


def read_recipe(path: Path) -> Recipe:
    """Read the recipe of a results folder.

    Raises:
        UserError: where it is none, or holds anything else.
    """
    try:
        recipe = Recipe(**read_object(path))
    except TypeError as error:
        raise UserError(f"no recipe ({error})") from error
    if not isinstance(recipe.inputs, list) or not all(isinstance(path, str) for path in recipe.inputs):
        raise UserError("no recipe (inputs must be a list of paths)")
    if recipe.room not in ("", PAPER):
        raise UserError(f"no recipe (room must be empty or {PAPER})")
    return recipe
