import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from forgeteval.cases.interchange import case_from_json
from lethe.parquet import write_arrow
from lethe.schemas import VECTORS
from lethe.stored.cases import write_suite
from tests.cli.conftest import Command
from tests.support.example_cases import other_case, sound_case, write_lines


def test_check_cases_on_a_good_file(forgeteval: Command, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "good.jsonl", sound_case(), other_case())
    assert forgeteval("check-cases", "--strict", path) == (0, f"{path}: 2 cases, 2 admitted, 0 rejected\n", "")


def test_check_cases_names_each_line_and_reason(forgeteval: Command, tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "bad.jsonl",
        sound_case(),
        "{",
        other_case(category="nonsense"),
        other_case(family="nonsense"),
        other_case(mood="grim"),
        other_case(id="trap", must_not_contain=["first Thursday", "walnuts"]),
        sound_case(must_not_contain=["trombone player", "valves"]),
        other_case(must_contain=["second Sunday"], id="alone"),
    )
    code, out, err = forgeteval("check-cases", "--strict", path)
    *lines, summary = out.splitlines()
    assert (code, err, summary) == (1, "", f"{path}: 8 cases, 1 admitted, 7 rejected")
    heads = [tuple(line.removeprefix(f"{path}:").split(": ")[:3]) for line in lines]
    for expected in [
        ("2", "-", "malformed-json"),
        ("3", "club", "unknown-category"),
        ("4", "club", "unknown-family"),
        ("5", "club", "malformed"),
        ("6", "trap", "self-trap"),
        ("7", "lockers", "forbidden-in-required"),
        ("7", "lockers", "duplicate-id"),
        ("7", "lockers", "duplicate-content"),
        ("8", "alone", "no-bystander"),
        ("8", "alone", "nuke-passes"),
    ]:
        assert expected in heads
    assert "mood: unknown field" in out


def test_check_cases_as_json(forgeteval: Command, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "bad.jsonl", sound_case(id="é", category="x"), sound_case())
    code, out, _ = forgeteval("check-cases", "--strict", path, "--format", "json")
    report = json.loads(out)
    (rejection,) = report.pop("rejections")
    counted = {"checked": 2, "admitted": 1, "rejected": 1, "with_gold": 1, "with_states": 0}
    assert (code, report) == (1, {"file": str(path), "strict": True, **counted})
    assert set(rejection) == {"line", "case_id", "reason", "detail"}
    assert (rejection["line"], rejection["case_id"], rejection["reason"]) == (1, "é", "unknown-category")


def test_a_missing_file_is_one_line(forgeteval: Command, tmp_path: Path) -> None:
    code, out, err = forgeteval("check-cases", tmp_path / "none.jsonl")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"error: {tmp_path / 'none.jsonl'}: cannot be read")


def test_intake_counts_by_category(forgeteval: Command, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "f.jsonl", sound_case(), other_case(), "{")
    code, out, _ = forgeteval("intake", path, "--author", "vera", "--out", tmp_path / "out")
    assert code == 0
    assert out.splitlines() == [
        "paraphrase_supersession: 1",
        "prefix_collision: 1",
        f"{tmp_path / 'out/cases.jsonl'}: 2 cases of vera admitted",
        f"{tmp_path / 'out/rejections.csv'}: 1 case of vera rejected",
    ]


def test_intake_does_not_take_in_what_it_wrote(forgeteval: Command, tmp_path: Path) -> None:
    written = write_lines(tmp_path / "cases.jsonl", sound_case())
    before = written.read_bytes()
    code, _, err = forgeteval("intake", written, "--author", "vera", "--out", tmp_path)
    assert code == 2 and f"{written}: the file that intake writes; name the author's own" in err
    assert written.read_bytes() == before and list(tmp_path.iterdir()) == [written]


def test_intake_writes_over_no_cases_of_one_s_own(forgeteval: Command, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    mine = write_lines(tmp_path / "out/cases.jsonl", sound_case())
    before = mine.read_bytes()
    theirs = write_lines(tmp_path / "f.jsonl", other_case())
    code, _, err = forgeteval("intake", theirs, "--author", "vera", "--out", tmp_path / "out")
    assert code == 2 and f"{mine}: lockers was not taken in by intake; name another folder by --out" in err
    assert mine.read_bytes() == before
    mine.write_text('{"setup_facts": []}\n', encoding="utf-8")
    code, _, err = forgeteval("intake", theirs, "--author", "vera", "--out", tmp_path / "out")
    assert code == 2 and f"{mine}:1: case_id: missing; mend it, or name another folder by --out" in err


def test_intake_says_what_it_replaces_and_fails_without_a_case(forgeteval: Command, tmp_path: Path) -> None:
    options = ("--author", "vera", "--out", tmp_path / "out")
    code, out, _ = forgeteval("intake", write_lines(tmp_path / "f.jsonl", "{"), *options)
    assert code == 1 and "0 cases of vera admitted" in out and "replaced" not in out
    forgeteval("intake", write_lines(tmp_path / "g.jsonl", sound_case()), *options)
    code, out, _ = forgeteval("intake", write_lines(tmp_path / "h.jsonl", other_case()), *options)
    assert code == 0 and f"{tmp_path / 'out/cases.jsonl'}: 1 case of vera from before replaced" in out


def test_intake_takes_no_author_for_two(forgeteval: Command, tmp_path: Path) -> None:
    path, out = write_lines(tmp_path / "f.jsonl", sound_case()), tmp_path / "out"
    assert forgeteval("intake", path, "--author", "vera", "--out", out)[0] == 0
    code, _, err = forgeteval("intake", path, "--author", "Vera", "--out", out)
    assert code == 2 and f"author 'Vera': {out / 'cases.jsonl'} has cases of vera; give that name" in err


def test_intake_reads_rejections_that_a_spreadsheet_saved(forgeteval: Command, tmp_path: Path) -> None:
    out = tmp_path / "out"
    forgeteval("intake", write_lines(tmp_path / "f.jsonl", "{"), "--author", "vera", "--out", out)
    rejections = out / "rejections.csv"
    before = rejections.read_text(encoding="utf-8")
    rejections.write_text("\ufeff" + before.replace(",", ";").replace("\n", "\r\n"), encoding="utf-8", newline="")
    assert (
        forgeteval("intake", write_lines(tmp_path / "g.jsonl", sound_case()), "--author", "ada", "--out", out)[0] == 0
    )
    assert rejections.read_text(encoding="utf-8") == before


@pytest.fixture
def suite(tmp_path: Path) -> list[object]:
    """Options that name a suite of two cases whose memories have orthogonal vectors."""
    cases = [case_from_json(row, "s", "here") for row in (sound_case(), other_case())]
    write_suite(tmp_path / "cases.parquet", cases, "test")
    texts = list(dict.fromkeys(text for case in cases for text in case.texts()))
    table = pa.table([texts, list(np.eye(len(texts), dtype=np.float32))], schema=VECTORS.arrow)
    write_arrow(tmp_path / "vectors.parquet", VECTORS, table, "test")
    return ["--suite-cases", tmp_path / "cases.parquet", "--vectors", tmp_path / "vectors.parquet"]


def test_near_duplicates_shows_the_closest_of_a_clean_suite(forgeteval: Command, suite: list[object]) -> None:
    code, out, _ = forgeteval("near-duplicates", *suite)
    assert code == 0
    assert out.splitlines()[:2] == ["meaning: 0 pairs at or above 0.55; most similar:", "  0.000 lockers club"]


def test_near_duplicates_above_a_given_threshold_are_an_error(forgeteval: Command, suite: list[object]) -> None:
    code, out, _ = forgeteval("near-duplicates", *suite, "--threshold", "row=0", "--threshold", "shape=0.9")
    assert code == 1
    lines = out.splitlines()
    at = lines.index("row: 1 pairs at or above 0; most similar:")
    assert lines[at + 1] == "  0.000 lockers club"
    assert lines[at + 2].strip() in sound_case()["setup_facts"]
    assert "shape: 0 pairs at or above 0.9; most similar:" in lines


@pytest.mark.parametrize("threshold", ["size=1", "row", "row=much", "row=nan", "row=inf", "row=80", "row=-1"])
def test_an_unusable_threshold_is_one_line(forgeteval: Command, suite: list[object], threshold: str) -> None:
    code, _, err = forgeteval("near-duplicates", *suite, "--threshold", threshold)
    assert (code, err.count("\n")) == (2, 1)
    assert err.startswith(f"error: --threshold {threshold}: ")
