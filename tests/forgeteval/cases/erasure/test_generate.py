from pathlib import Path

import pytest
import yaml

from forgeteval.cases.erasure.generate import case_rows, cases_from_rows, generate_cases, read_material
from forgeteval.errors import UserError
from lethe.parquet import read_rows, write_rows
from lethe.residue.texts import find_marker
from lethe.schemas import ERASURE_CASES
from tests.support.paths import ROOT

FOLDER = ROOT / "suites" / "erasure"
CASES = generate_cases(read_material(FOLDER), 42, 40)


def test_a_case_is_the_same_however_many_there_are() -> None:
    assert generate_cases(read_material(FOLDER), 42, 3) == CASES[:3]
    assert generate_cases(read_material(FOLDER), 43, 3) != CASES[:3]


def test_every_marker_is_given_once_and_stands_in_its_own_memory_alone() -> None:
    markers = {case.marker for case in CASES} | {case.kept_marker for case in CASES}
    assert len(markers) == 2 * len(CASES)
    for case in CASES:
        for text in case.to_history().texts():
            holds = {marker for marker in (case.marker, case.kept_marker) if marker in text}
            assert holds == {
                case.target: {case.marker},
                case.marker: {case.marker},
                case.bystander: {case.kept_marker},
            }.get(text, set())


def test_no_case_is_found_by_the_marker_of_another() -> None:
    everything = "\n".join(text for case in CASES for text in case.to_history().texts()).encode()
    for case in CASES:
        assert not find_marker(everything.replace(case.marker.encode(), b""), case.marker)


def test_the_two_memories_of_a_case_are_of_different_sentences() -> None:
    assert all(case.question.split()[:4] != case.kept_question.split()[:4] for case in CASES)


def test_cases_pass_through_parquet(tmp_path: Path) -> None:
    path = tmp_path / "cases.parquet"
    write_rows(path, ERASURE_CASES, case_rows(CASES), "test")
    assert cases_from_rows(read_rows(path, ERASURE_CASES)) == CASES


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"told": "No slot here."}, "belongs into `told`"),
        ({"asked": "What is {marker}?"}, "belongs into `told`"),
        ({"other": "Where is {harbour}?"}, "unknown words harbour"),
    ],
)
def test_a_sentence_that_makes_no_case_is_named(change: dict[str, str], said: str, tmp_path: Path) -> None:
    material = yaml.safe_load((FOLDER / "material.yaml").read_text(encoding="utf-8"))
    material["sentences"][0] |= change
    (tmp_path / "material.yaml").write_text(yaml.safe_dump(material), encoding="utf-8")
    with pytest.raises(UserError, match=said):
        read_material(tmp_path)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"check `erasure\.folder`"):
        read_material(tmp_path)
