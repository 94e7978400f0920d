"""Dataclasses from the JSON that `dataclasses.asdict` makes of them."""

import functools
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from types import UnionType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")
_hints: Callable[[Any], dict[str, Any]] = functools.cache(get_type_hints)


def from_json(kind: type[T], fields: Mapping[str, Any]) -> T:
    """The record of a dataclass, with the dataclasses, lists and tuples in it; of a union, the one with those fields.

    Raises:
        KeyError, TypeError: where the fields are not those of the dataclass.
    """
    hints = _hints(kind)
    return kind(**{name: _value(hints[name], value) for name, value in fields.items()})


def _value(hint: Any, value: Any) -> Any:
    for option in get_args(hint) if isinstance(hint, UnionType) else (hint,):
        sequence = get_origin(option)
        if isinstance(value, list) and sequence in (list, tuple):
            return sequence(_value(get_args(option)[0], item) for item in value)
        if isinstance(value, dict) and is_dataclass(option) and _hints(option).keys() == value.keys():
            return from_json(cast(type[Any], option), value)
    return value
