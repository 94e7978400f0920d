"""`forgeteval atlas`: memories that promise to forget, run, recorded, and run again."""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from forgeteval.cli.printing import show
from forgeteval.errors import UserError
from forgeteval.files import read_file, write_text
from lethe.cli.standing import check_clone
from lethe.config.configurations import ATLAS

DATA_FILES = ("templates",)
atlas = typer.Typer(name="atlas", no_args_is_help=True, help="Memories that promise to forget: run, record, repeat.")
_TEMPLATES = Path(__file__).with_name(DATA_FILES[0])
_Names = Annotated[list[str], typer.Argument(help="folders below atlas/")]
_Root = Annotated[Path, typer.Option(help="folder of the Snakefile")]
_Cores = Annotated[int, typer.Option(min=1, help="jobs at once")]
_HERE = Path()
PAGES = Path("docs/atlas")
_RUN, _CHECK = Path("build/atlas/run"), Path("build/atlas/check")
_Keep = Annotated[
    bool, typer.Option("--keep", help="what differs varies between runs: the record names it from then on")
]


@atlas.command("list")
def list_systems(root: _Root = _HERE) -> None:
    """List the systems, with their version and the day of what is recorded."""
    from lethe.config.atlas import entry_folders, read_entry, read_record

    check_clone(root)
    for name, folder in entry_folders(root / ATLAS).items():
        entry, found = read_entry(folder), read_record(folder)
        show(f"{name}: {entry.package} {entry.version}, {f'recorded on {found.day}' if found else 'not recorded'}")


@atlas.command()
def run(names: _Names, root: _Root = _HERE, cores: _Cores = 2) -> None:
    """Run systems on the suites of the atlas, on long histories and in the erasure audit, and keep the results."""
    from lethe.config.atlas import WORKLOADS
    from lethe.trust.atlas import Asked, record

    for name, folder in _folders(names, root).items():
        config = _workflow(name, root, _RUN, cores)
        made = record(folder, root / _RUN, config)
        show(f"{name}: {', '.join(made.suites)} and {', '.join(WORKLOADS)}, recorded in {folder}")
        _write_page(folder, root, Asked.of(config))


@atlas.command()
def check(names: _Names, root: _Root = _HERE, cores: _Cores = 2, keep: _Keep = False) -> None:
    """Run systems again and compare each verdict with what is recorded; exit code 1 where one differs."""
    from lethe.trust.atlas import Asked, compare, note, recorded

    found = 0
    for name, folder in _folders(names, root).items():
        # After a run that was kept, the next one is another.
        output = _CHECK / str(recorded(folder).runs)
        config = _workflow(name, root, output, cores)
        compared = compare(folder, root / output, config)
        for key, words in compared.new.items():
            show(f"{name}: {key}: {words}")
        show(f"{name}: {_in_words(compared)}")
        if keep:
            note(folder, compared)
            _write_page(folder, root, Asked.of(config))
        found += 0 if keep else len(compared.new)
    if found:
        raise typer.Exit(1)


def _in_words(compared: Any) -> str:
    new, known = (f"{len(found)} of {compared.rows:,}" for found in (compared.new, compared.known))
    varied = f"{known} vary between runs, as recorded; " if compared.known else ""
    other = "other " if compared.known else ""
    return varied + (f"{new} differ" if compared.new else f"every {other}verdict is the one that is recorded")


@atlas.command()
def page(names: _Names, root: _Root = _HERE) -> None:
    """Write the page of each system again: after a change of its entry, since `run` writes it."""
    from lethe.config.reading import read_config
    from lethe.trust.atlas import Asked

    folders, asked = _folders(names, root), Asked.of(read_config(root, []))
    for folder in folders.values():
        _write_page(folder, root, asked)


@atlas.command()
def new(
    package: Annotated[str, typer.Argument(help="DISTRIBUTION==VERSION on the package index")], root: _Root = _HERE
) -> None:
    """Write the files of a system to fill in: entry, adapter and lock."""
    from lethe.config.atlas import PACKAGES_FILE
    from lethe.folders import remove_folder

    named = re.fullmatch(r"([A-Za-z0-9][A-Za-z0-9._-]*)==([A-Za-z0-9.+!]+)", package)
    if named is None:
        raise UserError(f"{package}: not DISTRIBUTION==VERSION; name the version that is to be measured")
    distribution, version = named.groups()
    # A module's name begins with no digit.
    name = re.sub(r"^(?=[0-9])", "m", re.sub(r"[^a-z0-9]+", "_", distribution.lower()))
    check_clone(root)
    folder = root / ATLAS / name
    if folder.exists():
        raise UserError(f"{folder}: is there already; remove it first")
    words = {
        "DISTRIBUTION": distribution,
        "VERSION": version,
        "CLASS": "".join(part.capitalize() for part in name.split("_")),
        "MODULE": name,
        "NAME": name,
    }
    for template, file in (("atlas_adapter.py.txt", "adapter.py"), ("atlas_entry.yaml.txt", "entry.yaml")):
        text = read_file(_TEMPLATES / template).decode()
        write_text(
            folder / file, re.sub(r"\b(DISTRIBUTION|VERSION|MODULE|NAME)\b|CLASS", lambda found: words[found[0]], text)
        )
    write_text(folder / "__init__.py", "")
    write_text(folder / PACKAGES_FILE, f"-r ../../envs/worker.in\n{package}\n")
    try:
        _lock(folder)
    except BaseException:
        # Half an entry would stop every command that reads the atlas.
        remove_folder(folder)
        raise
    show(f"{folder}: written; fill in adapter.py and entry.yaml, then: forgeteval atlas run {name}")


def _write_page(folder: Path, root: Path, asked: Any) -> None:
    from lethe.trust.atlas import page

    place = root / PAGES / f"{folder.name}.md"
    write_text(place, page(folder, asked))
    show(f"{place}: written")


def _lock(folder: Path) -> None:
    from lethe.config.atlas import PACKAGES_FILE
    from lethe.environments.build import uv_settings
    from lethe.environments.extras import run_or_say

    made, given = folder / "environment.lock", folder / PACKAGES_FILE
    # Wheels alone: what a package is would else be asked by running its build.
    options = ["--quiet", "--universal", "--python-version", "3.11", "--generate-hashes", "--no-emit-index-url"]
    options += ["--only-binary", ":all:"]
    command = [str(Path(sys.executable).parent / "uv"), "pip", "compile", *options, str(given), "-o", str(made)]
    run_or_say(command, given, env=uv_settings())


def _folders(names: Sequence[str], root: Path) -> dict[str, Path]:
    from lethe.config.atlas import entry_folders

    check_clone(root)
    known = entry_folders(root / ATLAS)
    for name in names:
        if name not in known:
            raise UserError(f"{name}: no system of the atlas; it has {', '.join(known)}")
    return {name: known[name] for name in names}


def _workflow(name: str, root: Path, output: Path, cores: int) -> Any:
    """Run a system by the workflow, below the folder `output`; the configuration that it ran by."""
    from lethe.config.atlas import SIZES, SUITES, WORKLOADS, read_entry
    from lethe.config.reading import read_config
    from lethe.schemas import CASES
    from lethe.trust.atlas import result_files

    file = output / f"{name}.yaml"
    entry = read_entry(root / ATLAS / name)
    run = {"suites": list(SUITES), "systems": list(entry.systems), "workloads": list(WORKLOADS)}
    write_text(root / file, yaml.safe_dump({"output_dir": str(output), "run": run, **SIZES}))
    config = read_config(root, [root / file])
    # The record names the cases of every suite, those that a system skips too.
    cases = [CASES.path.format(suite=suite) for suite in SUITES]
    targets = [str(output / path) for paths in (cases, *result_files(entry, config).values()) for path in paths]
    snakemake = [sys.executable, "-m", "snakemake", "--cores", str(cores), *targets, "--configfile", str(file)]
    done = subprocess.run(snakemake, cwd=root, check=False)
    if done.returncode:
        raise UserError(f"{name}: the workflow ended with exit code {done.returncode}; what it said stands above")
    return config
