"""What the paper says of its data, counted: scripts by the letters of a case, and the size of Memora."""

from decimal import Decimal
from typing import Any

import pytest

from forgeteval.cases.reading import read_cases
from lethe.study.published import PublishedNumber, read_published
from lethe.study.replication.data_counts import count_scripts, memora_count, script_count, script_of
from lethe.study.replication.measured import Quantity
from tests.support.config import released_folder
from tests.support.paths import PUBLISHED

RELEASED = released_folder() / "adversarial_385.jsonl"


def case(fact: str, query: str = "the record", category: str = "cross_lingual_identifier") -> dict[str, Any]:
    mutations = [{"op": "purge", "query": query, "text": None}]
    return {"category": category, "setup_facts": [fact], "mutations": mutations, "final_query": "What is left?"}


def number(table: str, row: str, column: str) -> PublishedNumber:
    return PublishedNumber(table, row, column, Decimal(1), None, "count")


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("José has a locker.", "latin"),
        ("The ﬁle 🚀 of @dev.", "latin"),
        ("Ωmega joined.", "greek"),
        ("李明 and Li Ming.", "han"),
        ("Борис, whom the others call Βορις-бб", "cyrillic"),
        ("한국어", "hangul"),
    ],
)
def test_the_script_is_that_of_most_letters_that_are_not_latin(text: str, script: str) -> None:
    assert script_of(case(text)) == script == script_of(case("A locker.", text))


def test_cross_lingual_cases_alone_are_counted() -> None:
    cases = [case("Ωmega."), case("Ωmega."), case("Anna."), case("李明", category="substring_trap")]
    assert count_scripts(cases) == {"greek": 2, "latin": 1}
    assert script_count(number("text_scripts", "greek", "n"), cases) == Quantity(2)
    assert script_count(number("text_scripts", "all", "families"), cases) == Quantity(2)
    assert script_count(number("text_scripts", "each", "lethe+llm"), cases) is None
    assert script_count(number("text_scripts", "greek", "n"), []) is None


def test_memora_is_counted_by_persona() -> None:
    sizes = [{"questions": 15, "sources": 158, "operations": 99}, {"questions": 15, "sources": 145, "operations": 91}]
    found = {name: memora_count(number("text_memora", "data", name), sizes) for name in ("personas", "sessions")}
    assert found == {"personas": Quantity(2), "sessions": Quantity(303)}
    per_persona = memora_count(number("text_memora", "data", "sessions_per_persona"), sizes)
    assert per_persona == Quantity(151.5, None, 145, 158)
    assert memora_count(number("text_memora", "trade_off", "sessions"), sizes) is None
    assert memora_count(number("text_memora", "data", "personas"), []) is None


@pytest.mark.skipif(not RELEASED.is_file(), reason="needs data that are not part of the project: datasets/forgeteval")
def test_the_released_cases_have_the_nine_scripts_of_the_paper() -> None:
    cases = [
        {
            "category": case.category,
            "setup_facts": case.setup_facts,
            "mutations": [{"query": mutation.query, "text": mutation.text} for mutation in case.mutations],
            "final_query": case.final_query,
        }
        for case in read_cases(RELEASED, "published")
    ]
    printed = [one for one in read_published(PUBLISHED) if one.table == "text_scripts" and one.unit == "count"]
    assert len(printed) == 10
    for one in printed:
        assert script_count(one, cases) == Quantity(int(one.value or 0)), one
