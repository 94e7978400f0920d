"""Which files of the package each job really loads, found by loading them: what the fingerprints are tested against.

    cd PROJECT; PYTHONPATH=PROJECT python tests/support/imported_files.py < JOBS > FILES

JOBS is a JSON list of [script, module, ...]: a script of workflow_scripts, and the modules that its configuration
chooses. FILES is a JSON list of as many lists of paths. In a process of its own, each script runs until it asks for
`snakemake`, which comes after its imports; then every import within a function of a loaded module is carried out, and
every module imported whose name stands in a loaded module as a text, or that is in a package of its `FOUND_MODULES`.
"""

import dis
import functools
import importlib
import json
import multiprocessing
import runpy
import sys
from pathlib import Path
from types import CodeType

PROJECT = Path.cwd()
PACKAGES = ("forgeteval", "lethe")
# Loaded once, before the processes are forked.
HEAVY = ("pandas", "pyarrow.parquet", "matplotlib.pyplot", "scipy.stats", "openai", "uvicorn", "starlette.applications")


def main() -> None:
    jobs = json.load(sys.stdin)
    for name in HEAVY:
        importlib.import_module(name)
    for file in modules_of_project():
        read(file)
    with multiprocessing.get_context("fork").Pool(2, maxtasksperchild=1) as pool:
        json.dump(pool.map(files_of, jobs, chunksize=1), sys.stdout)


def files_of(job: list[str]) -> list[str]:
    script, *chosen = job
    try:
        runpy.run_path(f"workflow_scripts/{script}")
    except NameError as error:
        assert error.name == "snakemake", error
    for name in chosen:
        importlib.import_module(name)
    seen: set[str] = set()
    while new := loaded() - seen:
        seen |= new
        for module in new:
            import_what_it_may(module, chosen)
    files = {PROJECT / "workflow_scripts" / script}
    for name in seen:
        file = Path(str(sys.modules[name].__file__))
        files |= {file, *data_beside(file)}
    return sorted(str(file.relative_to(PROJECT)) for file in files)


def modules_of_project() -> list[Path]:
    return [path for package in PACKAGES for path in PROJECT.glob(f"{package}/**/*.py")]


def loaded() -> set[str]:
    return {name for name in list(sys.modules) if name.partition(".")[0] in PACKAGES}


def import_what_it_may(module: str, chosen: list[str]) -> None:
    left_out = getattr(sys.modules[module], "CHOSEN_MODULES", ())
    imports, texts = read(Path(str(sys.modules[module].__file__)))
    found = getattr(sys.modules[module], "FOUND_MODULES", ())
    named = {name for name in module_names() if name.rpartition(".")[0] in found}
    for name in imports | named | (texts & module_names()):
        if not within(name, left_out) or within(name, chosen):
            importlib.import_module(name)


def within(name: str, modules: "tuple[str, ...] | list[str]") -> bool:
    return any(f"{name}.".startswith(f"{module}.") for module in modules)


@functools.cache
def module_names() -> frozenset[str]:
    files = [path.relative_to(PROJECT).with_suffix("") for path in modules_of_project()]
    return frozenset(".".join(file.parts).removesuffix(".__init__") for file in files)


@functools.cache
def read(file: Path) -> tuple[set[str], set[str]]:
    """The modules of the package that functions of a module import, and every text in its code."""
    imports, texts = set[str](), set[str]()
    codes = [compile(file.read_bytes(), str(file), "exec")]
    for code in codes:
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                codes.append(constant)
            found = constant if isinstance(constant, tuple) else [constant]
            texts |= {text for text in found if isinstance(text, str)}
        if code is not codes[0]:
            imports |= imported_by(code)
    return imports & module_names(), texts


def imported_by(code: CodeType) -> set[str]:
    imports, constant = set[str](), None
    for step in dis.get_instructions(code):
        if step.opname == "LOAD_CONST":
            constant = step.argval
        elif step.opname == "IMPORT_NAME":
            names = constant if isinstance(constant, tuple) else ()
            imports |= {step.argval, *(f"{step.argval}.{name}" for name in names)}
    return imports


def data_beside(file: Path) -> set[Path]:
    """Files and folders beside a module whose names stand in it as texts, other than modules and packages."""
    entries = [path for path in file.parent.iterdir() if path.name in read(file)[1] and path.name != "__pycache__"]
    files = {path for path in entries if path.is_file() and path.suffix != ".py"}
    folders = [path for path in entries if path.is_dir() and not any(path.rglob("*.py"))]
    return files.union(*(filter(Path.is_file, folder.rglob("*")) for folder in folders))


if __name__ == "__main__":
    main()
