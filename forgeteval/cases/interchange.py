"""The interchange form of cases: one JSON object per case, JSON Lines per suite."""

import codecs
import hashlib
import json
import reprlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from forgeteval.cases.case import (
    CHECKED_FIELDS,
    FIELDS,
    OPERATIONS,
    OWNER_FIELDS,
    SUBLABELS,
    TESTED_FIELDS,
    UNCATEGORISED,
    Case,
    Mutation,
)
from forgeteval.cases.states import STATES, FactState, states_from_json
from forgeteval.errors import UserError
from forgeteval.files import read_file
from forgeteval.json_records import parse_storable
from forgeteval.scoring.scorers import as_seen

_ALWAYS = ("setup_facts", "mutations", "final_query")
"""Fields without which there is no case."""
_BEGINNING = 100
"""Bytes of which one is zero where a file is no text in UTF-8."""


class CaseError(UserError):
    """A malformed case: `where` is file and line, `field` the wrong field, `reason` a machine-readable code."""

    def __init__(self, where: str, field: str, problem: str, reason: str = "malformed") -> None:
        super().__init__(f"{where}: {field}: {problem}")
        self.where, self.field, self.problem, self.reason = where, field, problem, reason


def case_from_json(
    record: Any,
    suite: str,
    where: str,
    default_provenance: str = "imported",
    *,
    default_id: str | None = None,
    default_category: str | None = UNCATEGORISED,
) -> Case:
    """Read one case from its interchange form; a field that is null counts as missing.

    Args:
        default_id, default_category: of a case that does not say its own; None where it has to.

    Raises:
        CaseError: naming `where`, the field and what is expected.
    """
    defaults = {"case_id": default_id, "category": default_category, "provenance": default_provenance}
    given = _fields(record, defaults, where)
    required, forbidden = (checked_texts(given.get(name, []), name, where) for name in CHECKED_FIELDS)
    if not required and not forbidden:
        raise CaseError(where, CHECKED_FIELDS[0], f"give at least one string here or in {CHECKED_FIELDS[1]}")
    _optional_text(given, "suite", where)
    gold = given.get("gold_rows")
    facts = checked_texts(given["setup_facts"], "setup_facts", where, at_least=1)
    mutations = mutations_from_json(given["mutations"], where)
    told = len(facts) + sum(mutation.text is not None for mutation in mutations)
    return Case(
        case_id=checked_text(given["case_id"], "case_id", where),
        suite=suite,
        category=checked_text(given["category"], "category", where),
        setup_facts=facts,
        mutations=mutations,
        final_query=checked_text(given["final_query"], "final_query", where),
        must_contain=required,
        must_not_contain=forbidden,
        family=_optional_text(given, "family", where),
        provenance=checked_text(given["provenance"], "provenance", where),
        gold_rows=None if gold is None else checked_texts(gold, "gold_rows", where),
        states=_states(given["states"], told, where) if "states" in given else None,
        owners=_owners(given, where) if "owners" in given else None,
        asked_by=_asked_by(given, where),
        asker=_asker(given, where),
        language_check=_optional_text(given, "language_check", where),
        twin_of=_optional_text(given, "twin_of", where),
        forbidden_identifiers=checked_texts(given.get("forbidden_identifiers", []), "forbidden_identifiers", where),
        **{name: checked_text(given[name], name, where) for name in SUBLABELS if name in given},
    )


def checked_case(case: Case, where: str, default_id: str, default_suite: str) -> Case:
    """A case that a program made, as it would be if it came from a file: with the same checks.

    Raises:
        CaseError: naming `where`, the field and what is expected.
    """
    record = {name: _plain(getattr(case, name)) for name in FIELDS if name != "states"}
    suite = default_suite if case.suite is None else case.suite
    checked = case_from_json(record, suite, where, default_id=default_id)
    if case.states is None:
        return checked
    told = len(checked.facts())
    return replace(checked, states=_states(_states_by_fact(case.states, told, where), told, where))


def _plain(value: Any) -> Any:
    """What JSON has in place of a field; what is of another type stays, and is refused as that."""
    if isinstance(value, Mutation):
        value = value.to_json()
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def _states_by_fact(states: Any, told: int, where: str) -> list[dict[str, Any]]:
    if not isinstance(states, list | tuple):
        raise CaseError(where, "states", f"must be FactStates, not {type(states).__name__}")
    facts: list[dict[str, Any]] = []
    for state in states:
        if not isinstance(state, FactState) or state.fact not in range(told) or state.state not in STATES:
            raise CaseError(where, "states", f"{state!r:.80} is not the FactState of a fact")
        facts += [{} for _ in range(1 + state.fact - len(facts))]
        if state.state in facts[state.fact]:
            raise CaseError(where, "states", f"fact {state.fact + 1} is {state.state} twice; give all wordings at once")
        facts[state.fact][state.state] = _plain(state.any_of)
    return facts


def _fields(record: Any, defaults: Mapping[str, str | None], where: str) -> dict[str, Any]:
    """The fields of a record, with the defaults of those that it lacks."""
    if not isinstance(record, dict):
        raise CaseError(where, "case", "must be a JSON object")
    if "id" in record:
        if "case_id" in record:
            raise CaseError(where, "id", "give either id or case_id, not both")
        record = {"case_id": record["id"], **{key: value for key, value in record.items() if key != "id"}}
    if record.get("twin_of") is not None and "setup_facts" not in record:
        only = "`forgeteval check-cases --twins-of FOLDER` reads it, where FOLDER has that case"
        raise CaseError(where, "twin_of", f"this is a twin, whose facts are those of another case; {only}")
    for key in record:
        if key not in FIELDS:
            raise CaseError(where, str(key), f"unknown field; known fields: {', '.join(FIELDS)}")
    given = {key: value for key, value in (*defaults.items(), *record.items()) if value is not None}
    for key in ("case_id", "category", *_ALWAYS):
        if key not in given:
            raise CaseError(where, key, "missing")
    return given


def read_json_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield (line number, decoded JSON) of each non-empty line.

    Raises:
        CaseError: if a line is not UTF-8 JSON.
        UserError: if the file cannot be read.
    """
    for number, line in json_lines(content_of(path)):
        yield number, decode_json(line, f"{path}:{number}")


def content_of(path: Path) -> bytes:
    """The content of a file of cases, without a byte order mark.

    Raises:
        UserError: if it cannot be read, or begins as no text does.
    """
    try:
        content = read_file(path).removeprefix(codecs.BOM_UTF8)
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); give the path of a file of cases") from error
    if b"\0" in content[:_BEGINNING]:
        found = "no text in UTF-8 (a spreadsheet, an archive or UTF-16?)"
        raise UserError(f"{path}: {found}; save the cases as JSON Lines in UTF-8")
    return content


def json_lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines that are not empty, with their numbers."""
    return ((number, line) for number, line in enumerate(content.split(b"\n"), start=1) if line.strip())


def decode_json(text: bytes, where: str) -> Any:
    """The value of a JSON text that can be written as UTF-8 again, as an unpaired surrogate escape cannot.

    Raises:
        CaseError: if the text is none.
    """
    try:
        return parse_storable(text)
    except UnicodeDecodeError as error:
        problem = f"not UTF-8 ({error.reason}); save the file as UTF-8"
        raise CaseError(where, "line", problem, "malformed-json") from error
    except json.JSONDecodeError as error:
        problem = f"not JSON ({error.msg} at column {error.colno})"
        raise CaseError(where, "line", problem, "malformed-json") from error
    except (ValueError, RecursionError) as error:
        raise CaseError(where, "line", f"not usable JSON ({error})", "malformed-json") from error


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
    """SHA-256 of what a suite's cases say, whatever file they came in, in any order: `TESTED_FIELDS` of each, and
    whose its memories are."""
    records = (case.to_json() for case in cases)
    tested = ({name: record[name] for name in (*TESTED_FIELDS, *OWNER_FIELDS) if name in record} for record in records)
    lines = sorted(json.dumps(record, ensure_ascii=False, sort_keys=True) + "\n" for record in tested)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def said_otherwise(cases: Iterable[Case], others: Iterable[Case]) -> list[str]:
    """Ids of the cases that say something else among the others, sorted; a case that these lack says nothing else."""
    theirs = {case.case_id: cases_sha256([case]) for case in others}
    return sorted(
        case.case_id for case in cases if case.case_id in theirs and cases_sha256([case]) != theirs[case.case_id]
    )


def checked_text(value: Any, field: str, where: str) -> str:
    """The text of a field; CaseError for what is none, or blank, or has no UTF-8."""
    if not isinstance(value, str):
        remedy = "" if value is None or isinstance(value, list | dict) else "; quote it"
        raise CaseError(where, field, f"must be a string, not {type(value).__name__} ({reprlib.repr(value)}){remedy}")
    if not value.strip():
        raise CaseError(where, field, "must not be empty")
    if not as_seen(value).strip():
        raise CaseError(where, field, "has only characters that show nothing")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise CaseError(where, field, "contains a lone surrogate, which UTF-8 cannot encode")
    return value


def checked_texts(value: Any, field: str, where: str, at_least: int = 0) -> tuple[str, ...]:
    """The texts of a field; CaseError for what is not a list of such texts."""
    if not isinstance(value, list):
        raise CaseError(where, field, f"must be a list of strings, not {type(value).__name__}")
    if len(value) < at_least:
        raise CaseError(where, field, f"needs at least {at_least} entry")
    return tuple(checked_text(item, f"{field}[{index}]", where) for index, item in enumerate(value))


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


def _states(value: Any, told: int, where: str) -> tuple[FactState, ...]:
    if not isinstance(value, list):
        raise CaseError(where, "states", f"must be a list with one object per fact, not {type(value).__name__}")
    if len(value) > told:
        raise CaseError(where, "states", f"{len(value)} objects; there are {told} facts with the new texts")
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
    """The mutations of a case; CaseError for what is not a list of such arrays."""
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
