"""`forgeteval init`: files to begin with."""

import json
import re
import shlex
import subprocess
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit
from urllib.request import url2pathname

import typer

from forgeteval import __version__
from forgeteval.cli.printing import show
from forgeteval.errors import UserError
from forgeteval.files import read_file, real, write_text

DATA_FILES = ("templates",)
WORKFLOW = "forgeteval.yml"
UNKNOWN = "https://github.com/OWNER/REPOSITORY@VERSION"
"""Stands for the repository of this package and its version, where nobody knows them."""
_TEMPLATES = Path(__file__).with_name(DATA_FILES[0])
_FILES = {name: f"{name}.txt" for name in ("my_store.py", "test_my_store.py", WORKFLOW)}
_REMOTE = re.compile(
    r"(?:(?:https|ssh)://(?:[^@/\s]*@)?([\w.-]+)/|[\w.-]+@([\w.-]+):)([\w./~-]+?)(?:\.git)?/?", re.ASCII
)


def init(folder: Annotated[Path, typer.Argument(help="where the files are written")] = Path()) -> None:
    """Write a store to fill in, its test, and a file for a CI; existing files are left alone."""
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder}: is a file; name a folder")
    for name in _FILES:
        if (folder / name).exists() or (folder / name).is_symlink():
            raise UserError(f"{folder / name}: is there already; name another folder")
    top = _top_of_repository(real(folder))
    requirement = _requirement()
    for name, template in _FILES.items():
        text = read_file(_TEMPLATES / template).decode()
        place = "." if top is None else real(folder).relative_to(top).as_posix()
        write_text(folder / name, text.replace("{requirement}", requirement).replace("{folder}", json.dumps(place)))
        show(f"{folder / name}: written")
    into = "" if real(folder) == real(Path()) else f"cd {shlex.quote(str(folder))} && "
    show(f"next: {into}forgeteval run my_store:MyStore")
    workflows = Path(".github", "workflows")
    where = f"{workflows.as_posix()} at the top of your repository" if top is None else str(top / workflows)
    show(f"for a CI on GitHub: move {WORKFLOW} to {where}; its first lines say what it needs")


def _top_of_repository(folder: Path) -> Path | None:
    return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), None)


def _requirement() -> str:
    """What pip installs on another machine to have this package as it is here."""
    try:
        told = distribution("forgeteval").read_text("direct_url.json")
        if told is None:
            return f"forgeteval=={__version__}"
        source = json.loads(told)
    except PackageNotFoundError:
        source = {"url": _TEMPLATES.resolve().parents[2].as_uri()}
    if "vcs_info" in source:
        address, commit = source["url"], source["vcs_info"]["commit_id"]
    else:
        clone = url2pathname(urlsplit(source["url"]).path)
        address, commit = _git(clone, "remote", "get-url", "origin"), _git(clone, "rev-parse", "HEAD")
    found = _REMOTE.fullmatch(address)
    repository = f"https://{found[1] or found[2]}/{found[3]}@{commit}" if found else UNKNOWN
    return f"forgeteval @ git+{repository}"


def _git(clone: str, *arguments: str) -> str:
    """What git says of a clone; empty where it says nothing."""
    try:
        done = subprocess.run(["git", "-C", clone, *arguments], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
