import csv
import re
from pathlib import Path
from typing import Any

import pytest

from forgeteval.admission.check import Objection, check_file, check_written
from forgeteval.cases.reading import read_cases
from forgeteval.errors import UserError
from lethe.admission.external import take_in
from tests.support.example_cases import other_case, sound_case, write_lines
from tests.support.paths import ROOT

GUIDE = ROOT / "docs/contributing-cases.md"


def objections(path: Path, *lines: dict[str, Any] | str) -> list[Objection]:
    return list(check_file(write_lines(path / "cases.jsonl", *lines)).objections)


def test_sound_cases_are_admitted_in_order(tmp_path: Path) -> None:
    intake = check_file(write_lines(tmp_path / "f.jsonl", sound_case(), "", other_case()))
    assert (intake.checked, intake.rejected, intake.objections) == (2, 0, ())
    assert [case.case_id for case in intake.admitted] == ["lockers", "club"]


DEFECTS = {
    "malformed-json": "{not json",
    "unknown-category": sound_case(id="a", category="prefix"),
    "unknown-family": sound_case(id="b", family="oblivion"),
    "malformed": sound_case(id="c", mood="grim"),
    "no-gold-rows": sound_case(id="d", gold_rows=None),
    "no-mutation": sound_case(id="e", mutations=[]),
    "setup-size": sound_case(id="f", setup_facts=sound_case()["setup_facts"][:3]),
    "repeated-fact": sound_case(id="g", setup_facts=[*sound_case()["setup_facts"], "Scores are in the blue folder."]),
    "self-trap": sound_case(id="h", must_not_contain=["trombone player", "heated"]),
    "forbidden-in-required": sound_case(id="i", must_not_contain=["trombone player", "valves"]),
    "forbidden-never-said": sound_case(id="j", must_not_contain=["trombone player", "bassoon"]),
    "required-not-in-gold": sound_case(id="k", must_contain=["spare valves", "trumpet"]),
    "no-bystander": other_case(id="l", must_contain=["second Sunday"]),
    "oracle-fails": sound_case(id="m", must_contain=["spare valves", "tuba"]),
    "null-passes": sound_case(id="n", must_contain=[]),
    "nuke-passes": other_case(id="o", must_contain=["second Sunday"]),
    "verbatim-passes": sound_case(id="p", must_not_contain=[]),
}


@pytest.mark.parametrize("reason", DEFECTS)
def test_each_defect_is_found_by_its_reason(tmp_path: Path, reason: str) -> None:
    found = objections(tmp_path, DEFECTS[reason])
    assert reason in {objection.reason for objection in found}
    assert {objection.line for objection in found} == {1}


def test_each_reason_is_explained_to_authors() -> None:
    explained = set(re.findall(r"`([a-z-]+)`", GUIDE.read_text(encoding="utf-8")))
    assert explained >= {*DEFECTS, "too-many-rows", "duplicate-id", "duplicate-content"}


def test_every_line_is_checked_and_numbered_as_in_the_file(tmp_path: Path) -> None:
    found = objections(tmp_path, "[1", "", sound_case(), sound_case(id="late", category="?"), '{"id": 7}')
    assert [(o.line, o.case_id) for o in found] == [(1, "-"), (4, "late"), (5, "-")]


def test_an_unknown_field_is_named(tmp_path: Path) -> None:
    (found,) = objections(tmp_path, sound_case(mood="grim"))
    assert found.detail.startswith("mood: unknown field")


@pytest.mark.parametrize(
    "line", ['"\\ud800"', "[" * 100_000, "9" * 5000, '{"id": "\\udfff"}'], ids=["surrogate", "deep", "long", "id"]
)
def test_hostile_json_is_an_objection(tmp_path: Path, line: str) -> None:
    (found,) = objections(tmp_path, line)
    assert found.reason == "malformed-json"


def test_bytes_that_are_not_utf8_are_an_objection_and_a_byte_order_mark_is_none(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "f.jsonl", sound_case())
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes() + b"\xff\xfe\r\n")
    intake = check_file(path)
    assert len(intake.admitted) == 1
    assert [(o.line, o.reason) for o in intake.objections] == [(2, "malformed-json")]


def test_a_repeated_id_is_rejected_at_its_second_place(tmp_path: Path) -> None:
    (found,) = objections(tmp_path, sound_case(), other_case(id="lockers"))
    assert (found.line, found.reason, found.detail) == (2, "duplicate-id", "first used in line 1")


def test_repeated_content_is_found_whatever_its_order_capitals_and_question(tmp_path: Path) -> None:
    facts = [fact.upper() for fact in reversed(sound_case()["setup_facts"])]
    again = sound_case(
        id="again",
        setup_facts=facts,
        gold_rows=[row.upper() for row in sound_case()["gold_rows"]],
        final_query="Which lockers are in use?",
    )
    (found,) = objections(tmp_path, sound_case(), again)
    assert (found.line, found.reason, found.detail) == (2, "duplicate-content", "same facts and mutations as line 1")


def test_other_mutations_on_the_same_facts_are_another_case(tmp_path: Path) -> None:
    assert not objections(tmp_path, sound_case(), sound_case(id="again", mutations=[["purge", "the locker 31"]]))


def test_an_objection_is_one_line(tmp_path: Path) -> None:
    (found,) = objections(tmp_path, sound_case(id="two\nlines", **{"odd\nfield": 1}))
    assert "\n" not in found.case_id + found.detail


@pytest.mark.parametrize("content", [None, "\n \n"])
def test_a_file_without_cases_is_an_error_that_names_it(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "none.jsonl"
    if content is not None:
        path.write_text(content)
    with pytest.raises(UserError, match=r"none\.jsonl"):
        check_file(path)


def rejected(folder: Path) -> list[dict[str, str]]:
    with (folder / "rejections.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_taking_in_keeps_admitted_cases_and_lists_rejections(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "f.jsonl", sound_case(provenance="core"), other_case(category='a,"b'))
    taken = take_in(path, "vera", tmp_path / "out")
    assert (taken.admitted_by_category, taken.rejected) == ({"prefix_collision": 1}, 1)
    (case,) = read_cases(tmp_path / "out/cases.jsonl", "external")
    assert (case.case_id, case.provenance) == ("vera.lockers", "external")
    (row,) = rejected(tmp_path / "out")
    assert (row["author"], row["line"], row["case_id"], row["reason"]) == ("vera", "2", "club", "unknown-category")
    assert 'a,"b' in row["detail"]


def test_authors_add_up_and_the_same_author_is_replaced(tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = write_lines(tmp_path / "1.jsonl", sound_case(), "{")
    second = write_lines(tmp_path / "2.jsonl", other_case(), "[")
    take_in(second, "zoe", out)
    take_in(first, "vera", out)
    before = [(out / name).read_bytes() for name in ("cases.jsonl", "rejections.csv")]
    take_in(second, "zoe", out)
    assert [(out / name).read_bytes() for name in ("cases.jsonl", "rejections.csv")] == before
    assert [case.case_id for case in read_cases(out / "cases.jsonl", "e")] == ["vera.lockers", "zoe.club"]
    assert [row["author"] for row in rejected(out)] == ["vera", "zoe"]

    take_in(write_lines(tmp_path / "3.jsonl", other_case(id="new")), "zoe", out)
    assert [case.case_id for case in read_cases(out / "cases.jsonl", "e")] == ["vera.lockers", "zoe.new"]
    assert [row["author"] for row in rejected(out)] == ["vera"]


def test_a_case_of_another_author_is_not_taken_twice(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "f.jsonl", sound_case())
    take_in(path, "vera", tmp_path / "out")
    taken = take_in(path, "vera-2", tmp_path / "out")
    assert (taken.admitted_by_category, [o.reason for o in taken.objections]) == ({}, ["duplicate-content"])


def test_an_author_with_no_admitted_case_leaves_files_that_can_be_added_to(tmp_path: Path) -> None:
    take_in(write_lines(tmp_path / "f.jsonl", "{"), "vera", tmp_path / "out")
    take_in(write_lines(tmp_path / "g.jsonl", sound_case()), "zoe", tmp_path / "out")
    assert [case.case_id for case in read_cases(tmp_path / "out/cases.jsonl", "e")] == ["zoe.lockers"]


@pytest.mark.parametrize("author", ["", "a.b", "../up", "two words", "-x"])
def test_an_unusable_author_is_refused_before_anything_is_written(tmp_path: Path, author: str) -> None:
    path = write_lines(tmp_path / "f.jsonl", sound_case())
    with pytest.raises(UserError, match="author"):
        take_in(path, author, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_foreign_rejections_file_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "rejections.csv").write_text("my,own,table\n")
    with pytest.raises(UserError, match=r"rejections\.csv"):
        take_in(write_lines(tmp_path / "f.jsonl", sound_case()), "vera", tmp_path)
    assert (tmp_path / "rejections.csv").read_text() == "my,own,table\n"
    assert not (tmp_path / "cases.jsonl").exists()


def test_the_example_for_authors_is_admitted(tmp_path: Path) -> None:
    (example,) = re.findall(r"```jsonl\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    path = tmp_path / "example.jsonl"
    path.write_text(example, encoding="utf-8")
    intake = check_file(path)
    assert intake.objections == ()
    assert len(intake.admitted) == 2


def test_a_written_suite_is_checked_file_by_file_with_lines(tmp_path: Path) -> None:
    source = (ROOT / "suites/owners/same_fact.yaml").read_text(encoding="utf-8")
    faulty = source.replace("asker: Bo", "asker: Nobody", 1).replace(
        "- id: owners-same_fact-02", "- id: owners-same_fact-03", 1
    )
    (tmp_path / "same_fact.yaml").write_text(faulty, encoding="utf-8")
    ((path, intake),) = check_written(tmp_path)
    assert path == tmp_path / "same_fact.yaml" and intake.checked == 18
    lines = faulty.splitlines()
    found = {(objection.reason, lines[objection.line - 1]) for objection in intake.objections}
    assert found == {
        ("duplicate-id", "- id: owners-same_fact-03"),
        ("unknown-owner", "- id: owners-same_fact-01"),
        ("gold-of-another", "- id: owners-same_fact-01"),
    }


def test_a_case_repeated_in_another_file_of_the_suite_is_named(tmp_path: Path) -> None:
    source = ROOT / "suites/owners/same_fact.yaml"
    (tmp_path / "same_fact.yaml").write_bytes(source.read_bytes())
    (tmp_path / "shared_row.yaml").write_bytes(source.read_bytes())
    (_, first), (_, second) = check_written(tmp_path)
    assert first.objections == ()
    named = {(objection.reason, objection.detail) for objection in second.objections if objection.line == 1}
    assert ("duplicate-id", "first used in line 1 of same_fact.yaml") in named
    assert ("duplicate-content", "same facts and mutations as line 1 of same_fact.yaml") in named


def test_twins_are_checked_with_the_suite_whose_twins_they_are(tmp_path: Path) -> None:
    (tmp_path / "drift.yaml").write_text("- {id: t, twin_of: substring_trap-01, mutations: [[purge, Zoe]]}\n")
    ((_, intake),) = check_written(tmp_path, ROOT / "suites/adversarial")
    assert [(objection.line, objection.reason) for objection in intake.objections] == [(1, "malformed")]
    (tmp_path / "drift.yaml").rename(tmp_path / "substring_trap.yaml")
    ((_, intake),) = check_written(tmp_path / "substring_trap.yaml", ROOT / "suites/adversarial")
    assert len(intake.admitted) == 1
