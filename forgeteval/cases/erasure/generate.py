"""The cases of the erasure audit by a seed, from written sentences."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import yaml

from forgeteval.cases.draw import Draw
from forgeteval.cases.erasure.case import ErasureCase
from forgeteval.errors import UserError
from forgeteval.files import read_file

FILE = "material.yaml"
_LETTERS, _DIGITS = "bcdfghjkmnpqrtvwxz", "2345679"
"""No vowel and no s, so that no word and no ending that a stemmer cuts off comes about."""
_GROUPS = 8
_SLOT = re.compile(r"\{(\w+)\}")

Material = Mapping[str, Any]


def read_material(folder: Path) -> Material:
    """The sentences of a folder, and the words that fill them.

    Raises:
        UserError: where its file cannot be read or lacks a part, naming it.
    """
    path = folder / FILE
    try:
        found: dict[str, Any] = yaml.safe_load(read_file(path).decode("utf-8"))
        for sentence in found["sentences"]:
            _check(sentence, found["words"])
        if len(found["sentences"]) < 2:
            raise ValueError("needs two sentences or more")
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); check `erasure.folder`") from error
    except (yaml.YAMLError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{path}: not the material of erasure cases ({' '.join(str(error).split())})") from error
    return found


def generate_cases(material: Material, seed: int, count: int) -> list[ErasureCase]:
    """The first `count` cases of a seed; each is the same however many there are."""
    return [_case(material, seed, number) for number in range(count)]


def case_id(number: int) -> str:
    """The name of a case, whatever its seed, by its place in the order."""
    return f"erasure-{number + 1:02}"


def case_rows(cases: Iterable[ErasureCase]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.ERASURE_CASES`."""
    return [{**asdict(case), "neighbours": list(case.neighbours)} for case in cases]


def cases_from_rows(rows: Iterable[Mapping[str, Any]]) -> list[ErasureCase]:
    """The reverse of `case_rows`."""
    return [ErasureCase(**{**row, "neighbours": tuple(row["neighbours"])}) for row in rows]


def _case(material: Material, seed: int, number: int) -> ErasureCase:
    draw = Draw(f"erasure/{seed}/{number}")
    target, bystander = draw.several(material["sentences"], 2)
    markers = [_marker(draw) for _ in range(3)]
    words = {name: draw.several(pool, 2) for name, pool in material["words"].items()}
    ours, others = ({name: pair[which] for name, pair in words.items()} for which in range(2))
    return ErasureCase(
        case_id(number),
        _filled(target["told"], ours, markers[0]),
        markers[0],
        _filled(target["asked"], ours),
        _filled(bystander["told"], others, markers[1]),
        markers[1],
        _filled(bystander["asked"], others),
        (_filled(target["told"], ours, markers[2]), _filled(target["other"], ours)),
    )


def _marker(draw: Draw) -> str:
    """Twenty-four random signs, two letters and a digit by turns: each half of it has 44 bits."""
    return "".join(_one(draw, _LETTERS) + _one(draw, _LETTERS) + _one(draw, _DIGITS) for _ in range(_GROUPS))


def _one(draw: Draw, pool: str) -> str:
    return pool[draw.below(len(pool))]


def _filled(template: str, words: Mapping[str, str], marker: str = "") -> str:
    return _SLOT.sub(lambda slot: {**words, "marker": marker}[slot[1]], template)


def _check(sentence: Mapping[str, str], words: Mapping[str, Sequence[str]]) -> None:
    for name in ("told", "asked", "other"):
        slots = set(_SLOT.findall(sentence[name]))
        if ("marker" in slots) != (name == "told"):
            raise ValueError(f"{sentence[name]}: {{marker}} belongs into `told`, and only there")
        if unknown := slots - words.keys() - {"marker"}:
            raise ValueError(f"{sentence[name]}: unknown words {', '.join(sorted(unknown))}")
