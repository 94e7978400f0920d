"""The written material of the long histories: what is told of whom, how it is changed, and how it is asked for."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import yaml

from forgeteval.cases.draw import Draw
from forgeteval.errors import UserError
from forgeteval.files import read_file

FILE = "material.yaml"
_SLOT = re.compile(r"\{(\w+)\}")
_TRIES = 10_000


@dataclass(frozen=True, slots=True)
class Attribute:
    """Something that is told of each of a kind and may change; templates have `{who}`, and `{value}` where it is told.

    Attributes:
        of: the kind of those that have it.
        value: the pool of its values.
        said, changed, again: how it is told first, when it changes, and when an earlier value comes back.
        named: how a request names it.
        asked, other, before: how it is asked for, in other words, and what it was before.
    """

    name: str
    of: str
    value: str
    said: Sequence[str]
    changed: Sequence[str]
    again: Sequence[str]
    named: Sequence[str]
    asked: Sequence[str]
    other: Sequence[str]
    before: Sequence[str]


@dataclass(frozen=True, slots=True)
class Incident:
    """Something that happened once to one of a kind: the pool of its value, and how it is told."""

    value: str
    said: str


@dataclass(frozen=True, slots=True)
class Material:
    """What histories are made of.

    Attributes:
        kinds: kind of those that memories are about, to how they are named and their share.
        attributes, incidents: of each kind.
        requests: mutation to the wordings of its request, with `{named}` or `{who}`.
        patterns: pool of values to the pattern of one; `{word}` is one of `words`, and # a digit.
    """

    kinds: Mapping[str, tuple[str, float]]
    attributes: Mapping[str, Sequence[Attribute]]
    incidents: Mapping[str, Sequence[Incident]]
    requests: Mapping[str, Sequence[str]]
    patterns: Mapping[str, str]
    words: Mapping[str, Sequence[str]]


def read_material(folder: Path) -> Material:
    """The material of a folder.

    Raises:
        UserError: where its file cannot be read or lacks a part, naming it.
    """
    path = folder / FILE
    try:
        found: Any = yaml.safe_load(read_file(path).decode("utf-8"))
        kinds = {name: (entry["named"], float(entry["share"])) for name, entry in found["kinds"].items()}
        attributes = [Attribute(name, **entry) for name, entry in found["attributes"].items()]
        incidents = {kind: [Incident(**entry) for entry in found["events"][kind]] for kind in kinds}
        material = Material(
            kinds,
            {kind: [attribute for attribute in attributes if attribute.of == kind] for kind in kinds},
            incidents,
            found["requests"],
            found["values"],
            found["words"],
        )
        _check(material)
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); check `long.folder`") from error
    except (yaml.YAMLError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{path}: not the material of long histories ({' '.join(str(error).split())})") from error
    return material


class Values:
    """Values of one history, each given once: no memory is taken for another by its value.

    Raises:
        UserError: from `draw`, where a pool has too few.
    """

    def __init__(self, material: Material, draw: Draw) -> None:
        self._material, self._draw = material, draw
        self._given: set[str] = set()

    def draw(self, pattern: str) -> str:
        """A value by a pattern that was not given before."""
        for _ in range(_TRIES):
            value = _SLOT.sub(lambda found: self.one(self._material.words[found[1]]), pattern)
            value = re.sub("#", lambda _: str(self._draw.below(10)), value)
            if value not in self._given:
                self._given.add(value)
                return value
        raise UserError(f"long: {pattern!r} has too few values for one history; add words to {FILE}")

    def one(self, pool: Sequence[str]) -> str:
        """A member of a pool."""
        return pool[self._draw.below(len(pool))]


def _check(material: Material) -> None:
    for attributes in material.attributes.values():
        for attribute in attributes:
            _check_attribute(attribute, material)
    for incidents in material.incidents.values():
        for incident in incidents:
            _require(incident.said, {"who", "value"}, f"events: {incident.said}")
            _known(incident.value, material.patterns)
    named = [pattern for pattern, _ in material.kinds.values()]
    for pattern in (*material.patterns.values(), *named):
        for word in _SLOT.findall(pattern):
            _known(word, material.words)


def _check_attribute(attribute: Attribute, material: Material) -> None:
    _known(attribute.of, material.kinds)
    _known(attribute.value, material.patterns)
    for field in fields(attribute):
        templates = getattr(attribute, field.name)
        if isinstance(templates, str):
            continue
        wanted = {"who", "value"} if field.name in ("said", "changed", "again") else {"who"}
        for template in templates:
            _require(template, wanted, f"attributes.{attribute.name}.{field.name}: {template}")


def _require(template: str, slots: set[str], where: str) -> None:
    if set(_SLOT.findall(template)) != slots:
        raise ValueError(f"{where}: needs the slots {', '.join(sorted(slots))}")


def _known(name: str, known: Mapping[str, Any]) -> None:
    if name not in known:
        raise ValueError(f"unknown name {name!r}; known: {', '.join(known)}")
