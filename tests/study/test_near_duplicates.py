"""The near-duplicates of a suite, counted by measure."""

from pathlib import Path

from forgeteval.cases.near_duplicates import MEASURES, THRESHOLDS, NearDuplicates, Pair
from lethe.parquet import write_rows
from lethe.schemas import NEAR_DUPLICATES
from lethe.study.steps.find_near_duplicates import near_duplicate_rows

FOUND = NearDuplicates(
    pairs=(Pair("row", "a_1", "b", 0.9), Pair("row", "b", "c", 0.8), Pair("shape", "a_1", "c", 0.125)),
    closest=(Pair("meaning", "a_1", "b", 0.4504), Pair("row", "a_1", "b", 0.9), Pair("shape", "a_1", "c", 0.125)),
)


def test_each_measure_has_its_pairs_and_the_most_alike_one(tmp_path: Path) -> None:
    rows = near_duplicate_rows("mine", FOUND, {"meaning": 0.55, "row": 0.8, "shape": 0.12})
    assert [tuple(row.values()) for row in rows] == [
        ("mine", "meaning", 0.55, 0, "a_1", "b", 0.4504),
        ("mine", "row", 0.8, 2, "a_1", "b", 0.9),
        ("mine", "shape", 0.12, 1, "a_1", "c", 0.125),
    ]
    turned = NearDuplicates(FOUND.pairs[::-1], FOUND.closest[::-1])
    assert near_duplicate_rows("mine", turned, {"meaning": 0.55, "row": 0.8, "shape": 0.12}) == rows
    write_rows(tmp_path / "n.parquet", NEAR_DUPLICATES, rows, "test")


def test_a_suite_of_one_case_has_no_pair(tmp_path: Path) -> None:
    rows = near_duplicate_rows("mine", NearDuplicates((), ()), THRESHOLDS)
    assert [(row["measure"], row["pairs"], row["first"]) for row in rows] == [(name, 0, None) for name in MEASURES]
    write_rows(tmp_path / "n.parquet", NEAR_DUPLICATES, rows, "test")
