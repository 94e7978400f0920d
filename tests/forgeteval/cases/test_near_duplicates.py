import re
import time
from dataclasses import replace

import numpy as np
import pytest

from forgeteval.cases.case import Case, Mutation
from forgeteval.cases.near_duplicates import THRESHOLDS, Pair, closest_memories, masked, near_duplicates
from forgeteval.cases.reading import read_cases
from forgeteval.errors import UserError
from tests.support.paths import ADVERSARIAL


def case(case_id: str, *facts: str, query: str = "q", text: str | None = None) -> Case:
    op = "purge" if text is None else "supersede"
    return Case(case_id, "s", "drift", facts, (Mutation(op, query, text),), "Well?", (), ())


def vectors(**degrees: float) -> dict[str, np.ndarray]:
    """Unit vectors in the plane; the cosine of two texts is that of the angle between them."""
    return {
        text: np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))], dtype=np.float32)
        for text, angle in degrees.items()
    }


def random_vectors(cases: list[Case], dim: int = 64) -> dict[str, np.ndarray]:
    generator = np.random.default_rng(0)
    drawn = {}
    for one in cases:
        for text in one.texts():
            vector = generator.normal(size=dim).astype(np.float32)
            drawn.setdefault(text, vector / np.linalg.norm(vector))
    return drawn


def closest(measure: str, cases: list[Case], known: dict[str, np.ndarray]) -> Pair:
    return next(pair for pair in near_duplicates(cases, known).closest if pair.measure == measure)


def test_meaning_pairs_each_row_with_its_closest_and_averages_both_ways() -> None:
    cases = [case("a", "north", "east"), case("b", "north2", "sixty")]
    known = vectors(north=90, east=0, north2=90, sixty=60)
    # a to b: north 1, east cos 60; b to a: north2 1, sixty cos 30
    assert closest("meaning", cases, known).similarity == pytest.approx(
        ((1 + 0.5) / 2 + (1 + np.cos(np.pi / 6)) / 2) / 2
    )


def test_meaning_does_not_depend_on_how_many_rows_a_case_has() -> None:
    cases = [case("a", "x", "y", "z"), case("b", "x2")]
    known = vectors(x=0, y=90, z=90, x2=0)
    assert closest("meaning", cases, known).similarity == pytest.approx((1 / 3 + 1) / 2)


def test_row_is_the_closest_single_pair_and_new_texts_count() -> None:
    cases = [case("a", "x", "y", text="new"), case("b", "other", "copy"), case("c", "far")]
    known = vectors(x=0, y=20, new=100, other=170, copy=105, far=240)
    pair = closest("row", cases, known)
    assert (pair.first, pair.second) == ("a", "b")
    assert pair.similarity == pytest.approx(np.cos(np.radians(5)))
    assert closest_memories(cases[0], cases[1], known) == ("new", "copy")


def test_pairs_are_those_at_or_above_the_threshold_most_alike_first() -> None:
    cases = [case("a", "x"), case("b", "y"), case("c", "z")]
    known = vectors(x=0, y=30, z=40)
    thresholds = {**THRESHOLDS, "meaning": 2.0, "row": float(np.cos(np.radians(30))) - 1e-6}
    found = near_duplicates(cases, known, thresholds)
    assert [(p.measure, p.first, p.second) for p in found.pairs] == [("row", "b", "c"), ("row", "a", "b")]
    assert [p.measure for p in found.closest] == ["meaning", "row", "shape"]


def test_what_looks_like_a_name_number_quotation_or_identifier_is_masked() -> None:
    assert masked('Ask Ximena Roth-Gil at 9:30 about "the old pump" or ops@quay.example, not x_1.') == [
        "_", "at", "_", "about", "_", "or", "_", "not", "_",
    ]  # fmt: skip
    assert masked("rue de l'été: “la clef” est chez משה") == ["rue", "de", "l'été", "_", "est", "chez", "_"]
    assert masked(" -- ... ") == ["_"]


def test_shape_finds_a_case_retold_with_other_names() -> None:
    told = case("a", "Ximena keeps 4 hens behind the old barn.", "Feed is bought in Lund on Fridays.")
    retold = case("b", "Feed is bought in Ystad on Mondays.", "Goran Ek keeps 19 hens behind the old barn.")
    other = case("c", "The ferry was late again because of fog.")
    pair = closest("shape", [told, other, retold], random_vectors([told, other, retold]))
    assert (pair.first, pair.second, pair.similarity) == ("a", "b", pytest.approx(1.0))


def test_shape_is_the_share_of_common_trigrams() -> None:
    first, second = case("a", "the red hen sleeps here"), case("b", "the red hen sleeps outside today")
    # 3 and 4 trigrams of which 2 are common
    assert closest("shape", [first, second], random_vectors([first, second])).similarity == pytest.approx(2 / 5)


def test_shape_counts_queries_as_well() -> None:
    first = case("a", "the red hen sleeps", query="where the cat sits")
    second = case("b", "no common word stands here", query="where the cat sits")
    # of the facts' 2 and 3 trigrams none is common, of the queries' 2 both are
    assert closest("shape", [first, second], random_vectors([first, second])).similarity == pytest.approx(2 / 7)
    asked = [replace(one, final_query="who feeds the hens") for one in (first, second)]
    assert closest("shape", asked, random_vectors(asked)).similarity == pytest.approx(4 / 9)


def test_texts_too_short_for_a_trigram_are_not_alike() -> None:
    cases = [case("a", "yes"), case("b", "no")]
    assert closest("shape", cases, random_vectors(cases)).similarity == 0.0


def test_a_row_without_vector_is_named() -> None:
    with pytest.raises(UserError, match="case b: no vector for 'lost'"):
        near_duplicates([case("a", "x"), case("b", "lost")], vectors(x=0))


def test_one_case_has_no_pair() -> None:
    assert near_duplicates([case("a", "x")], vectors(x=0)).closest == ()


def test_a_renamed_copy_of_an_authored_case_is_found() -> None:
    cases = read_cases(ADVERSARIAL, "adversarial")
    original = cases[7]

    def rename(text: str) -> str:
        return re.sub(r"\d", "6", re.sub(r"\b[A-Z]\w+", "Quux", text))

    copy = replace(
        original,
        case_id="copy",
        setup_facts=tuple(map(rename, original.setup_facts)),
        mutations=tuple(replace(m, query=rename(m.query), text=m.text and rename(m.text)) for m in original.mutations),
        final_query=rename(original.final_query),
    )
    suite = [*cases, copy]
    found = near_duplicates(suite, random_vectors(suite), {**THRESHOLDS, "meaning": 2.0, "row": 2.0})
    assert [(pair.first, pair.second) for pair in found.pairs] == [(original.case_id, "copy")]


def test_no_two_authored_cases_have_the_same_shape() -> None:
    cases = read_cases(ADVERSARIAL, "adversarial")
    found = near_duplicates(cases, random_vectors(cases), {**THRESHOLDS, "meaning": 2.0, "row": 2.0})
    assert found.pairs == ()


def test_the_adversarial_suite_takes_a_few_seconds_at_most() -> None:
    cases = read_cases(ADVERSARIAL, "adversarial")
    known = random_vectors(cases, dim=384)
    start = time.perf_counter()
    near_duplicates(cases, known)
    assert time.perf_counter() - start < 5
