"""The case record and its interchange form."""

import json
from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.case import (
    ADVERSARIAL_CATEGORIES,
    CATEGORIES,
    FAMILIES,
    PROVENANCES,
    Case,
    Mutation,
    in_known_order,
)
from forgeteval.cases.interchange import CaseError, case_from_json, dump_jsonl
from forgeteval.cases.reading import read_cases
from forgeteval.errors import UserError

FULL = Case(
    case_id="full-1",
    suite="mine",
    category="substring_trap",
    setup_facts=("Ada lives in Ghent.", "Bo lives in Tartu."),
    mutations=(
        Mutation("supersede", "where Ada lives", "Ada lives in Oaxaca."),
        Mutation("release", "Bo's home"),
        Mutation("purge", "Bo"),
    ),
    final_query="Who lives where?",
    must_contain=("Oaxaca",),
    must_not_contain=("Ghent", "Tartu"),
    family="purge",
    provenance="core",
    gold_rows=("Ada lives in Oaxaca.",),
    mechanism="a chain",
    script="latin",
    identifier_type="name",
)
FULL_JSON: dict[str, Any] = {
    "case_id": "full-1",
    "category": "substring_trap",
    "setup_facts": ["Ada lives in Ghent.", "Bo lives in Tartu."],
    "mutations": [
        ["supersede", "where Ada lives", "Ada lives in Oaxaca."],
        ["release", "Bo's home"],
        ["purge", "Bo"],
    ],
    "final_query": "Who lives where?",
    "must_contain": ["Oaxaca"],
    "must_not_contain": ["Ghent", "Tartu"],
    "family": "purge",
    "provenance": "core",
    "gold_rows": ["Ada lives in Oaxaca."],
    "suite": "mine",
    "mechanism": "a chain",
    "script": "latin",
    "identifier_type": "name",
}
MINIMAL_JSON: dict[str, Any] = {
    "case_id": "minimal-1",
    "category": "purge",
    "setup_facts": ["Ada lives in Ghent."],
    "mutations": [],
    "final_query": "Where?",
    "must_contain": [],
    "must_not_contain": ["Ghent"],
}


def changed(**changes: Any) -> dict[str, Any]:
    """The minimal case with some fields replaced."""
    return {**MINIMAL_JSON, **changes}


def without(field: str) -> dict[str, Any]:
    return {key: value for key, value in MINIMAL_JSON.items() if key != field}


def write_lines(path: Path, *rows: Any) -> Path:
    """A JSON Lines file; bytes are written as they stand."""
    path.write_bytes(b"".join((row if isinstance(row, bytes) else json.dumps(row).encode()) + b"\n" for row in rows))
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "mine.jsonl"


def test_categories_are_the_five_families_and_the_ten_adversarial_ones() -> None:
    assert len(FAMILIES) == 5
    assert len(ADVERSARIAL_CATEGORIES) == 10
    assert len(set(CATEGORIES)) == len(CATEGORIES) == 24


def test_interchange_form_has_the_documented_names_and_arrays() -> None:
    assert FULL.to_json() == FULL_JSON


def test_every_field_survives_the_round_trip(file: Path) -> None:
    file.write_text(dump_jsonl([FULL]), encoding="utf-8")
    assert read_cases(file, "mine") == [FULL]


def test_order_of_the_cases_is_kept(file: Path) -> None:
    write_lines(file, *(changed(case_id=name) for name in ("c", "a", "b")))
    assert [case.case_id for case in read_cases(file, "mine")] == ["c", "a", "b"]


def test_dump_is_one_line_a_case_without_escapes() -> None:
    text = dump_jsonl([FULL, case_from_json(changed(final_query="王小明?"), "mine", "here")])
    assert text.endswith("\n")
    assert len(text.splitlines()) == 2
    assert "王小明" in text


def test_optional_fields_are_optional(file: Path) -> None:
    write_lines(file, MINIMAL_JSON)
    (case,) = read_cases(file, "mine")
    assert case == Case(
        "minimal-1", "mine", "purge", ("Ada lives in Ghent.",), (), "Where?", (), ("Ghent",), provenance="imported"
    )
    assert (case.family, case.gold_rows, case.mechanism, case.script, case.identifier_type) == (None,) * 5
    assert case.to_json() == {**MINIMAL_JSON, "provenance": "imported", "suite": "mine"}


def test_a_suite_has_words_of_its_own() -> None:
    case = case_from_json(changed(category="gdpr_request", family="erasure", provenance="interviews"), "mine", "here")
    assert (case.category, case.family, case.provenance) == ("gdpr_request", "erasure", "interviews")


def test_facts_mutations_a_question_and_one_string_are_enough(file: Path) -> None:
    shortest = {key: MINIMAL_JSON[key] for key in ("setup_facts", "mutations", "final_query", "must_not_contain")}
    required = {**shortest, "must_contain": ["Ada"], "must_not_contain": None, "id": None, "category": None}
    cases = read_cases(write_lines(file, shortest, b"", required), "mine")
    assert [(case.case_id, case.category) for case in cases] == [
        ("mine-1", "uncategorised"),
        ("mine-3", "uncategorised"),
    ]
    assert [(case.must_contain, case.must_not_contain) for case in cases] == [((), ("Ghent",)), (("Ada",), ())]


def test_a_case_that_no_file_names_says_its_id() -> None:
    with pytest.raises(CaseError, match="here: case_id: missing"):
        case_from_json(without("case_id"), "mine", "here")


def test_words_of_ours_come_in_their_order_and_others_as_they_come() -> None:
    assert in_known_order(["b", "purge", "a", "drift", "b"]) == ["purge", "drift", "b", "a"]
    assert in_known_order(CATEGORIES[::-1]) == list(CATEGORIES)
    assert in_known_order(["core", "web", "template"], PROVENANCES) == ["template", "core", "web"]


@pytest.mark.parametrize("field", ["family", "provenance", "gold_rows", "mechanism", "script", "identifier_type"])
def test_null_means_that_an_optional_field_is_missing(field: str) -> None:
    assert case_from_json(changed(**{field: None}), "mine", "here") == case_from_json(MINIMAL_JSON, "mine", "here")


def test_no_gold_rows_and_an_empty_memory_are_different() -> None:
    assert case_from_json(changed(gold_rows=[]), "mine", "here").gold_rows == ()


def test_the_suite_is_the_one_that_is_configured_not_the_one_in_the_file() -> None:
    assert case_from_json(changed(suite="other"), "mine", "here").suite == "mine"


def test_default_provenance_gives_way_to_the_one_in_the_file() -> None:
    assert case_from_json(MINIMAL_JSON, "mine", "here", "external").provenance == "external"
    assert case_from_json(changed(provenance="core"), "mine", "here", "external").provenance == "core"


def test_id_stands_for_case_id(file: Path) -> None:
    write_lines(file, {"id": "short", **without("case_id")})
    assert read_cases(file, "mine")[0].case_id == "short"


def test_blank_lines_a_byte_order_mark_and_windows_line_ends_do_no_harm(file: Path) -> None:
    line = json.dumps(MINIMAL_JSON).encode()
    file.write_bytes(b"\xef\xbb\xbf" + line + b"\r\n\r\n  \n" + line.replace(b"minimal-1", b"minimal-2") + b"\r\n")
    assert [case.case_id for case in read_cases(file, "mine")] == ["minimal-1", "minimal-2"]


@pytest.mark.parametrize(
    "text",
    [
        "a NUL \x00 inside",
        "😀 party 👩‍👩‍👧 🍕",
        "王小明的电话",
        "يوسف الخطيب",
        "ไทย",
        "line\nbreak\ttab",
        "\u2028 separator \u0085",
        '"quoted" \\ back',
    ],
)
def test_any_text_survives(file: Path, text: str) -> None:
    case = case_from_json(
        changed(
            setup_facts=[text],
            mutations=[["supersede", text, text]],
            final_query=text,
            must_contain=[text],
            gold_rows=[text],
        ),
        "mine",
        "here",
    )
    file.write_text(dump_jsonl([case]), encoding="utf-8")
    assert read_cases(file, "mine") == [case]
    assert case.setup_facts == (text,)


def test_texts_are_all_that_may_need_a_vector() -> None:
    assert list(FULL.texts()) == [
        "Ada lives in Ghent.",
        "Bo lives in Tartu.",
        "where Ada lives",
        "Ada lives in Oaxaca.",
        "Bo's home",
        "Bo",
        "Who lives where?",
        "Ghent",
        "Tartu",
    ]


MALFORMED: list[tuple[str, Any, str, str]] = [
    ("not-json", b'{"case_id": "a",', "line", "not JSON"),
    ("bare-word", b"hello", "line", "not JSON"),
    ("not-utf8", b'{"case_id": "\xff"}', "line", "not UTF-8"),
    ("list", [1, 2], "case", "must be a JSON object"),
    ("null", None, "case", "must be a JSON object"),
    ("text", "text", "case", "must be a JSON object"),
    *((f"no-{field}", without(field), field, "missing") for field in ("setup_facts", "mutations", "final_query")),
    (
        "nothing-checked",
        changed(must_not_contain=[]),
        "must_contain",
        "at least one string here or in must_not_contain",
    ),
    ("nothing-to-check", without("must_not_contain"), "must_contain", "at least one string here or"),
    ("both-ids", changed(id="a"), "id", "not both"),
    ("unknown-field", changed(notes="x"), "notes", "unknown field"),
    ("misspelt-field", changed(must_not_contains=[]), "must_not_contains", "unknown field"),
    ("id-number", changed(case_id=7), "case_id", "must be a string, not int"),
    ("id-empty", changed(case_id=""), "case_id", "must not be empty"),
    ("category-number", changed(category=3), "category", "must be a string"),
    ("category-empty", changed(category=" "), "category", "must not be empty"),
    ("family-number", changed(family=1), "family", "must be a string"),
    ("provenance-empty", changed(provenance=""), "provenance", "must not be empty"),
    ("facts-string", changed(setup_facts="a fact"), "setup_facts", "must be a list of strings, not str"),
    ("facts-none", changed(setup_facts=[]), "setup_facts", "needs at least 1"),
    ("facts-null", changed(setup_facts=None), "setup_facts", "missing"),
    ("fact-empty", changed(setup_facts=["a", " "]), "setup_facts[1]", "must not be empty"),
    ("fact-number", changed(setup_facts=["a", 5]), "setup_facts[1]", "must be a string, not int"),
    ("query-empty", changed(final_query=" \n"), "final_query", "must not be empty"),
    ("query-list", changed(final_query=["q"]), "final_query", "must be a string, not list"),
    ("required-string", changed(must_contain="x"), "must_contain", "must be a list"),
    ("required-empty", changed(must_contain=[""]), "must_contain[0]", "must not be empty"),
    ("forbidden-object", changed(must_not_contain={}), "must_not_contain", "must be a list"),
    ("required-unseen", changed(must_contain=["\u200b"]), "must_contain[0]", "has only characters that show nothing"),
    ("forbidden-empty", changed(must_not_contain=["x", ""]), "must_not_contain[1]", "must not be empty"),
    ("gold-string", changed(gold_rows="x"), "gold_rows", "must be a list"),
    ("gold-empty", changed(gold_rows=[""]), "gold_rows[0]", "must not be empty"),
    ("mechanism-list", changed(mechanism=["x"]), "mechanism", "must be a string"),
    ("script-empty", changed(script=""), "script", "must not be empty"),
    ("type-number", changed(identifier_type=1), "identifier_type", "must be a string"),
    ("mutations-object", changed(mutations={"op": "purge"}), "mutations", "must be a list"),
    ("mutation-object", changed(mutations=[{"op": "purge"}]), "mutations[0]", "must be an array"),
    ("mutation-string", changed(mutations=["purge"]), "mutations[0]", "must be an array"),
    ("mutation-empty", changed(mutations=[[]]), "mutations[0]", "must be an array"),
    ("operation", changed(mutations=[["forget", "x"]]), "mutations[0][0]", "unknown operation 'forget'"),
    ("operation-case", changed(mutations=[["Purge", "x"]]), "mutations[0][0]", "unknown operation 'Purge'"),
    ("operation-object", changed(mutations=[[{}, "x"]]), "mutations[0][0]", "unknown operation"),
    ("purge-2", changed(mutations=[["purge", "x", "y"]]), "mutations[0]", "purge takes query, got 2"),
    ("release-0", changed(mutations=[["release"]]), "mutations[0]", "release takes query, got 0"),
    (
        "supersede-1",
        changed(mutations=[["purge", "x"], ["supersede", "x"]]),
        "mutations[1]",
        "supersede takes query and text, got 1",
    ),
    ("supersede-3", changed(mutations=[["supersede", "x", "y", "z"]]), "mutations[0]", "got 3"),
    ("mutation-query", changed(mutations=[["purge", ""]]), "mutations[0][1]", "must not be empty"),
    (
        "mutation-text",
        changed(mutations=[["supersede", "x", None]]),
        "mutations[0][2]",
        "must be a string, not NoneType",
    ),
]


@pytest.mark.parametrize(("row", "field", "problem"), [m[1:] for m in MALFORMED], ids=[m[0] for m in MALFORMED])
def test_a_malformed_line_is_named_by_file_line_and_field(file: Path, row: Any, field: str, problem: str) -> None:
    write_lines(file, changed(case_id="good"), b"", row)
    with pytest.raises(CaseError) as caught:
        read_cases(file, "mine")
    message = str(caught.value)
    assert message.startswith(f"{file}:3: {field}: ")
    assert problem in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (b"{", "malformed-json"),
        (b"\xff", "malformed-json"),
        (changed(final_query=""), "malformed"),
    ],
)
def test_reasons_are_machine_readable(file: Path, row: Any, reason: str) -> None:
    with pytest.raises(CaseError) as caught:
        read_cases(write_lines(file, row), "mine")
    assert caught.value.reason == reason


def test_a_duplicate_id_names_both_places(file: Path) -> None:
    write_lines(file, changed(case_id="a"), changed(case_id="b"), {"id": "a", **without("case_id")})
    with pytest.raises(CaseError) as caught:
        read_cases(file, "mine")
    assert str(caught.value) == f"{file}:3: case_id: duplicate id 'a', first used at {file}:1"
    assert caught.value.reason == "duplicate-id"


@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_an_empty_file_is_an_error(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(UserError) as caught:
        read_cases(file, "mine")
    assert str(file) in str(caught.value)
    assert "contains no case" in str(caught.value)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        read_cases(tmp_path / "none.jsonl", "mine")
    assert f"{tmp_path / 'none.jsonl'}: cannot be read (No such file" in str(caught.value)
