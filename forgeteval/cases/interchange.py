"""The interchange form of cases: one JSON object per case, JSON Lines per suite."""

import hashlib
import json
import reprlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from forgeteval.cases.case import (
    CATEGORIES,
    FAMILIES,
    FIELDS,
    OPERATIONS,
    PROVENANCES,
    REQUIRED_FIELDS,
    SUBLABELS,
    Case,
    Mutation,
)
from forgeteval.cases.states import FactState, states_from_json
from forgeteval.errors import UserError
from forgeteval.files import read_file
from forgeteval.json_records import unique_keys


class CaseError(UserError):
    """A malformed case: `where` is file and line, `field` the wrong field, `reason` a machine-readable code."""

    def __init__(self, where: str, field: str, problem: str, reason: str = "malformed") -> None:
        super().__init__(f"{where}: {field}: {problem}")
        self.where, self.field, self.problem, self.reason = where, field, problem, reason


def case_from_json(record: Any, suite: str, where: str, default_provenance: str = "imported") -> Case:
    """Read one case from its interchange form.

    Raises:
        CaseError: naming `where`, the field and what is expected.
    """
    if not isinstance(record, dict):
        raise CaseError(where, "case", "must be a JSON object")
    if "id" in record:
        if "case_id" in record:
            raise CaseError(where, "id", "give either id or case_id, not both")
        record = {"case_id": record["id"], **{key: value for key, value in record.items() if key != "id"}}
    for key in record:
        if key not in FIELDS:
            raise CaseError(where, str(key), f"unknown field; known fields: {', '.join(FIELDS)}")
    for key in ("case_id", *REQUIRED_FIELDS):
        if key not in record:
            raise CaseError(where, key, "missing")

    category = _one_of(record, "category", CATEGORIES, where, "unknown-category")
    family = _one_of(record, "family", FAMILIES, where, "unknown-family") if record.get("family") is not None else None
    provenance = (
        _one_of(record, "provenance", PROVENANCES, where, "unknown-provenance")
        if record.get("provenance") is not None
        else default_provenance
    )
    if record.get("suite") is not None:
        checked_text(record["suite"], "suite", where)
    gold = record.get("gold_rows")
    return Case(
        case_id=checked_text(record["case_id"], "case_id", where),
        suite=suite,
        category=category,
        setup_facts=checked_texts(record["setup_facts"], "setup_facts", where, at_least=1),
        mutations=mutations_from_json(record["mutations"], where),
        final_query=checked_text(record["final_query"], "final_query", where),
        must_contain=checked_texts(record["must_contain"], "must_contain", where),
        must_not_contain=checked_texts(record["must_not_contain"], "must_not_contain", where),
        family=family,
        provenance=provenance,
        gold_rows=None if gold is None else checked_texts(gold, "gold_rows", where),
        states=None if record.get("states") is None else _states(record["states"], where),
        owners=None if record.get("owners") is None else _owners(record, where),
        asked_by=_asked_by(record, where),
        asker=_asker(record, where),
        language_check=_optional_text(record, "language_check", where),
        twin_of=_optional_text(record, "twin_of", where),
        forbidden_identifiers=checked_texts(record.get("forbidden_identifiers", []), "forbidden_identifiers", where),
        **{name: checked_text(record[name], name, where) for name in SUBLABELS if record.get(name) is not None},
    )


def read_json_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield (line number, decoded JSON) of each non-empty line.

    Raises:
        CaseError: if a line is not UTF-8 JSON.
        UserError: if the file cannot be read.
    """
    try:
        lines = read_file(path).split(b"\n")
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); check `source` of the suite") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            yield number, json.loads(text, object_pairs_hook=unique_keys)
        except UnicodeDecodeError as error:
            raise CaseError(f"{path}:{number}", "line", f"not UTF-8 ({error.reason})", "malformed-json") from error
        except json.JSONDecodeError as error:
            problem = f"not JSON ({error.msg} at column {error.colno})"
            raise CaseError(f"{path}:{number}", "line", problem, "malformed-json") from error
        except (ValueError, RecursionError) as error:
            raise CaseError(f"{path}:{number}", "line", f"not usable JSON ({error})", "malformed-json") from error


def read_jsonl(path: Path, suite: str) -> list[Case]:
    """Import a suite from JSON Lines.

    Raises:
        CaseError: at the first malformed case, naming file, line and field.
        UserError: if the file is empty or cannot be read.
    """
    cases = [(number, case_from_json(record, suite, f"{path}:{number}")) for number, record in read_json_lines(path)]
    if not cases:
        raise UserError(f"{path}: contains no case; a suite needs at least one")
    require_unique_ids((f"{path}:{number}", case.case_id) for number, case in cases)
    return [case for _, case in cases]


def require_unique_ids(places: Iterable[tuple[str, str]]) -> None:
    """Check (place, case_id) pairs for a repeated id.

    Raises:
        CaseError: naming both places.
    """
    seen: dict[str, str] = {}
    for where, case_id in places:
        if case_id in seen:
            raise CaseError(
                where, "case_id", f"duplicate id {case_id!r}, first used at {seen[case_id]}", "duplicate-id"
            )
        seen[case_id] = where


def dump_jsonl(cases: Iterable[Case]) -> str:
    """The canonical text of a suite: one JSON object per line, fixed field order, no ASCII escapes."""
    return "".join(json.dumps(case.to_json(), ensure_ascii=False) + "\n" for case in cases)


def cases_sha256(cases: Iterable[Case]) -> str:
    """SHA-256 of what a suite's cases say, whatever file they came in: ids and required fields, in any order."""
    fields = ({name: case.to_json().get(name, []) for name in ("case_id", *REQUIRED_FIELDS)} for case in cases)
    lines = sorted(json.dumps(record, ensure_ascii=False, sort_keys=True) + "\n" for record in fields)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def checked_text(value: Any, field: str, where: str) -> str:
    """The text of a field; CaseError for what is none, or blank, or has no UTF-8."""
    if not isinstance(value, str):
        raise CaseError(where, field, f"must be a string, not {type(value).__name__} ({reprlib.repr(value)})")
    if not value.strip():
        raise CaseError(where, field, "must not be empty")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise CaseError(where, field, "contains a lone surrogate, which UTF-8 cannot encode")
    return value


def checked_texts(value: Any, field: str, where: str, at_least: int = 0) -> tuple[str, ...]:
    """The texts of a field; CaseError for what is no list of such texts."""
    if not isinstance(value, list):
        raise CaseError(where, field, f"must be a list of strings, not {type(value).__name__}")
    if len(value) < at_least:
        raise CaseError(where, field, f"needs at least {at_least} entry")
    return tuple(checked_text(item, f"{field}[{index}]", where) for index, item in enumerate(value))


def _one_of(record: dict[str, Any], field: str, known: tuple[str, ...], where: str, reason: str) -> str:
    value = checked_text(record[field], field, where)
    if value not in known:
        raise CaseError(where, field, f"unknown value {value!r}; known: {', '.join(known)}", reason)
    return value


def _optional_text(record: dict[str, Any], field: str, where: str) -> str | None:
    return None if record.get(field) is None else checked_text(record[field], field, where)


def _owners(record: dict[str, Any], where: str) -> tuple[tuple[str, ...], ...]:
    value, facts = record["owners"], record["setup_facts"]
    if not isinstance(value, list) or len(value) != len(facts):
        raise CaseError(where, "owners", f"must be a list of {len(facts)} lists of names, one for each setup fact")
    return tuple(checked_texts(own, f"owners[{index}]", where, at_least=1) for index, own in enumerate(value))


def _asked_by(record: dict[str, Any], where: str) -> tuple[str, ...]:
    names = checked_texts(record.get("asked_by", []), "asked_by", where)
    wanted = len(record["mutations"]) if record.get("owners") is not None else 0
    if len(names) != wanted:
        raise CaseError(where, "asked_by", f"{len(names)} names; a case with owners names who asks for each mutation")
    return names


def _asker(record: dict[str, Any], where: str) -> str | None:
    name = _optional_text(record, "asker", where)
    if (name is None) != (record.get("owners") is None):
        raise CaseError(where, "asker", "a case with owners, and no other, names who asks the final query")
    return name


def _states(value: Any, where: str) -> tuple[FactState, ...]:
    if not isinstance(value, list):
        raise CaseError(where, "states", f"must be a list with one object per fact, not {type(value).__name__}")
    facts = []
    for index, fact in enumerate(value):
        field = f"states[{index}]"
        if not isinstance(fact, dict):
            raise CaseError(where, field, 'must be an object such as {"stays": ["an anchor"]}')
        facts.append(
            {str(name): list(checked_texts(any_of, f"{field}.{name}", where, 1)) for name, any_of in fact.items()}
        )
    try:
        return states_from_json(facts)
    except ValueError as error:
        raise CaseError(where, "states", str(error)) from error


def mutations_from_json(value: Any, where: str) -> tuple[Mutation, ...]:
    """The mutations of a case; CaseError for what is no list of such arrays."""
    if not isinstance(value, list):
        raise CaseError(where, "mutations", f"must be a list of arrays, not {type(value).__name__}")
    return tuple(_mutation(item, f"mutations[{index}]", where) for index, item in enumerate(value))


def _mutation(item: Any, field: str, where: str) -> Mutation:
    if not isinstance(item, list) or not item:
        raise CaseError(where, field, 'must be an array such as ["purge", "query"]')
    op, arguments = item[0], item[1:]
    if op not in OPERATIONS:
        raise CaseError(where, f"{field}[0]", f"unknown operation {reprlib.repr(op)}; known: {', '.join(OPERATIONS)}")
    expected = ["query", "text"] if op == "supersede" else ["query"]
    if len(arguments) != len(expected):
        raise CaseError(where, field, f"{op} takes {' and '.join(expected)}, got {len(arguments)} arguments")
    return Mutation(op, *(checked_text(text, f"{field}[{at}]", where) for at, text in enumerate(arguments, start=1)))
