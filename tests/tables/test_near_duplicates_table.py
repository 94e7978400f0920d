"""The near-duplicate report."""

from lethe.cases.near_duplicates import MEASURES, THRESHOLDS, NearDuplicates, Pair
from lethe.tables.cells import PaperTable
from lethe.tables.near_duplicates import near_duplicates_table

FOUND = NearDuplicates(
    pairs=(Pair("row", "a_1", "b", 0.9), Pair("row", "b", "c", 0.8), Pair("shape", "a_1", "c", 0.125)),
    closest=(Pair("meaning", "a_1", "b", 0.4504), Pair("row", "a_1", "b", 0.9), Pair("shape", "a_1", "c", 0.125)),
)


def example(label: str = "Mine") -> PaperTable:
    return near_duplicates_table(FOUND, {"meaning": 0.55, "row": 0.8, "shape": 0.12}, label)


def test_a_row_gives_threshold_pairs_and_the_most_alike_two() -> None:
    table = example()
    assert table.name == "near_duplicates"
    assert list(table.header) == ["Measure", "threshold", "pairs", "most alike", "similarity"]
    assert [[list(row) for row in section] for section in table.sections] == [
        [
            ["meaning", "0.55", "0", "a_1, b", "0.450"],
            ["row", "0.80", "2", "a_1, b", "0.900"],
            ["shape", "0.12", "1", "a_1, c", "0.125"],
        ]
    ]
    assert "Near-duplicates in the mine suite" in table.caption


def test_the_order_of_what_was_found_does_not_matter() -> None:
    turned = NearDuplicates(FOUND.pairs[::-1], FOUND.closest[::-1])
    assert near_duplicates_table(turned, THRESHOLDS, "Mine").to_csv() == example().to_csv()


def test_a_suite_of_one_case_has_no_pair() -> None:
    (rows,) = near_duplicates_table(NearDuplicates((), ()), THRESHOLDS, "Mine").sections
    assert [list(row) for row in rows] == [
        [measure, f"{THRESHOLDS[measure]:.2f}", "0", "–", "–"] for measure in MEASURES
    ]
