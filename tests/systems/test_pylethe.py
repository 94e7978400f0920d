"""The authors' own store beside this project's: the same answers from the same vectors, and where the two differ."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.bench import Bench, HashEmbedder, make_case
from tests.support.contract import python_of
from tests.support.pilot_cases import CASES, EVERYTHING, FACTS

pytestmark = pytest.mark.slow


def run(system: str, folder: Path, cases: list[Any]) -> dict[str, dict[str, Any]]:
    """The trials of a system by case; its environment is built if missing."""
    rows = Bench(folder / system).run(
        cases, system, python=python_of(system), embedder=HashEmbedder(), start_timeout_s=120.0
    )
    return {row["case_id"]: row for row in rows}


def both(folder: Path, cases: list[Any]) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
    return run("pylethe", folder, cases), run("lethe", folder, cases)


def test_its_answers_are_those_of_lethe(tmp_path: Path) -> None:
    theirs, ours = both(tmp_path, CASES)
    assert {row["verdict"] for row in ours.values()} == {"pass"}
    for case_id, row in theirs.items():
        assert (row["verdict"], row["recalled"]) == ("pass", ours[case_id]["recalled"]), case_id


def test_a_purged_text_stays_in_its_file(tmp_path: Path) -> None:
    purge = make_case("purge", FACTS, EVERYTHING, must_not=[FACTS[0]], mutations=[("purge", FACTS[0])])
    theirs, ours = both(tmp_path, [purge])
    assert (theirs["purge"]["verdict"], theirs["purge"]["residue"]) == ("pass", 1)
    assert (ours["purge"]["verdict"], ours["purge"]["residue"]) == ("pass", 0)


def test_a_case_leaves_nothing_in_the_file_of_the_next(tmp_path: Path) -> None:
    cases = [CASES[3], make_case("next", FACTS[1:], EVERYTHING, must_not=[FACTS[0], "Aluko"])]
    assert run("pylethe", tmp_path, cases)["next"]["residue"] == 0


def test_an_operator_of_fts5_in_a_query_is_an_error_of_that_case_alone(tmp_path: Path) -> None:
    """The package strips punctuation from a lexical query and quotes no word; Lethe quotes each."""
    words = ["and", "AND", "OR", "NOT"]
    cases = [
        make_case(word, FACTS, EVERYTHING, must_not=["Ghent"], mutations=[("purge", f"glider {word} Ghent")])
        for word in words
    ]
    theirs, ours = both(tmp_path, cases)
    assert [theirs[word]["verdict"] for word in words] == ["pass", "error", "error", "error"]
    assert "fts5: syntax error" in theirs["NOT"]["error"]
    assert {row["verdict"] for row in ours.values()} == {"pass"}


def test_submerged_memories_take_the_places_of_live_ones(tmp_path: Path) -> None:
    """The package looks at the 40 nearest vectors for ten memories, and only then leaves out what is submerged."""
    old = ["kettle blue"] * 41
    released = make_case(
        "released", [*old, *FACTS], "kettle blue", [FACTS[0]], mutations=[("release", "kettle blue")] * 3
    )
    theirs, ours = both(tmp_path, [released])
    assert (theirs["released"]["verdict"], ours["released"]["verdict"]) == ("fail", "pass")
