"""A-MEM beyond the contract that every system is held to: what it asks the model, and what comes of no answer."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import scripted_a_mem
from tests.support.asking import AskingBench, answers, asking_bench
from tests.support.bench import make_case
from tests.support.scripted_endpoint import answer, refuse

pytestmark = pytest.mark.slow

FACTS = ["bicycle painted crimson", "passport expires november", "allergy to peanuts"]
STORED = make_case("stored", FACTS, "bicycle", FACTS)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[AskingBench]:
    with asking_bench(tmp_path) as opened:
        opened.endpoint.otherwise = answers(scripted_a_mem.answer)
        yield opened


@pytest.mark.parametrize(("evolution", "calls"), [(False, 3), (True, 5)])
def test_evolution_asks_once_more_for_all_notes_but_the_first(bench: AskingBench, evolution: bool, calls: int) -> None:
    (row,) = bench.run([STORED], "a_mem", "a_mem", options={"evolution": evolution})
    assert (row["verdict"], row["llm_calls"]) == ("pass", calls)


def test_prompts_hold_nothing_that_another_run_changes(bench: AskingBench) -> None:
    """Neither the time nor an identifier made by chance: an answer that was kept can be replayed."""
    first = bench.run([STORED], "a_mem", "a_mem", options={"evolution": True})
    bench.endpoint.otherwise = refuse(500)
    again = bench.run([STORED], "a_mem", "a_mem", options={"evolution": True})
    assert [row["recalled"] for row in again] == [row["recalled"] for row in first] != [[]]
    assert len(bench.endpoint.asked) == 5


def test_without_an_answer_a_case_is_an_error(bench: AskingBench) -> None:
    """A-MEM itself prints one line and stores the note without keywords."""
    bench.endpoint.otherwise = refuse(500)
    (row,) = bench.run([STORED], "a_mem", "a_mem")
    assert row["verdict"] == "error" and "a request failed (InternalServerError" in row["error"]


def test_an_answer_without_content_is_none(bench: AskingBench) -> None:
    bench.endpoint.otherwise = answer(None)
    (row,) = bench.run([STORED], "a_mem", "a_mem")
    assert row["verdict"] == "error" and "an answer without content" in row["error"]


def test_an_answer_that_is_no_json_is_left_to_a_mem(bench: AskingBench) -> None:
    bench.endpoint.otherwise = answer("These are the keywords: bicycle and crimson")
    (row,) = bench.run([STORED], "a_mem", "a_mem")
    assert row["verdict"] == "pass"


def test_an_edited_note_is_embedded_with_what_the_model_says_about_the_new_text(bench: AskingBench) -> None:
    supersede = ("supersede", "bicycle", "painted emerald")
    edited = make_case("edited", FACTS, "all", ["painted emerald context:"], ["crimson", "bicycle"], [supersede])
    (row,) = bench.run([edited], "tests.support.editing_a_mem:editing", "a_mem")
    assert (row["verdict"], row["llm_calls"]) == ("pass", 4)
