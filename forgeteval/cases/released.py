"""The cases as the paper's authors released them; their Python source is parsed as data and never executed."""

import ast
import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from forgeteval.cases.case import Case
from forgeteval.errors import UserError
from forgeteval.files import read_file
from forgeteval.json_records import parse_storable

_RECORD = "GeneratedCase"
_CONNECTORS = frozenset(("aka", "a.k.a.", "/", "-", "and", "or", "vs", "vs.", "|"))


def read_released(files: Sequence[Path]) -> list[dict[str, Any]]:
    """Cases in the interchange form: those of the first file, changed by the patches in the others.

    Args:
        files: the Python source with a `GeneratedCase(...)` per case, or JSON with `admitted_cases`; then JSON patches,
            case id to `add_facts` and the fields that take another value.

    Raises:
        UserError: naming the file and the line or case, where one is not of that form.
    """
    first, *patches = files
    cases = list(_from_source(first)) if first.suffix == ".py" else _json(first, "admitted_cases", list)
    known: dict[str, dict[str, Any]] = {str(case.get("id")): case for case in cases}
    for path in patches:
        for case_id, patch in _json(path, None, dict).items():
            if case_id not in known or not isinstance(patch, dict):
                raise UserError(f"{path}: {case_id}: patches no case of {first.name}")
            case, added = known[case_id], patch.get("add_facts", [])
            if not isinstance(added, list) or not isinstance(case.get("setup_facts"), list):
                raise UserError(f"{path}: {case_id}: add_facts and the case's setup_facts must be lists")
            case["setup_facts"] = [*case["setup_facts"], *added]
            case.update({field: patch[field] for field in ("final_query", "must_contain") if field in patch})
    return cases


def one_surface_form(case: Case) -> Case:
    """The case with each purge and release query reduced to one surface form, if it is of the cross-lingual category.

    The published v0.7 runs did so: words with a character beyond ASCII are dropped, then connectors that dangle; a
    query of which no letter would be left stays.
    """
    if case.category != "cross_lingual_identifier":
        return case
    mutations = (
        mutation if mutation.op == "supersede" else replace(mutation, query=_reduced(mutation.query))
        for mutation in case.mutations
    )
    return replace(case, mutations=tuple(mutations))


def _reduced(query: str) -> str:
    words = [word for word in query.split() if word.isascii()]
    while words and _dangles(words[0]):
        del words[0]
    while words and _dangles(words[-1]):
        del words[-1]
    reduced = " ".join(words).strip(" /-|")
    return reduced if re.search("[A-Za-z]", reduced) else query


def _dangles(word: str) -> bool:
    return word.casefold() in _CONNECTORS or word.casefold().strip(".,") in _CONNECTORS


def _from_source(path: Path) -> Iterator[dict[str, Any]]:
    """The records of the lists at the top level of a Python source."""
    try:
        tree = ast.parse(read_file(path))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UserError(f"{path}: cannot be read as Python source ({str(error) or type(error).__name__})") from error
    values = (statement.value for statement in tree.body if isinstance(statement, ast.Assign | ast.AnnAssign))
    for node in (node for value in values if value is not None for node in ast.walk(value)):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[], keywords=keywords) if name == _RECORD:
                yield _record(keywords, f"{path}:{node.lineno}")


def _record(keywords: Sequence[ast.keyword], where: str) -> dict[str, Any]:
    try:
        fields: dict[str, Any] = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in keywords}
        category = re.sub(r"^adv_|_\d+$", "", fields["id"])
        mutations = [[part for part in mutation if part is not None] for mutation in fields["mutations"]]
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{where}: not a case of literals with an id and mutations ({error})") from error
    return {**fields, "category": category, "mutations": mutations}


def _json(path: Path, key: str | None, kind: type) -> Any:
    try:
        found = parse_storable(read_file(path).removeprefix(codecs.BOM_UTF8))
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"{path}: cannot be read as JSON ({error})") from error
    content = found if key is None else found.get(key) if isinstance(found, Mapping) else None
    if not isinstance(content, kind) or (isinstance(content, list) and not all(isinstance(c, dict) for c in content)):
        raise UserError(f"{path}: holds no {key or 'patches by case id'}")
    return content
