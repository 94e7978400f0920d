"""Suites as package data: whatever a case holds comes back, and what was changed is not read."""

from dataclasses import replace
from pathlib import Path

import pytest

from forgeteval.cases import packaged
from forgeteval.cases.case import Case, Mutation
from forgeteval.cases.interchange import cases_sha256
from forgeteval.cases.packaged import Packaged, packaged_suites, read_packaged, write_packaged
from forgeteval.cases.states import FactState
from forgeteval.cases.template.suite import generate_template_suite
from forgeteval.errors import UserError

CASE = Case(
    case_id="one",
    suite="mine",
    category="gdpr_request",
    setup_facts=("王小明 😀", "a NUL \x00 inside", "line\nbreak \u2028 and more"),
    mutations=(Mutation("purge", "王小明"), Mutation("supersede", "q", "new\x00text")),
    final_query="who?",
    must_contain=(),
    must_not_contain=("王小明",),
)
CASES = [
    CASE,
    replace(CASE, case_id="two", gold_rows=(), forbidden_identifiers=("x",), family="erasure", provenance="web"),
    replace(CASE, case_id="three", states=(FactState(1, "stays", ("a", "b")), FactState(0, "purged", ("c",)))),
    replace(CASE, case_id="four", owners=(("Ada", "Bo"), ("Ada",), ("Bo",)), asked_by=("Ada", "Bo"), asker="Ada"),
    replace(CASE, case_id="five", twin_of="one", mechanism="m", script="s", identifier_type="t", language="l"),
]
TEMPLATE = {"seed": 7, "cases_per_family": 2, "distractors": 1}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in place of the package's, with a written suite and a generated one."""
    generated = generate_template_suite("made", *TEMPLATE.values())
    (tmp_path / "of_before.jsonl").write_text("{}", encoding="utf-8")
    suites = [
        (Packaged("mine", "Mine", 3, len(CASES), cases_sha256(CASES)), CASES),
        (Packaged("made", "Made", 0, len(generated), cases_sha256(generated), TEMPLATE), generated),
    ]
    write_packaged(tmp_path, suites)
    monkeypatch.setattr(packaged, "_folder", lambda: tmp_path)
    packaged_suites.cache_clear()
    monkeypatch.setattr(packaged, "packaged_suites", packaged_suites.__wrapped__)
    return tmp_path


def test_whatever_a_case_holds_comes_back(folder: Path) -> None:
    assert read_packaged("mine") == CASES


def test_a_generated_suite_has_no_file(folder: Path) -> None:
    assert read_packaged("made") == generate_template_suite("made", *TEMPLATE.values())
    assert sorted(path.name for path in folder.iterdir()) == ["index.json", "mine.jsonl"]


def test_what_was_changed_is_not_read(folder: Path) -> None:
    path = folder / "mine.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace("who?", "when?", 1), encoding="utf-8")
    with pytest.raises(UserError, match="suite mine: not the cases that the package was made with"):
        read_packaged("mine")
