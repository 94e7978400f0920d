"""The released CSV files, read and checked."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from forgeteval.csv_cells import read_lines
from lethe.config.model import RELEASED_FILES

VERDICTS_FILE, MEMORA_FILE, LABELS_FILE = RELEASED_FILES
JUDGES = {"claude-opus-4.7": "claude", "qwen-2.5-72b": "qwen", "deepseek-v3": "deepseek"}
"""The paper's judges, by the names in config/published.csv, to their columns in the release."""
_COUNTS = ("n_must", "n_must_hit", "n_must_not", "n_must_not_hit")


def read_verdicts(folder: Path) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.RELEASED_VERDICTS`: each case of each published run.

    Raises:
        UserError: naming file and line, as for the other readers.
    """

    def row(fields: Mapping[str, str]) -> dict[str, Any]:
        names = ("suite", "system", "model", "scorer", "release", "case_id", "source", "note")
        return {**{name: fields[name] for name in names}, "verdict": _verdict(fields, ("pass", "fail", "na"))}

    return list(_rows(folder / VERDICTS_FILE, row))


def read_memora(folder: Path) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.RELEASED_MEMORA`: each question of Memora for each of three systems."""

    def row(fields: Mapping[str, str]) -> dict[str, Any]:
        names = ("system", "persona", "task", "question_id")
        counts = {name.removeprefix("n_"): int(fields[name]) for name in _COUNTS}
        return {**{name: fields[name] for name in names}, **counts, "verdict": _verdict(fields, ("pass", "fail"))}

    return list(_rows(folder / MEMORA_FILE, row))


def read_labels(folder: Path) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.RELEASED_LABELS`: the annotators' and the judges' labels of each sampled case."""

    def row(fields: Mapping[str, str]) -> dict[str, Any]:
        judges = {name: {"true": True, "false": False}[fields[name]] for name in JUDGES.values()}
        counts = {"well_formed": int(fields["n_wf"]), "ill_formed": int(fields["n_ill"])}
        return {"case_id": fields["case_id"], **counts, **judges}

    return list(_rows(folder / LABELS_FILE, row))


def _verdict(fields: Mapping[str, str], known: tuple[str, ...]) -> str:
    if fields["verdict"] not in known:
        raise ValueError(f"verdict {fields['verdict']!r} is none of {', '.join(known)}")
    return fields["verdict"]


def _rows(path: Path, row: Callable[[Mapping[str, str]], dict[str, Any]]) -> Iterator[dict[str, Any]]:
    return read_lines(path, row, "the release", "check release.path")
