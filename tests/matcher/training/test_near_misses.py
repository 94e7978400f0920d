"""Requests for something that is nearly stored, made of those for what is."""

from dataclasses import replace

from lethe.matcher.evidence.reading import read
from lethe.matcher.training.decisions import Decision
from lethe.matcher.training.near_misses import near_miss

POOL = [token for token in read("where does Ilse keep the harp, Bruno, the accordion") if token.says]
STORED = Decision(
    "one", "c", "purge", "Ana's badge HB-204", "", ("Ana's badge is HB-204", "Bo sings"), ("", ""), frozenset([0]), {}
)


def test_one_telling_word_is_exchanged_and_nothing_is_meant() -> None:
    near = near_miss(STORED, POOL)
    assert near is not None
    assert near.meant == frozenset()
    assert near.memories == STORED.memories
    changed = set(near.query.lower().split()) ^ set(STORED.query.lower().split())
    assert len(changed) == 2
    assert near == near_miss(STORED, POOL)


def test_a_new_fact_is_about_the_same_as_the_request() -> None:
    fact = replace(STORED, operation="supersede", query="Ana's badge", new_fact="Ana has another badge")
    near = near_miss(fact, POOL)
    assert near is not None
    word = (set(near.query.lower().replace("'s", "").split()) - {"ana", "badge"}).pop()
    assert word in near.new_fact.lower()


def test_where_no_word_is_held_none_is_made() -> None:
    assert near_miss(replace(STORED, query="the harp"), POOL) is None
