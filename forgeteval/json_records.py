"""Dataclasses from the JSON that `dataclasses.asdict` makes of them."""

import functools
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Never, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from forgeteval.errors import UserError
from forgeteval.files import read_file
from forgeteval.limits import DEEPEST

T = TypeVar("T")
_PLAIN: dict[Any, tuple[type, ...]] = {
    str: (str,),
    int: (int,),
    float: (float, int),
    bool: (bool,),
    NoneType: (NoneType,),
}
_SEQUENCES, _MAPPINGS = (list, tuple, Sequence), (dict, Mapping)
_UNIONS = (UnionType, Union)
"""`int | None` is of the first kind, a Literal or None of the second."""
_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
_hints: Callable[[Any], dict[str, Any]] = functools.cache(get_type_hints)


def from_json(kind: type[T], fields: Mapping[str, Any]) -> T:
    """The record of a dataclass, with the dataclasses, lists, tuples and mappings in it; of a union, the record with
    those fields.

    Raises:
        KeyError, TypeError: where the fields are not those of the dataclass.
    """
    hints = _hints(kind)
    return kind(**{name: _value(hints[name], value) for name, value in _mapping(fields).items()})


def fields_of(record: Any) -> dict[str, Any]:
    """The fields of a dataclass by their names: the `default` of `json.dumps`, which reaches those within by itself.

    Raises:
        TypeError: for anything else.
    """
    names = getattr(type(record), "__dataclass_fields__", None)
    if names is None:
        raise TypeError(f"{type(record).__name__} has no JSON form")
    return {name: getattr(record, name) for name in names}


def unique_keys(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these pairs, for `object_pairs_hook` of `json.loads`; a repeated key is a ValueError."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f"the key {twice!r:.80} is given twice")
    return fields


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text from outside.

    Raises:
        ValueError: where it is not JSON (NaN and infinity are none), gives a key twice, or is deeper than `DEEPEST`.
        RecursionError: where it is deeper than Python's own reader goes.
    """
    value = json.loads(text, object_pairs_hook=unique_keys, parse_constant=_no_number, parse_float=_finite)
    check_depth(value)
    return value


def parse_storable(content: bytes) -> Any:
    """The value of a JSON text in UTF-8 that can be written as UTF-8 again, as an unpaired surrogate escape cannot.

    Raises:
        ValueError, RecursionError: as of `parse_json`; a ValueError also for a lone surrogate.
    """
    value = parse_json(content.decode("utf-8"))
    if _SURROGATE_ESCAPE.search(content):
        try:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError as error:
            lone = error.object[error.start]
            raise ValueError(f"a lone surrogate, {lone!a}, which UTF-8 cannot encode") from error
    return value


def check_depth(value: Any) -> None:
    """Raise ValueError where lists and mappings stand more than `DEEPEST` deep in each other."""
    level = _containers([value])
    for _ in range(DEEPEST):
        if not level:
            return
        level = _containers(inner for each in level for inner in (each.values() if isinstance(each, dict) else each))
    if level:
        raise ValueError(f"more than {DEEPEST} lists and objects in each other")


def read_object(path: Path, remedy: str = "") -> dict[str, Any]:
    """The object of a JSON file.

    Args:
        remedy: what is to be done where there is no such file that somebody named, for the message; without it, the
            file is one of a folder that the reader knows, and named by its name alone.

    Raises:
        UserError: where the file cannot be read, is not JSON, gives a key twice, or holds anything but an object.
    """
    named = path if remedy else path.name or path
    try:
        data = parse_json(read_file(path).decode("utf-8-sig"))
    except FileNotFoundError as error:
        raise UserError(f"{path}: no such file{remedy and '; '}{remedy}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"{named}: cannot be read as JSON ({error})") from error
    if not isinstance(data, dict):
        raise UserError(f"{named}: not a JSON object")
    return data


def _containers(values: Iterable[Any]) -> list[Any]:
    return [value for value in values if isinstance(value, dict | list)]


def _no_number(name: str) -> Never:
    raise ValueError(f"{name} is not a JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else _no_number(f"{digits:.20}")


def _value(hint: Any, value: Any) -> Any:
    if get_origin(hint) in _UNIONS:
        hint = next((option for option in get_args(hint) if _may_be(option, value)), Never)
    if not _may_be(hint, value):
        raise TypeError(f"{value!r:.100} is not of the type {hint}")
    kind, arguments = get_origin(hint), get_args(hint)
    if is_dataclass(hint):
        return from_json(cast(type[Any], hint), value)
    if isinstance(value, list | tuple) and kind in _SEQUENCES:
        each = arguments if kind is tuple and arguments[-1] is not ... else arguments[:1] * len(value)
        if len(each) != len(value):
            raise TypeError(f"{value!r:.100} has not as many items as {hint}")
        return (list if kind is Sequence else kind)(
            _value(item_kind, item) for item_kind, item in zip(each, value, strict=False)
        )
    if kind in _MAPPINGS:
        return {key: _value(arguments[1], item) for key, item in _mapping(value).items()}
    return value


def _may_be(hint: Any, value: Any) -> bool:
    """Whether a value may be of this type, or is meant by this part of a union."""
    if hint in _PLAIN:
        return isinstance(value, _PLAIN[hint]) and (hint is bool or not isinstance(value, bool))
    kind = get_origin(hint)
    if kind is Literal:
        return value in get_args(hint)
    if isinstance(value, Mapping):
        return hint is Any or kind in _MAPPINGS or (is_dataclass(hint) and _hints(hint).keys() >= value.keys())
    return hint is Any or (kind in _SEQUENCES and isinstance(value, list | tuple))


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError(f"{value!r:.100} is not a mapping")
    return value
