"""Filters of values as conditions in SQL: what a key must be, or be compared with."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

Condition = tuple[str, tuple[Any, ...]]
"""A condition in SQL with its bindings."""
_KEY = re.compile(r"[\w.-]+")
_SIGNS = {"$eq": "=", "$ne": "!=", "$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}
_CONSTANTS = {None: "null", True: "true", False: "false"}


def json_text(value: Any) -> str:
    """A value as JSON, the same for equal values; `ValueError` for what JSON has not."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise ValueError(f"a value must be made of what JSON has: {error}") from error


def conditions(column: str, root: str, given: Mapping[str, Any]) -> Iterator[Condition]:
    """The conditions of a filter on the JSON in a column, below the path `root`; `ValueError` for what is no filter.

    A key's value equals the one that is given, or is compared with it by $eq, $ne, $gt, $gte, $lt, $lte, $in and $nin.
    A dot in a key, or an object without operators, leads into the object that stands there. What is missing is null.
    """
    for key, asked in given.items():
        if not isinstance(key, str) or not _KEY.fullmatch(key):
            raise ValueError(
                f"Invalid filter key: {key!r:.80}; it may have letters, digits, dots, hyphens, underscores"
            )
        path = root + "".join(f'."{label}"' for label in key.split("."))
        if not isinstance(asked, Mapping):
            yield _compared(column, path, "$eq", asked)
        elif any(str(name).startswith("$") for name in asked):
            for operator, operand in asked.items():
                yield _compared(column, path, operator, operand)
        else:
            yield from conditions(column, path, asked)


def _compared(column: str, path: str, operator: str, operand: Any) -> Condition:
    if operator in ("$in", "$nin"):
        return _among(column, path, operator, operand)
    if operator not in _SIGNS:
        raise ValueError(f"Unsupported operator: {operator!r:.80}; there are {', '.join([*_SIGNS, '$in', '$nin'])}")
    if operator == "$ne":
        condition, bindings = _compared(column, path, "$eq", operand)
        return f"NOT coalesce({condition}, false)", bindings
    if operand is None or isinstance(operand, bool):
        if operator != "$eq":
            raise ValueError(f"{operator} compares numbers, strings, lists and objects, not {operand!r}")
        return f"coalesce(json_type({column}, ?), 'null') = ?", (path, _CONSTANTS[operand])
    kinds, bound = _bound(operand)
    told = f"json_extract({column}, ?) {_SIGNS[operator]} ? AND json_type({column}, ?) IN ({kinds})"
    return f"({told})", (path, bound, path)


def _bound(operand: Any) -> tuple[str, str | float]:
    """The kinds of JSON that something is compared with, and what it is bound as."""
    if isinstance(operand, str):
        return "'text'", operand
    if isinstance(operand, int | float):
        return "'integer', 'real'", float(operand)
    return "'array', 'object'", json_text(operand)


def _among(column: str, path: str, operator: str, operand: Any) -> Condition:
    if isinstance(operand, str) or not isinstance(operand, Collection):
        raise ValueError(f"{operator} needs a list, not {operand!r:.80}")
    parts = [_compared(column, path, "$eq", each) for each in operand]
    among = " OR ".join(condition for condition, _ in parts) or "false"
    bindings = tuple(binding for _, given in parts for binding in given)
    return (f"({among})" if operator == "$in" else f"NOT coalesce({among}, false)"), bindings
