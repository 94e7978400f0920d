"""The data sets by name: reading them, and the stamp that tells when their files changed."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from forgeteval.cases.history import History
from lethe.crosseval.records import operation_rows, question_rows, size_rows
from lethe.crosseval.released import RELEASED
from lethe.fingerprints import sha256_of, value_fingerprint
from lethe.parquet import Rows
from lethe.schemas import CROSSEVAL_OPERATIONS, CROSSEVAL_QUESTIONS, CROSSEVAL_SIZES

CHOSEN_MODULES = (
    "lethe.crosseval.memora",
    "lethe.crosseval.factcons",
    "lethe.crosseval.longmemeval",
    "lethe.crosseval.locomo",
)


def load_histories(benchmark: str, options: Mapping[str, Any]) -> list[History]:
    """The histories of a benchmark.

    Args:
        options: see `lethe.crosseval.selection.reading_options`.

    Raises:
        UserError: where the files are not in the released format, or leave nothing to do or to ask.
    """
    from lethe.crosseval.reading_files import check_histories

    path = Path(options["path"])
    histories = _histories(benchmark, path, options)
    check_histories(path, histories)
    return histories


def dataset_rows(benchmark: str, options: Mapping[str, Any]) -> Rows:
    """What the workflow keeps of a benchmark; `options` and errors as of `load_histories`."""
    histories = load_histories(benchmark, options)
    counts = sources(benchmark, histories, options)
    released = data_sha256(Path(options["path"])) == RELEASED[benchmark].sha256
    return {
        "operations": (CROSSEVAL_OPERATIONS, operation_rows(benchmark, histories)),
        "questions": (CROSSEVAL_QUESTIONS, question_rows(benchmark, histories)),
        "sizes": (CROSSEVAL_SIZES, size_rows(benchmark, histories, counts, released)),
    }


def _histories(benchmark: str, path: Path, options: Mapping[str, Any]) -> list[History]:
    if benchmark == "memora":
        from lethe.crosseval.memora import load_memora

        return load_memora(path, options["evidence"])
    if benchmark == "factcons":
        from lethe.crosseval.factcons import load_factcons

        return load_factcons(path, options["lengths"])
    if benchmark == "locomo":
        from lethe.crosseval.locomo import load_locomo

        return load_locomo(path, options["conversations"])
    from lethe.crosseval.longmemeval import load_longmemeval

    return load_longmemeval(path)


def sources(benchmark: str, histories: Iterable[History], options: Mapping[str, Any]) -> dict[str, int]:
    """How many sessions or facts the data set has for each history; `options` as for `load_histories`."""
    if benchmark == "memora":
        from lethe.crosseval.memora import count_sessions

        return count_sessions(Path(options["path"]))
    return {history.name: len(history.operations) for history in histories}


def data_files(path: Path) -> list[Path]:
    """The file, or every file below a folder that is not hidden, by name; nothing where there is none."""
    if path.is_dir():
        return sorted(file for file in path.rglob("*") if file.is_file() and not file.name.startswith("."))
    return [path] if path.is_file() else []


def data_sha256(path: Path) -> str:
    """SHA-256 of a file's bytes; of a folder, of the lines `SHA-256  path below it` in the order of the paths."""
    if not path.is_dir():
        return sha256_of(path)
    lines = (f"{sha256_of(file)}  {file.relative_to(path).as_posix()}\n" for file in data_files(path))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def missing_data(benchmark: str, path: Path) -> Path | None:
    """The first file that a benchmark lacks, or its folder where that is empty; None where it is all there."""
    if benchmark != "memora":
        return None if path.is_file() else path
    from lethe.crosseval.memora import persona_folders

    personas = persona_folders(path) if path.is_dir() else []
    needed = (
        file
        for persona in personas
        for file in (persona / "conversations", persona / f"evaluation_questions_{persona.name}.json")
    )
    return next((file for file in needed if not data_files(file)), None if personas else path)


def data_stamp(path: Path) -> str:
    """A fingerprint of the files' names, sizes and times; it reads no content."""
    found = ((file, file.stat()) for file in data_files(path))
    return value_fingerprint([[file.as_posix(), status.st_size, status.st_mtime_ns] for file, status in found])
