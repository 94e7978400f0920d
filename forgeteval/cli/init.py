"""`forgeteval init`: files to begin with."""

from pathlib import Path
from typing import Annotated

import typer

from forgeteval.cli.printing import show
from forgeteval.errors import UserError
from forgeteval.files import read_file, write_text

DATA_FILES = ("templates",)
_TEMPLATES = Path(__file__).with_name(DATA_FILES[0])
_FILES = {
    "my_store.py": "my_store.py.txt",
    "test_my_store.py": "test_my_store.py.txt",
    ".github/workflows/forgeteval.yml": "forgeteval.yml.txt",
}


def init(folder: Annotated[Path, typer.Argument(help="where the files are written")] = Path()) -> None:
    """Write a store to fill in, its test, and a file for a CI; existing files are left alone."""
    for name in _FILES:
        if (folder / name).exists():
            raise UserError(f"{folder / name}: is there already; name another folder")
    for name, template in _FILES.items():
        write_text(folder / name, read_file(_TEMPLATES / template).decode())
        show(f"{folder / name}: written")
    show("next: forgeteval run my_store:MyStore")
