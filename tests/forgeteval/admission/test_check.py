import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from forgeteval.admission.check import CheckedFile, Objection, check_cases
from forgeteval.cases.library import load_suite
from forgeteval.cases.reading import read_cases
from forgeteval.errors import UserError
from forgeteval.foreign import Ended, apart
from forgeteval.limits import Limits
from lethe.people.external import take_in
from tests.support.example_cases import other_case, sound_case, write_lines
from tests.support.paths import ROOT

GUIDE = ROOT / "docs/contributing-cases.md"


def strictly(path: Path) -> CheckedFile:
    """The strict verdict on one file."""
    [checked] = check_cases(path, strict=True)
    return checked


def objections(path: Path, *lines: dict[str, Any] | str) -> list[Objection]:
    return list(strictly(write_lines(path / "cases.jsonl", *lines)).objections)


def test_sound_cases_are_admitted_in_order(tmp_path: Path) -> None:
    intake = strictly(write_lines(tmp_path / "f.jsonl", sound_case(), "", other_case()))
    assert (intake.checked, intake.rejected, intake.objections) == (2, 0, [])
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
    "required-never-said": sound_case(
        id="q", must_contain=["spare valves", "elephant"], gold_rows=[*sound_case()["gold_rows"], "An elephant."]
    ),
    "gold-never-told": sound_case(id="s", gold_rows=[*sound_case()["gold_rows"], "Zed owns a boat."]),
    "repeated-gold-row": sound_case(id="t", gold_rows=sound_case()["gold_rows"] * 2),
    "forbidden-told-last": sound_case(
        id="r", mutations=[["supersede", "locker 31", "The trombone player has left locker 31."]]
    ),
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
    others = {"too-many-rows", "duplicate-id", "duplicate-content", "state-without-mutation"}
    assert explained >= {*DEFECTS, *others}


def test_every_line_is_checked_and_numbered_as_in_the_file(tmp_path: Path) -> None:
    found = objections(tmp_path, "{1", "", sound_case(), sound_case(id="late", category="?"), '{"id": 7}')
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
    intake = strictly(path)
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


@pytest.mark.parametrize("sign", ["\u200b", "\u2060", "\u00ad", ".", "!", " ~ ", "\u2013"])
def test_a_sign_more_makes_no_other_case(tmp_path: Path, sign: str) -> None:
    first, again = (
        sound_case(id=name, mutations=[["purge", f"locker 31{more}"]]) for name, more in (("a", ""), ("b", sign))
    )
    (found,) = objections(tmp_path, first, again)
    assert (found.line, found.reason) == (2, "duplicate-content")


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
        strictly(path)


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


def test_a_file_with_no_admitted_case_replaces_nothing(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert take_in(write_lines(tmp_path / "1.jsonl", sound_case(), other_case()), "vera", out).replaced == 0
    before = [(out / name).read_bytes() for name in ("cases.jsonl", "rejections.csv")]
    with pytest.raises(UserError, match=r"2\.jsonl: no case is admitted, so the 2 of vera in .* stay"):
        take_in(write_lines(tmp_path / "2.jsonl", "{"), "vera", out)
    assert [(out / name).read_bytes() for name in ("cases.jsonl", "rejections.csv")] == before
    assert take_in(write_lines(tmp_path / "3.jsonl", other_case()), "vera", out).replaced == 2


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
    _, example = re.findall(r"```jsonl\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    path = tmp_path / "example.jsonl"
    path.write_text(example, encoding="utf-8")
    intake = strictly(path)
    assert intake.objections == []
    assert len(intake.admitted) == 2


def test_the_example_of_a_suite_of_ones_own_is_checked_as_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = GUIDE.read_text(encoding="utf-8")
    example, _ = re.findall(r"```jsonl\n(.*?)```", page, re.DOTALL)
    (said,) = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    Path("mine.jsonl").write_text(example, encoding="utf-8")
    [checked] = check_cases(Path("mine.jsonl"))
    assert "".join(f"{line}\n" for line in checked.lines()) == said
    assert "gdpr_request" in load_suite("mine.jsonl").categories


def test_a_written_suite_is_checked_file_by_file_with_lines(tmp_path: Path) -> None:
    source = (ROOT / "suites/owners/same_fact.yaml").read_text(encoding="utf-8")
    faulty = source.replace("asker: Bo", "asker: Nobody", 1).replace(
        "- id: owners-same_fact-02", "- id: owners-same_fact-03", 1
    )
    (tmp_path / "same_fact.yaml").write_text(faulty, encoding="utf-8")
    intake = strictly(tmp_path)
    assert intake.path == tmp_path / "same_fact.yaml" and intake.checked == 18
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
    first, second = check_cases(tmp_path, strict=True)
    assert first.objections == []
    named = {(objection.reason, objection.detail) for objection in second.objections if objection.line == 1}
    assert ("duplicate-id", "first used in line 1 of same_fact.yaml") in named
    assert ("duplicate-content", "same facts and mutations as line 1 of same_fact.yaml") in named


def test_twins_are_checked_with_the_suite_whose_twins_they_are(tmp_path: Path) -> None:
    (tmp_path / "drift.yaml").write_text("- {id: t, twin_of: substring_trap-01, mutations: [[purge, Zoe]]}\n")
    twins_of = ROOT / "suites/adversarial"
    [intake] = check_cases(tmp_path, strict=True, twins_of=twins_of)
    assert [(objection.line, objection.reason) for objection in intake.objections] == [(1, "malformed")]
    (tmp_path / "drift.yaml").rename(tmp_path / "substring_trap.yaml")
    [intake] = check_cases(tmp_path / "substring_trap.yaml", strict=True, twins_of=twins_of)
    assert len(intake.admitted) == 1


def foreign(**changes: Any) -> dict[str, Any]:
    """A sound case in words of its own, without gold memories."""
    words = {"category": "gdpr_request", "family": "erasure", "provenance": "interviews"}
    return sound_case(**{"gold_rows": None, **words, **changes})


def test_anybodys_cases_are_checked_without_gold_and_in_their_own_words(tmp_path: Path) -> None:
    nameless = other_case(id=None, category=None)
    path = write_lines(tmp_path / "mine.jsonl", foreign(), nameless, foreign(id="x", must_not_contain=["a tuba"]))
    [checked] = check_cases(path)
    assert [case.case_id for case in checked.admitted] == ["lockers", "mine-2"]
    assert list(checked.lines()) == [
        f"{path}:3: x: forbidden-never-said: no fact contains 'a tuba' as a whole",
        f"{path}:3: x: verbatim-passes: the verbatim control passes under the substring scorer",
        f"{path}:3: x: frozen-passes: the frozen control passes under the substring scorer",
        f"{path}:3: x: verbatim-passes: the verbatim control passes under the identifier scorer",
        f"{path}:3: x: frozen-passes: the frozen control passes under the identifier scorer",
        f"{path}:3: x: duplicate-content: same facts, mutations and question as line 1",
        f"{path}: 3 cases, 2 admitted, 1 rejected; 1 with gold_rows, 0 with states",
    ]


def test_where_there_is_gold_a_perfect_memory_has_to_pass(tmp_path: Path) -> None:
    wrong = foreign(gold_rows=["The hall is heated on Fridays."])
    [checked] = check_cases(write_lines(tmp_path / "mine.jsonl", wrong, foreign(id="second", final_query="Which?")))
    assert {(objection.line, objection.reason) for objection in checked.objections} == {
        (1, "required-not-in-gold"),
        (1, "no-bystander"),
        (1, "oracle-fails"),
    }
    assert (checked.with_gold, checked.with_states) == (1, 0)


def test_states_are_counted(tmp_path: Path) -> None:
    states = [{"purged": ["trombone player"]}, {"stays": ["spare valves"]}, {"stays": ["hall"]}, {"stays": ["folder"]}]
    [checked] = check_cases(write_lines(tmp_path / "mine.jsonl", foreign(states=states), other_case()))
    assert (checked.rejected, checked.with_gold, checked.with_states) == (0, 1, 1)


@pytest.mark.parametrize(
    ("changes", "reason", "said"),
    [
        ({"id": None}, "malformed", "case_id: missing"),
        ({"category": None}, "malformed", "category: missing"),
        ({"must_contain": None}, "malformed", "must_contain: missing"),
        ({"must_not_contain": None}, "malformed", "must_not_contain: missing"),
        ({"category": "gdpr_request"}, "unknown-category", "category: unknown value 'gdpr_request'; known: "),
        ({"family": "erasure"}, "unknown-family", "family: unknown value 'erasure'; known: supersession, "),
        ({"provenance": "web"}, "unknown-provenance", "provenance: unknown value 'web'; known: template, "),
    ],
)
def test_what_this_project_demands_of_its_own_cases(
    tmp_path: Path, changes: dict[str, Any], reason: str, said: str
) -> None:
    path = write_lines(tmp_path / "mine.jsonl", sound_case(**changes))
    [objection] = strictly(path).objections
    assert objection.reason == reason and objection.detail.startswith(said)
    [checked] = check_cases(path)
    assert not {found.reason for found in checked.objections} & {reason}


def test_another_question_about_the_same_is_another_case_but_not_here(tmp_path: Path) -> None:
    again = sound_case(id="again", final_query="Which lockers are in use?")
    path = write_lines(tmp_path / "mine.jsonl", sound_case(), again)
    assert [found.reason for found in strictly(path).objections] == ["duplicate-content"]
    assert check_cases(path)[0].rejected == 0


def test_only_our_files_hold_one_category_each(tmp_path: Path) -> None:
    text = (ROOT / "suites/owners/same_fact.yaml").read_text(encoding="utf-8")
    path = tmp_path / "same_fact.yaml"
    path.write_text(text.replace("- id: owners-same_fact-02\n", "- id: b\n  category: shared_row\n"), encoding="utf-8")
    [objection] = strictly(path).objections
    assert objection.detail == "category: is in the file of same_fact; move the case"
    [checked] = check_cases(path)
    assert (checked.rejected, checked.with_gold, checked.with_states) == (0, checked.checked, 0)


def test_a_json_list_is_checked_by_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps([foreign(), foreign(id="b", mood="grim")], indent=1), encoding="utf-8")
    [checked] = check_cases(path)
    [objection] = checked.objections
    assert checked.checked == 2 and objection.reason == "malformed" and "mood: unknown field" in objection.detail
    assert path.read_text(encoding="utf-8").splitlines()[objection.line - 1] == " {"


SUITES = [("adversarial", None), ("held_out", None), ("owners", None), ("languages", None), ("twins", "adversarial")]


@pytest.mark.parametrize(("name", "twins_of"), SUITES, ids=[name for name, _ in SUITES])
def test_our_suites_are_what_this_project_demands(name: str, twins_of: str | None) -> None:
    of = None if twins_of is None else ROOT / "suites" / twins_of
    checked = check_cases(ROOT / "suites" / name, strict=True, twins_of=of)
    assert [objection for file in checked for objection in file.objections] == []


def test_the_file_that_ends_the_check_is_named(tmp_path: Path) -> None:
    (tmp_path / "twins.jsonl").write_text("{}")
    (tmp_path / "cases.json").write_text(f"[{'1,' * 20_000_000}1]")
    with pytest.raises(Ended, match=r"cases\.json: reading it takes more than 128 MiB of memory"):
        apart(check_cases, tmp_path / "twins.jsonl", twins_of=tmp_path / "cases.json", limits=Limits(memory=128 << 20))
