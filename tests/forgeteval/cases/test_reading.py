"""Anybody's cases, in each form that they may have, and the errors of whoever writes them."""

import json
from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.case import Case
from forgeteval.cases.interchange import CaseError
from forgeteval.cases.reading import read_cases, records_of
from forgeteval.errors import UserError

GOOD = """\
- id: mine-1
  setup_facts: ["The bus leaves at 12:30.", "The tram leaves at 13:05."]
  mutations: [[purge, "the bus"]]
  final_query: "What leaves when?"
  must_contain: ["13:05"]
  must_not_contain: ["12:30"]
  gold_rows: ["The tram leaves at 13:05."]
"""


def read(folder: Path, text: str, name: str = "negation_trap") -> list[Case]:
    (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return read_cases(folder, "mine")


def test_the_category_is_that_of_the_file(tmp_path: Path) -> None:
    (case,) = read(tmp_path, GOOD)
    assert (case.case_id, case.category, case.suite) == ("mine-1", "negation_trap", "mine")
    assert case.must_not_contain == ("12:30",)


def test_files_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    read(tmp_path, GOOD, "substring_trap")
    cases = read(tmp_path, GOOD.replace("mine-1", "mine-2"), "compound_fact")
    assert [case.category for case in cases] == ["compound_fact", "substring_trap"]


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        # YAML 1.1 reads an unquoted 12:30 as the number 750, and an unquoted date as a date.
        ('must_not_contain: ["12:30"]', "must_not_contain: [12:30]", ["must_not_contain[0]", "string", "750"]),
        ('"13:05"]', "2026-03-05]", ["must_contain[0]", "must be a string, not date"]),
        ('"13:05"]', "4417]", ["must_contain[0]", "must be a string, not int (4417)"]),
        ('"13:05"]', "yes]", ["must_contain[0]", "must be a string, not bool"]),
        ('"the bus"', "12:30", ["mutations[0][1]", "must be a string, not int (750); quote it"]),
        ('"What leaves when?"', "{what: leaves}", ["final_query", "must be a string, not dict"]),
        ("id: mine-1", "id: mine-1\n  category: [trap]", ["category", "must be a string, not list"]),
        ("id: mine-1", "id: mine-1\n  note: x", ["note", "unknown field"]),
        ("purge,", "forget,", ["mutations[0][0]", "unknown operation 'forget'"]),
    ],
)
def test_a_mistake_names_the_file_the_case_and_the_field(tmp_path: Path, old: str, new: str, parts: list[str]) -> None:
    assert old in GOOD
    second = GOOD.replace(old, new, 1).replace("mine-1", "mine-2")
    with pytest.raises(CaseError) as caught:
        read(tmp_path, GOOD + second)
    message = str(caught.value)
    line = 1 + GOOD.count("\n")
    assert message.startswith(f"{tmp_path / 'negation_trap.yaml'}:{line}: mine-2: ")
    for part in parts:
        assert part in message


@pytest.mark.parametrize("text", ["", "a: 1\n", "just text\n"])
def test_a_file_without_a_list_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(UserError, match=r"negation_trap\.yaml: must be a list of cases"):
        read(tmp_path, text)


def test_an_entry_that_is_no_mapping_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match=r":1: not a mapping: "):
        read(tmp_path, "- text\n")


def test_broken_yaml_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"negation_trap\.yaml:\d: not YAML"):
        read(tmp_path, '- id: "mine\n')


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("  category: a\n  category: b\n", "'category' is given twice"),
        ("- &mine x\n", "an anchor"),
        ("---\n- x\n", "single document.*; write one list"),
        ("- setup_facts: [Ünal has desk #4.]\n", "is a comment.*; write one list, with quotes"),
        ("- id: #4\n", "is a comment"),
    ],
)
def test_what_is_wrong_in_yaml_is_said_with_its_line_alone(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UserError, match=rf"negation_trap\.yaml:\d+: not YAML.*{said}") as caught:
        read(tmp_path, GOOD + text)
    assert "UTF-8" not in str(caught.value) and "unicode string" not in str(caught.value)


def test_a_text_that_yaml_cuts_is_refused_behind_a_byte_order_mark_too(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"negation_trap\.yaml:1: .* is a comment"):
        read(tmp_path, "\ufeff- Desk #4\n")


def test_comments_in_yaml_are_allowed(tmp_path: Path) -> None:
    text = "#mine\n" + GOOD.replace("id: mine-1", "id: mine-1 # of desk #4").replace(
        'must_contain: ["13:05"]', 'must_contain: ["13:05"] #x'
    )
    (case,) = read(tmp_path, f"{text}#- id: later\n")
    assert case.case_id == "mine-1"


def test_an_id_used_twice_names_both_places(tmp_path: Path) -> None:
    read(tmp_path, GOOD, "compound_fact")
    with pytest.raises(CaseError) as caught:
        read(tmp_path, GOOD, "negation_trap")
    for name in ("compound_fact.yaml", "negation_trap.yaml", "duplicate id 'mine-1'"):
        assert name in str(caught.value)


@pytest.mark.parametrize("content", [b"\xff- id: mine-1\n", b"- id: 2024-13-45\n"], ids=["not-utf8", "impossible-date"])
def test_an_unreadable_file_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "negation_trap.yaml").write_bytes(content)
    with pytest.raises(UserError, match=r"negation_trap\.yaml"):
        read_cases(tmp_path, "mine")


def test_a_case_of_a_yaml_file_may_have_no_id_and_another_category(tmp_path: Path) -> None:
    lines = GOOD.splitlines(keepends=True)
    nameless = "".join(["- category: gdpr_request\n", *lines[1:]])
    own, other = read(tmp_path, GOOD + nameless, "erasures")
    assert (own.case_id, own.category) == ("mine-1", "erasures")
    assert (other.case_id, other.category) == ("erasures-8", "gdpr_request")


def case(**changes: Any) -> dict[str, Any]:
    return {
        "setup_facts": ["Ada lives in Ghent."],
        "mutations": [["purge", "Ada"]],
        "final_query": "Where?",
        "must_not_contain": ["Ghent"],
        **changes,
    }


@pytest.mark.parametrize("name", ["mine.json", "mine.jsonl"])
@pytest.mark.parametrize("indent", [None, 2], ids=["in one line", "over many lines"])
def test_a_json_list_is_read_with_the_line_of_each_case(tmp_path: Path, indent: int | None, name: str) -> None:
    path = tmp_path / name
    given = [case(category="a, ] b"), case(id="second")]
    path.write_text("\n" + json.dumps(given, indent=indent), encoding="utf-8")
    lines = path.read_text(encoding="utf-8").splitlines()
    begins = [2, 2] if indent is None else [1 + number for number, line in enumerate(lines) if line == "  {"]
    assert [(record.line, record.given) for record in records_of(path)] == list(zip(begins, given, strict=True))
    assert [each.case_id for each in read_cases(path, "mine")] == [f"mine-{begins[0]}", "second"]
    path.write_text(json.dumps([case()] * 3, indent=indent), encoding="utf-8")
    named = [each.case_id for each in read_cases(path, "mine")]
    assert named == ["mine-1", "mine-1-2", "mine-1-3"] if indent is None else len({*named}) == 3


def test_an_object_over_many_lines_is_one_case(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(case(), indent=2), encoding="utf-8")
    assert [each.case_id for each in read_cases(path, "mine")] == ["mine-1"]
    path.write_text(json.dumps({"cases": [case()]}, indent=2), encoding="utf-8")
    with pytest.raises(CaseError, match=r"mine\.json:1: .*cases"):
        read_cases(path, "mine")


def test_several_objects_over_many_lines_are_as_many_cases(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    first = json.dumps(case(), indent=2)
    path.write_text(f"{first}\n{first}\n", encoding="utf-8")
    assert [each.case_id for each in read_cases(path, "mine")] == ["mine-1", f"mine-{2 + first.count(chr(10))}"]
    path.write_text(f"{first}\n]\n{first}\n", encoding="utf-8")
    records = [*records_of(path)]
    assert [record.error is None for record in records] == [True, False]
    assert records[1].where.endswith(f":{2 + first.count(chr(10))}")


def test_cases_without_an_id_on_one_line_of_yaml_are_named_apart(tmp_path: Path) -> None:
    assert [each.case_id for each in read(tmp_path, json.dumps([case(), case()]), "mine")] == ["mine-1", "mine-1-2"]


@pytest.mark.parametrize(
    "content", [json.dumps(case()).encode("utf-16"), b"PK\x03\x04\x14\x00\x06", b"\x1f\x8b\x08\x00"]
)
def test_a_file_that_is_no_text_is_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_bytes(content + b"\n\xff\n\xff")
    with pytest.raises(UserError, match=r"mine\.jsonl: no text in UTF-8 .*save"):
        records_of(path)


def test_a_json_file_may_hold_lines_too(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text("".join(json.dumps(case()) + "\n" for _ in range(2)), encoding="utf-8")
    assert [each.case_id for each in read_cases(path, "mine")] == ["mine-1", "mine-2"]


@pytest.mark.parametrize(
    ("content", "line", "problem"),
    [
        (b'[{"id": "a"},\n{"id": }]', 2, "line: not a JSON list"),
        (b"\n[{},]", 2, "line: not a JSON list"),
        (b"[\n\n\xff]", 3, "line: not UTF-8"),
        (b"[" * 100_000, 1, "line: not usable JSON"),
        (b'[\n{"id": "\\ud800"}]', 2, "line: not usable JSON"),
        (b'[\n{"id": "a", "id": "b"}]', 2, "line: not usable JSON (the key 'id' is given twice)"),
        (b"[\n3]", 2, "case: must be a JSON object"),
    ],
)
def test_a_broken_json_list_is_named_by_its_line(tmp_path: Path, content: bytes, line: int, problem: str) -> None:
    path = tmp_path / "mine.json"
    path.write_bytes(content)
    with pytest.raises(CaseError) as caught:
        read_cases(path, "mine")
    assert str(caught.value).startswith(f"{path}:{line}: {problem}") and "\n" not in str(caught.value)


def test_a_folder_may_hold_files_of_every_form(tmp_path: Path) -> None:
    read(tmp_path, GOOD, "b")
    (tmp_path / "a.jsonl").write_text(json.dumps(case()) + "\n", encoding="utf-8")
    (tmp_path / "c.JSON").write_text(json.dumps([case()]), encoding="utf-8")
    (tmp_path / "d.Yml").write_text(GOOD.replace("mine-1", "mine-2"), encoding="utf-8")
    for other in (".hidden.jsonl", "README.md"):
        (tmp_path / other).write_text("no case", encoding="utf-8")
    assert [each.case_id for each in read_cases(tmp_path, "mine")] == ["a-1", "mine-1", "c-1", "mine-2"]


def test_no_case_of_a_folder_below_is_passed_over(tmp_path: Path) -> None:
    for folder in ("pictures", ".cache", "more"):
        (tmp_path / folder).mkdir()
    (tmp_path / "pictures/a.png").touch()
    (tmp_path / ".cache/a.json").touch()
    read(tmp_path, GOOD)
    assert len(read_cases(tmp_path, "mine")) == 1
    (tmp_path / "more/b.jsonl").touch()
    with pytest.raises(UserError, match=r"the folder more in it has files of cases too; give each"):
        read_cases(tmp_path, "mine")


@pytest.mark.parametrize("name", ["more.jsonlines", "more.jsonl.gz", "more.YML.zip"])
def test_no_file_of_cases_by_another_name_is_passed_over(tmp_path: Path, name: str) -> None:
    read(tmp_path, GOOD)
    (tmp_path / name).touch()
    with pytest.raises(UserError, match=f"{name}: is not read by this name; unpack it, or rename it"):
        read_cases(tmp_path, "mine")


@pytest.mark.parametrize(("name", "content"), [("mine.json", "[]"), ("mine.yaml", "[]"), ("mine.jsonl", "\n")])
def test_a_file_without_a_case_is_an_error(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match="contains no case; a suite needs at least one"):
        read_cases(tmp_path / name, "mine")


def test_a_folder_without_files_of_cases_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"contains no file of cases \(\.json, \.jsonl, \.ndjson, \.yaml, \.yml\)"):
        read_cases(tmp_path, "mine")


def test_a_made_up_id_that_somebody_uses_names_both_places(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in (case(id="mine-2"), case())), encoding="utf-8")
    with pytest.raises(CaseError, match=r"jsonl:2: case_id: duplicate id 'mine-2', first used at .*jsonl:1"):
        read_cases(path, "mine")
