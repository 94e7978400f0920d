"""Which case of a category is shown."""

from typing import Any

from lethe.study.worked_examples import chosen_examples


def case(name: str, category: str, fact: str = "plain") -> dict[str, Any]:
    return {
        "case_id": name,
        "category": category,
        "setup_facts": [fact],
        "mutations": [{"op": "purge", "query": "q", "text": None}],
        "final_query": "?",
        "must_contain": [],
        "must_not_contain": [],
    }


def chosen(cases: list[dict[str, Any]], *passing: set[str]) -> list[str]:
    verdicts = {
        str(place): {one["case_id"]: "pass" if one["case_id"] in names else "fail" for one in cases}
        for place, names in enumerate(passing)
    }
    return [row["case_id"] for row in chosen_examples(cases, verdicts, str.isascii)]


def test_the_case_that_divides_the_systems_most_evenly_is_shown() -> None:
    cases = [case(name, "negation_trap") for name in ("a", "b", "c")]
    assert chosen(cases, {"a", "b", "c"}, {"b", "c"}, {"c"}, {"c"}) == ["b"]


def test_of_several_the_first_in_the_suite_is_shown() -> None:
    cases = [case(name, "negation_trap") for name in ("b", "a", "c")]
    assert chosen(cases, {"b", "a"}, {"c"}) == ["b"]
    assert chosen(cases) == ["b"]


def test_each_category_has_one_in_the_known_order() -> None:
    cases = [case("n", "negation_trap"), case("w", "will"), case("s", "substring_trap")]
    assert chosen(cases, set()) == ["s", "n", "w"]


def test_a_case_that_cannot_be_set_is_shown_only_where_there_is_no_other() -> None:
    cases = [case("g", "negation_trap", "Γ"), case("l", "negation_trap"), case("k", "will", "Γ")]
    assert chosen(cases, {"g"}, set()) == ["l", "k"]
