"""The DELETE-and-reindex baseline does what docs/systems.md, "Exactness", says, weaknesses included."""

from collections.abc import Iterator

import pytest

from lethe.systems.naive_sql import NaiveSqlAdapter


@pytest.fixture
def sql() -> Iterator[NaiveSqlAdapter]:
    adapter = NaiveSqlAdapter()
    yield adapter
    adapter.close()


def memories(sql: NaiveSqlAdapter) -> list[str]:
    """All memories, oldest first: a query without a hit returns the newest."""
    return sql.recall_texts("zzzzzz", 100)[::-1]


def test_recall_ranks_by_bm25(sql: NaiveSqlAdapter) -> None:
    sql.inscribe(["the cat sat on the mat", "cat cat cat", "a dog and a cat and a bird and a fish", "no match"])
    # More occurrences in a shorter memory rank higher; one shared term is enough.
    expected = ["cat cat cat", "the cat sat on the mat", "a dog and a cat and a bird and a fish"]
    assert sql.recall_texts("cat unheard", 10) == expected
    assert sql.recall_texts("cat", 2) == expected[:2]


def test_a_rare_term_outweighs_a_common_one(sql: NaiveSqlAdapter) -> None:
    sql.inscribe([f"common filler {n}" for n in range(9)] + ["rare filler here"])
    assert sql.recall_texts("common rare", 1) == ["rare filler here"]


def test_recall_folds_case_and_diacritics_and_does_not_stem(sql: NaiveSqlAdapter) -> None:
    sql.inscribe(["Café Größe", "walking"])
    assert sql.recall_texts("CAFE", 10) == ["Café Größe"]
    assert sql.recall_texts("walk", 1) == ["walking"]  # by age, not by a match:
    sql.inscribe(["newest"])
    assert sql.recall_texts("walk", 1) == ["newest"]


def test_equal_scores_come_oldest_first(sql: NaiveSqlAdapter) -> None:
    sql.inscribe(["same words", "other", "same words"])
    assert sql.recall_texts("same", 10) == ["same words", "same words"]


@pytest.mark.parametrize("query", ["unheard", "?!", "---", "", "_", "😀"])
def test_without_a_hit_the_newest_memories_come(sql: NaiveSqlAdapter, query: str) -> None:
    sql.inscribe(["one", "two", "three"])
    assert sql.recall_texts(query, 2) == ["three", "two"]


def test_an_empty_store_recalls_nothing(sql: NaiveSqlAdapter) -> None:
    assert sql.recall_texts("anything", 10) == []


def test_supersede_deletes_the_best_match_and_inserts(sql: NaiveSqlAdapter) -> None:
    sql.inscribe(["the cat is black and lives in a house", "cat black", "a dog"])
    sql.supersede("black cat", "the cat is white")
    assert memories(sql) == ["the cat is black and lives in a house", "a dog", "the cat is white"]


def test_supersede_without_a_hit_only_inserts(sql: NaiveSqlAdapter) -> None:
    sql.inscribe(["one", "two"])
    sql.supersede("unheard", "three")
    assert memories(sql) == ["one", "two", "three"]


def test_release_deletes_every_lexical_match(sql: NaiveSqlAdapter) -> None:
    sql.inscribe([f"cat number {n}" for n in range(50)] + ["a dog", "the bird"])
    sql.release("the cat")  # "the" costs the bird
    assert memories(sql) == ["a dog"]


def test_release_without_a_hit_deletes_nothing(sql: NaiveSqlAdapter) -> None:
    sql.inscribe(["one", "two"])
    sql.release("unheard")
    sql.release("?")
    assert memories(sql) == ["one", "two"]


def test_purge_deletes_by_substring_and_so_too_much(sql: NaiveSqlAdapter) -> None:
    sql.inscribe(["paid TXN-12345", "paid TXN-123456", "paid TXN-1234", "txn-12345 refunded"])
    sql.purge("TXN-12345")
    assert memories(sql) == ["paid TXN-1234"]


def test_purge_needs_the_whole_query_as_a_substring(sql: NaiveSqlAdapter) -> None:
    sql.inscribe(["paid TXN-12345"])
    sql.purge("transaction TXN-12345")
    assert memories(sql) == ["paid TXN-12345"]


def test_like_folds_ascii_case_only(sql: NaiveSqlAdapter) -> None:
    sql.inscribe(["ÄRGER", "ärger"])
    sql.purge("ärger")
    assert memories(sql) == ["ÄRGER"]


def test_wildcards_of_like_are_not_escaped(sql: NaiveSqlAdapter) -> None:
    sql.inscribe(["user_1", "userX1", "other"])
    sql.purge("user_1")
    assert memories(sql) == ["other"]


@pytest.mark.parametrize(
    "query",
    [
        'cat" OR "dog',
        "cat AND NOT dog",
        "NEAR(cat dog, 2)",
        "text: cat",
        "cat*",
        "^cat",
        "-cat",
        "(cat",
        "cat)",
        "'; DROP TABLE memories; --cat",
        '"""cat"""',
        "{text} : cat + dog",
        "cat \x01 dog",
        "AND cat OR",
    ],
)
def test_operators_and_quotes_in_a_query_are_words(sql: NaiveSqlAdapter, query: str) -> None:
    sql.inscribe(["cat", "bystander"])
    assert sql.recall_texts(query, 10) == ["cat"]
    sql.purge(query)  # no memory holds the query as a whole
    assert memories(sql) == ["cat", "bystander"]
    sql.supersede(query, "a tiger")
    assert memories(sql) == ["bystander", "a tiger"]
    sql.inscribe(["cat"])
    sql.release(query)
    assert "cat" not in memories(sql)
    assert "bystander" in memories(sql)


def test_operator_words_are_searched_for_as_words(sql: NaiveSqlAdapter) -> None:
    sql.inscribe(["this AND that", "neither nor"])
    assert sql.recall_texts("AND", 10) == ["this AND that"]


def test_quotes_in_facts_are_kept(sql: NaiveSqlAdapter) -> None:
    facts = ['O\'Brien said "no"', "100% _sure_", "a;b--c"]
    sql.inscribe(facts)
    assert memories(sql) == facts
    sql.purge("O'Brien")
    assert memories(sql) == facts[1:]


def test_a_long_query_is_no_error(sql: NaiveSqlAdapter) -> None:
    sql.inscribe(["needle", "other"])
    assert sql.recall_texts(" ".join(f"w{n}" for n in range(3000)) + " needle", 10) == ["needle"]


def test_reset_empties_the_store(sql: NaiveSqlAdapter) -> None:
    sql.inscribe(["one"])
    sql.reset()
    assert memories(sql) == []
    assert b"one" not in sql.stored_bytes()


def test_stored_bytes_hold_the_memories(sql: NaiveSqlAdapter) -> None:
    sql.inscribe(["a needle here"])
    assert b"a needle here" in sql.stored_bytes()


def test_a_query_longer_than_a_pattern_may_be_is_looked_for_as_it_stands(sql: NaiveSqlAdapter) -> None:
    long = "Z" * 100_000
    sql.inscribe([f"{long.lower()} and more", "zzz"])
    sql.purge(long)
    assert memories(sql) == ["zzz"]


@pytest.mark.parametrize("query", ["\0", "\0one", "a\0b"])
def test_a_query_with_a_nul_is_looked_for_as_it_stands(sql: NaiveSqlAdapter, query: str) -> None:
    sql.inscribe(["one", "comma", f"has {query} in it"])
    sql.purge(query)
    assert memories(sql) == ["one", "comma"]


def test_wildcards_of_a_query_are_wildcards_in_the_papers_pattern(sql: NaiveSqlAdapter) -> None:
    sql.inscribe(["file_1", "fileX1", "file"])
    sql.purge("file_1")
    assert memories(sql) == ["file"]
