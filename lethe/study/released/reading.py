"""The released CSV files, read and checked."""

import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from forgeteval.csv_cells import read_lines
from forgeteval.errors import UserError
from lethe import schemas
from lethe.config.model import RELEASED_FILES
from lethe.fingerprints import sha256_of
from lethe.parquet import Rows

(
    VERDICTS_FILE,
    MEMORA_FILE,
    LABELS_FILE,
    ORIGINS_FILE,
    REJECTIONS_FILE,
    SUMMARIES_FILE,
    VARIANCE_FILE,
) = RELEASED_FILES
SHA256 = {
    VERDICTS_FILE: "9221bfce4f59118aa94fc288ae27b95ef4d185415c3848f979aef993d7fb236f",
    MEMORA_FILE: "79178d7fd0a13835c60c0f6e2c0594f972de15099a722a6e46c421afde198a40",
    LABELS_FILE: "ac9dbf08ea75b2e94a526c7cdd6ca79123d15fd44ff5aebda9ecb0cd9cb744e0",
    ORIGINS_FILE: "6d40a073c2b2f2504297ff71581851aa167bd6fd2a984befe84f553ea16ffacb",
    REJECTIONS_FILE: "4412f1294f5e18a8383cefa12b8539176aa9c2fba68de136c26dd63be068a76e",
    SUMMARIES_FILE: "b507d68b917e7374f1747ae2a84b7160a7a1ec73711f8e743c983590a2afd955",
    VARIANCE_FILE: "f433ead6fd59729c03fa18d6ccbd73fd933662591ce63a99e8f3158406e2fc28",
}
"""Of each file, as the paper's authors released it."""
CASES_SHA256 = "76427e5304c559c643dc3c5d750133020dde56532a60628ae620d895ffea8f11"
"""Of the 385 cases that they belong to; a suite of cases with another checksum is of another release."""
JUDGES = {"claude-opus-4.7": "claude", "qwen-2.5-72b": "qwen", "deepseek-v3": "deepseek"}
"""The paper's judges, by the names in config/published.csv, to their columns in the release."""
_COUNTED = {"n_must": "n_must_hit", "n_must_not": "n_must_not_hit"}
"""The columns of Memora's questions, to those that count some of the same."""
_MOST = 1_000_000
_MOST_LABELS = 1_000
"""Each label of a case becomes a row."""


def read_verdicts(folder: Path) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.RELEASED_VERDICTS`: each case of each published run.

    Raises:
        UserError: naming file and line, as for the other readers.
    """

    def row(fields: Mapping[str, str]) -> dict[str, Any]:
        names = ("suite", "system", "model", "scorer", "release", "case_id", "source", "note")
        return {**_texts(fields, names), "verdict": _verdict(fields, ("pass", "fail", "na"))}

    return list(_rows(folder / VERDICTS_FILE, row))


def read_memora(folder: Path) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.RELEASED_MEMORA`: each question of Memora for each of three systems."""

    def row(fields: Mapping[str, str]) -> dict[str, Any]:
        names = ("system", "persona", "task", "question_id")
        counts = {}
        for of, hit in _COUNTED.items():
            most = counts[of.removeprefix("n_")] = _count(fields, of)
            counts[hit.removeprefix("n_")] = _count(fields, hit, most=most)
        return {**_texts(fields, names), **counts, "verdict": _verdict(fields, ("pass", "fail"))}

    return list(_rows(folder / MEMORA_FILE, row))


def read_labels(folder: Path) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.RELEASED_LABELS`: the annotators' and the judges' labels of each sampled case."""

    def row(fields: Mapping[str, str]) -> dict[str, Any]:
        judges = {name: {"true": True, "false": False}[fields[name]] for name in JUDGES.values()}
        well_formed = _count(fields, "n_wf", most=_MOST_LABELS)
        ill_formed = _count(fields, "n_ill", least=0 if well_formed else 1, most=_MOST_LABELS)
        counts = {"well_formed": well_formed, "ill_formed": ill_formed}
        return {"case_id": fields["case_id"], **counts, **judges}

    return list(_rows(folder / LABELS_FILE, row))


def read_origins(folder: Path) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.RELEASED_ORIGINS`: where each of the 385 cases comes from."""
    names = ("case_id", "provenance", "family", "difficulty")
    return list(_rows(folder / ORIGINS_FILE, lambda fields: _texts(fields, names)))


def read_rejections(folder: Path) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.RELEASED_REJECTIONS`: the hand-crafted cases that the admission judge rejected."""

    def row(fields: Mapping[str, str]) -> dict[str, Any]:
        if not fields["failure_mode"]:
            raise ValueError("failure_mode is empty")
        return _texts(fields, ("case_id", "judge_verdict", "author_verdict", "tag", "failure_mode"))

    return list(_rows(folder / REJECTIONS_FILE, row))


def read_summaries(folder: Path) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.RELEASED_SUMMARIES`: passes by category, as the released files state them."""

    def row(fields: Mapping[str, str]) -> dict[str, Any]:
        names = ("system", "model", "suite", "category", "scorer", "release", "note")
        n = _count(fields, "n")
        return {
            "file": fields["table_or_file"],
            **_texts(fields, names),
            "passed": _count(fields, "passed", most=n),
            "n": n,
            "seconds_per_case": _seconds(fields["seconds_per_case"]),
            "per_case": {"yes": True, "no": False}[fields["per_case"]],
        }

    return [{"line": line, **found} for line, found in enumerate(_rows(folder / SUMMARIES_FILE, row), start=2)]


def read_variance(folder: Path) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.RELEASED_VARIANCE`: the cases on which repeats of one hooked run differ."""

    def row(fields: Mapping[str, str]) -> dict[str, Any]:
        runs = _count(fields, "runs", least=1)
        return {"case_id": fields["case_id"], "passes": _count(fields, "passes", most=runs), "runs": runs}

    return list(_rows(folder / VARIANCE_FILE, row))


Reader = Callable[[Path], list[dict[str, Any]]]
READERS: Mapping[str, tuple[str, schemas.Table, Reader]] = {
    "verdicts": (VERDICTS_FILE, schemas.RELEASED_VERDICTS, read_verdicts),
    "memora": (MEMORA_FILE, schemas.RELEASED_MEMORA, read_memora),
    "labels": (LABELS_FILE, schemas.RELEASED_LABELS, read_labels),
    "origins": (ORIGINS_FILE, schemas.RELEASED_ORIGINS, read_origins),
    "rejections": (REJECTIONS_FILE, schemas.RELEASED_REJECTIONS, read_rejections),
    "summaries": (SUMMARIES_FILE, schemas.RELEASED_SUMMARIES, read_summaries),
    "variance": (VARIANCE_FILE, schemas.RELEASED_VARIANCE, read_variance),
}
"""Each released file, the table that it becomes, and what reads it from the folder."""


def released_rows(folder: str, pinned: bool) -> Rows:
    """The rows of everything that was released.

    Args:
        pinned: it is what the paper's authors released, to the byte.

    Raises:
        UserError: where a file is not so, cannot be read, or holds no such lines.
    """
    for name, wanted in SHA256.items() if pinned else ():
        check_released(Path(folder) / name, wanted)
    return {name: (table, read(Path(folder))) for name, (_, table, read) in READERS.items()}


def check_released(path: Path, wanted: str) -> None:
    """Raise `UserError` where a released file has another checksum."""
    try:
        found = sha256_of(path)
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error}); check datasets/forgeteval") from error
    if found != wanted:
        raise UserError(
            f"{path}: sha256 is {found}, not the {wanted} of the paper's release: incomplete or changed; copy it from "
            "there again, or, for another release, give the sha256 of its cases in the suite"
        )


def _texts(fields: Mapping[str, str], names: tuple[str, ...]) -> dict[str, str]:
    return {name: fields[name] for name in names}


def _count(fields: Mapping[str, str], name: str, least: int = 0, most: int = _MOST) -> int:
    found = int(fields[name])
    if not least <= found <= most:
        raise ValueError(f"{name}: {fields[name]:.40} is not from {least} to {most}")
    return found


def _seconds(cell: str) -> float | None:
    found = float(cell) if cell else None
    if found is not None and not (math.isfinite(found) and found >= 0):
        raise ValueError(f"seconds_per_case: {cell:.40} is no time in seconds")
    return found


def _verdict(fields: Mapping[str, str], known: tuple[str, ...]) -> str:
    if fields["verdict"] not in known:
        raise ValueError(f"verdict {fields['verdict']!r} is none of {', '.join(known)}")
    return fields["verdict"]


def _rows(path: Path, row: Callable[[Mapping[str, str]], dict[str, Any]]) -> Iterator[dict[str, Any]]:
    return read_lines(path, row, "the release", "check datasets/forgeteval")
