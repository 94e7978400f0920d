"""Filters of values as conditions in SQL: what a key must be, or be compared with."""

import itertools
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from lethe.store.arguments import check_encodable

Condition = tuple[str, tuple[Any, ...]]
"""A condition in SQL with its bindings."""
_KEY = re.compile(r"[\w.-]+")
_SIGNS = {"$eq": "=", "$ne": "!=", "$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}
_CONSTANTS = {None: "null", True: "true", False: "false"}
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
_LOGIC = ("$and", "$or", "$not")
_DEEPEST = 1000
"""Levels of JSON that SQLite reads; Python from 3.12 on writes more."""


def json_text(value: Any) -> str:
    """A value as JSON, the same for equal values; `ValueError` for what JSON has not."""
    try:
        text = _ENCODER.encode(value)
        if text.count("{") + text.count("[") > _DEEPEST and _depth(text) > _DEEPEST:
            raise ValueError(f"it is nested more than {_DEEPEST} levels deep")
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"a value must be made of what JSON has: {error}") from error
    check_encodable("a value", text)
    return text


def _depth(text: str) -> int:
    """How many lists and objects of a text of JSON stand in each other at most."""
    marks = re.sub(r'"(?:[^"\\]|\\.)*"', "", text)
    return max(itertools.accumulate((mark in "[{") - (mark in "]}") for mark in marks))


def conditions(column: str, root: str, given: Mapping[str, Any]) -> list[Condition]:
    """The conditions of a filter on the JSON in a column, below the path `root`; `ValueError` for what is not a filter.

    A key's value equals the one that is given, or is compared with it by $eq, $ne, $gt, $gte, $lt, $lte, $in and $nin,
    or is a list or a text that $contains it. A dot in a key, or an object without operators, leads into the object that
    stands there. What is missing is null. $and and $or take a list of filters, $not one.
    """
    try:
        return list(_conditions(column, root, given))
    except RecursionError as error:
        raise ValueError("a filter is nested too deep; ask in parts") from error


def joined(between: str, parts: Sequence[Condition]) -> Condition:
    """Conditions, of which there is one at least, joined by AND or OR: in halves, since SQLite bounds their depth."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    (first, given), (second, more) = joined(between, parts[:middle]), joined(between, parts[middle:])
    return f"({first}) {between} ({second})", given + more


def _conditions(column: str, root: str, given: Mapping[str, Any]) -> Iterator[Condition]:
    for key, asked in given.items():
        if key in _LOGIC:
            yield _combined(column, root, key, asked)
            continue
        if not isinstance(key, str) or not _KEY.fullmatch(key):
            raise ValueError(
                f"Invalid filter key: {key!r:.80}; it may have letters, digits, dots, hyphens, underscores"
            )
        path = root + "".join(f'."{label}"' for label in key.split("."))
        if not isinstance(asked, Mapping):
            yield _compared(column, path, "$eq", asked)
        elif any(str(name).startswith("$") and name not in _LOGIC for name in asked):
            for operator, operand in asked.items():
                yield _compared(column, path, operator, operand)
        else:
            yield from _conditions(column, path, asked)


def _combined(column: str, root: str, operator: str, asked: Any) -> Condition:
    parts = [asked] if operator == "$not" else asked
    if not isinstance(parts, list | tuple) or not all(isinstance(each, Mapping) for each in parts):
        needed = "a filter" if operator == "$not" else "a list of filters"
        raise ValueError(f"{operator} needs {needed}, not {asked!r:.80}")
    told = []
    for each in parts:
        met, bindings = joined("AND", [*_conditions(column, root, each)] or [("true", ())])
        told.append((f"coalesce({met}, false)", bindings))
    if operator == "$not":
        [(met, bindings)] = told
        return f"NOT {met}", bindings
    between, of_none = ("OR", "false") if operator == "$or" else ("AND", "true")
    met, bindings = joined(between, told or [(of_none, ())])
    return f"({met})", bindings


def _compared(column: str, path: str, operator: str, operand: Any) -> Condition:
    if operator in ("$in", "$nin"):
        return _among(column, path, operator, operand)
    if operator == "$contains":
        return _held(column, path, operand)
    if operator not in _SIGNS:
        known = ", ".join([*_SIGNS, "$in", "$nin", "$contains", *_LOGIC])
        raise ValueError(f"Unsupported operator: {operator!r:.80}; there are {known}")
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
    """The kinds of JSON that something is compared with, and what it is bound as; an integer as one, and exactly."""
    if isinstance(operand, str):
        check_encodable("a filter", operand)
        return "'text'", operand
    if isinstance(operand, int | float) and not isinstance(operand, bool):
        if isinstance(operand, int) and not -(1 << 63) <= operand < 1 << 63:
            raise ValueError("an integer of a filter has at most 64 bits; a longer number is kept and asked as a text")
        return "'integer', 'real'", operand
    return "'array', 'object'", json_text(operand)


def _held(column: str, path: str, operand: Any) -> Condition:
    """That a list holds something, or a text another."""
    kinds, bound = _bound(operand)
    within = f"SELECT 1 FROM json_each({column}, ?) AS each WHERE each.value = ? AND each.type IN ({kinds})"
    listed = f"json_type({column}, ?) = 'array' AND EXISTS ({within})"
    if not isinstance(operand, str):
        return f"({listed})", (path, path, bound)
    said = f"json_type({column}, ?) = 'text' AND instr(json_extract({column}, ?), ?) > 0"
    return f"({listed} OR {said})", (path, path, bound, path, path, operand)


def _among(column: str, path: str, operator: str, operand: Any) -> Condition:
    if isinstance(operand, str) or not isinstance(operand, Collection):
        raise ValueError(f"{operator} needs a list, not {operand!r:.80}")
    named: list[str] = []
    of_kinds: dict[str, list[str | float]] = {}
    for each in operand:
        if each is None or isinstance(each, bool):
            named.append(_CONSTANTS[each])
            continue
        kinds, bound = _bound(each)
        of_kinds.setdefault(kinds, []).append(bound)
    within = "IN (SELECT value FROM json_each(?))"
    parts: list[Condition] = [(f"coalesce(json_type({column}, ?), 'null') {within}", (path, json.dumps(named)))]
    for kinds, given in of_kinds.items():
        told = f"json_extract({column}, ?) {within} AND json_type({column}, ?) IN ({kinds})"
        parts.append((told, (path, json.dumps(given, ensure_ascii=False), path)))
    among, bindings = joined("OR", parts)
    return (f"({among})" if operator == "$in" else f"NOT coalesce({among}, false)"), bindings
