"""The table that checks a suite: near-duplicates."""

from lethe.tables.beyond.checks import near_duplicates_table
from tests.support.tables import setup
from tests.support.tables import texts as rows


def test_near_duplicates_show_the_most_alike_pair_of_each_measure() -> None:
    measures = [
        {
            "suite": "mine",
            "measure": "row",
            "threshold": 0.8,
            "pairs": 2,
            "first": "a_1",
            "second": "b",
            "similarity": 0.9,
        },
        {"suite": "mine", "measure": "shape", "threshold": 0.12, "pairs": 0, "first": None, "second": None}
        | {"similarity": None},
    ]
    table = near_duplicates_table(measures, setup())
    assert table.header == ("Measure", "Threshold", "Pairs", "Most alike", "Similarity")
    assert rows(table) == [[["row", "0.80", "2", "a_1, b", "0.900"], ["shape", "0.12", "0", "–", "–"]]]
    assert "Near-duplicates in the mine suite" in table.caption
