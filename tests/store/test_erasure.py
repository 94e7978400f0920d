"""What a purge leaves on disk: nothing, shown by a scan that finds everything before it."""

import contextlib
import hashlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from lethe.store import Store, indexes, make_key
from lethe.store.connection import fetch_all
from tests.support.hash_embedder import DIM, Clock, hash_embed

PURGED = range(1, 201)


def code(seed: str) -> str:
    """A word that occurs nowhere else; it ends in a digit, so that the stemmer leaves it whole."""
    return "".join(chr(65 + byte % 26) for byte in hashlib.sha256(seed.encode()).digest()[:10]) + "7"


def text(i: int) -> str:
    filler = " ".join(code(f"common {i * j % 40}") for j in range(1, 7))
    return f"Memo {i}: {filler} and {code(f'secret {i}')}"


def residue(path: Path) -> dict[str, int]:
    """How many of the texts, index tokens and vectors to be purged stand in the file or its companions."""
    files = [path.with_name(path.name + suffix) for suffix in ("", "-wal", "-shm")]
    content = b"\n".join(file.read_bytes() for file in files if file.exists())
    vectors = [hash_embed([text(i)]).tobytes() for i in PURGED]
    return {
        "texts": sum(text(i).encode() in content for i in PURGED),
        # the index stores a term in lower case and without the prefix it shares with its neighbour
        "tokens": sum(code(f"secret {i}").lower()[4:].encode() in content for i in PURGED),
        "vectors": sum(any(v[at : at + 8] in content for at in (0, 24, 56)) for v in vectors),
    }


NOTHING = {"texts": 0, "tokens": 0, "vectors": 0}
EVERYTHING = {"texts": len(PURGED), "tokens": len(PURGED), "vectors": len(PURGED)}


@pytest.fixture
def full(file_store: Store) -> Store:
    """300 memories from many transactions; 1 to 200 include submerged, pinned and moved ones."""
    for start in range(1, 301, 10):
        file_store.inscribe_many([text(i) for i in range(start, start + 10)])
    for i in range(1, 41):
        file_store.release(i)
    for i in range(21, 61):
        file_store.pin(i)
    return file_store


@contextlib.contextmanager
def reader(path: Path) -> Iterator[None]:
    """Another connection, in the middle of a read transaction."""
    connection = apsw.Connection(str(path))
    connection.execute("BEGIN")
    connection.execute("SELECT count(*) FROM memory").fetchall()
    yield
    connection.close()


def test_a_purge_leaves_nothing(path: Path, full: Store) -> None:
    assert residue(path) == {**EVERYTHING, "tokens": 180}  # those of 20 submerged ones are out of the index
    receipt = full.purge_many(PURGED)
    assert receipt.complete
    assert receipt.versions_erased == len(PURGED)
    assert residue(path) == NOTHING
    assert full.scrub()
    assert residue(path) == NOTHING
    assert full.count() == 100
    assert full.recall(text(300), 1, mode="vector")[0].text == text(300)
    assert full.recall(text(300), 1, mode="lexical")[0].text == text(300)


def test_the_words_of_memories_that_sink_together_leave_the_index(path: Path, file_store: Store) -> None:
    """Their texts stay; the purge of another empties the write-ahead log, in which older pages of the index stand."""
    file_store.inscribe_many([text(i) for i in range(1, 301)])
    file_store.touch(range(201, 301))
    assert file_store.consolidate(time.time() + 10 * 365 * 86_400) == len(PURGED)
    file_store.purge(300)
    assert residue(path) == {**EVERYTHING, "tokens": 0}
    assert [found.memory_id for found in file_store.recall(text(250), 1, mode="lexical")] == [250]


def words_of_pages(store: Store) -> list[int]:
    """The memories whose number, 10 digits, names a page in FTS5's list of the index."""
    query = "SELECT CAST(substr(term, 2) AS TEXT) FROM lexical_idx WHERE length(term) = 11"
    return [int(word) for (word,) in fetch_all(store._database.connection, query)]


@pytest.mark.parametrize("before", [lambda store, i: None, Store.release, lambda store, i: store.edit(i, "public")])
def test_no_page_of_the_index_is_named_by_a_purged_word(
    path: Path, file_store: Store, before: Callable[[Store, int], object]
) -> None:
    file_store.inscribe_many([f"reference {number:010}" for number in range(1, 3001)])
    named = words_of_pages(file_store)
    assert len(named) > 3
    for number in [*named, 3000]:
        before(file_store, number)
        assert file_store.purge(number).complete
        assert f"{number:010}".encode() not in path.read_bytes()
    assert file_store.audit() == [] and set(named).isdisjoint(words_of_pages(file_store))
    kept = words_of_pages(file_store)[0]
    assert [found.memory_id for found in file_store.recall(f"{kept:010}", 1, mode="lexical")] == [kept]


def test_scrub_names_the_pages_of_the_index_anew(path: Path, file_store: Store) -> None:
    file_store.inscribe_many([f"reference {number:010}" for number in range(1, 3001)])
    named = words_of_pages(file_store)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(indexes, "forget_words", lambda *_: None)
        file_store.purge(named[0])
    assert f"{named[0]:010}".encode() in path.read_bytes()
    assert file_store.scrub()
    assert f"{named[0]:010}".encode() not in path.read_bytes()


def test_single_purges_leave_nothing(path: Path, full: Store) -> None:
    for i in PURGED:
        assert full.purge(i).complete
    assert residue(path) == NOTHING


def test_older_versions_are_purged_too(path: Path, file_store: Store) -> None:
    file_store.inscribe_many([text(i) for i in PURGED])
    for i in PURGED:
        file_store.edit(i, f"public {i}")
    assert residue(path)["texts"] == len(PURGED)
    receipt = file_store.purge_many(PURGED)
    assert receipt.versions_erased == 2 * len(PURGED)
    assert residue(path) == NOTHING
    assert file_store.memories(include_submerged=True, at=1) == []


def test_a_reader_delays_erasure_and_the_receipt_says_so(path: Path, full: Store) -> None:
    with reader(path):
        receipt = full.purge_many(PURGED)
        assert not receipt.complete
        assert residue(path)["texts"] > 0
        assert not full.scrub()
        assert residue(path)["texts"] > 0
    assert full.scrub()
    assert residue(path) == NOTHING
    assert not full.verify(receipt) and full.verify(full.complete(receipt))


@pytest.mark.parametrize("failure", [apsw.FullError, apsw.IOError, apsw.BusyError])
def test_a_checkpoint_that_fails_does_not_undo_a_purge(
    path: Path, full: Store, monkeypatch: pytest.MonkeyPatch, failure: type[apsw.Error]
) -> None:
    def fail_at_checkpoint(connection: apsw.Connection, query: str, *bindings: object) -> list[tuple[int, ...]]:
        if "checkpoint" in query:
            raise failure
        return fetch_all(connection, query, *bindings)

    with monkeypatch.context() as patch:
        patch.setattr("lethe.store.database.fetch_all", fail_at_checkpoint)
        receipt = full.purge_many(PURGED)
    assert not receipt.complete
    assert receipt.memory_ids == tuple(PURGED)
    assert residue(path)["texts"] > 0
    assert full.scrub()
    assert residue(path) == NOTHING


def test_purging_again_completes_an_interrupted_erasure(path: Path, full: Store) -> None:
    with reader(path):
        assert not full.purge_many(PURGED).complete
    assert full.purge_many(PURGED).complete
    assert residue(path) == NOTHING


def test_scrub_cleans_an_index_that_kept_its_tokens(path: Path, file_store: Store) -> None:
    connection = file_store._database.connection
    connection.execute("INSERT INTO lexical (lexical, rank) VALUES ('secure-delete', 0)")
    file_store.inscribe_many([text(i) for i in range(1, 301)])
    for i in PURGED:
        file_store.purge(i)
    assert residue(path)["tokens"] > 0
    assert file_store.scrub()
    assert residue(path) == NOTHING


def test_scrub_returns_the_space(path: Path, full: Store) -> None:
    full.purge_many(PURGED)
    before = path.stat().st_size
    assert full.scrub()
    assert path.stat().st_size < before


def test_purge_and_scrub_in_memory(store: Store) -> None:
    store.inscribe_many([text(i) for i in range(1, 50)])
    vector = hash_embed([text(7)]).tobytes()
    assert vector in store.stored_bytes()
    assert store.purge(7).complete
    assert store.scrub()
    content = store.stored_bytes()
    assert text(7).encode() not in content
    assert code("secret 7").lower()[4:].encode() not in content
    assert vector not in content
    assert text(8).encode() in content


def test_purged_memories_are_recalled_by_nothing(store: Store) -> None:
    store.inscribe_many(["alpha one", "alpha two", "alpha three"])
    seq = store.last_seq()
    store.purge(3)
    for mode in ("hybrid", "vector", "lexical"):
        for at in (None, seq):
            assert {memory.memory_id for memory in store.recall("alpha three", mode=mode, at=at)} == {1, 2}
    assert [event.operation for event in store.log(3)] == ["inscribe", "purge"]
    assert store.log(3)[-1].depth_after is None
    assert store.inscribe("alpha four") == 4


def test_vectors_survive_purges_and_a_scrub(path: Path) -> None:
    with Store(path, embed=hash_embed, dim=DIM) as store:
        store.inscribe_many([text(i) for i in range(1, 101)])
        store.purge_many([*range(1, 17), *range(33, 41)])
        assert store.scrub()
        for memory in store.memories():
            best = store.recall(memory.text, 1, mode="vector")[0]
            assert (best.memory_id, best.similarity) == (memory.memory_id, 1.0)


def test_a_purge_with_its_line_erases_what_the_memory_superseded(file_store: Store, path: Path) -> None:
    ann = file_store.within(owner="ann")
    old = ann.inscribe("the key is at the bakery")
    middle = ann.supersede(old, "the key is at the chandlery")
    new = ann.supersede(middle, "the key is at home")
    file_store.purge(new)
    assert b"bakery" in path.read_bytes(), "a purge of one memory leaves its line"
    with pytest.raises(LookupError):
        ann.line([99])
    assert [memory.memory_id for memory in file_store.line([new])] == [middle, old]
    receipt = file_store.purge(new, with_line=True)
    assert receipt.memory_ids == (middle, old) and receipt.complete and file_store.verify(receipt)
    for file in path.parent.iterdir():
        assert b"bakery" not in file.read_bytes() and b"chandlery" not in file.read_bytes()


def test_a_purge_by_query_takes_the_line_of_each(store: Store) -> None:
    first, second = store.inscribe_many(["alpha one", "alpha two"])
    assert store.supersede(first, "beta") == 3 and store.supersede(second, "Beta.") == 4
    store.inscribe("gamma")
    assert store.purge_matching("beta", with_line=True).memory_ids == (3, 4, first, second)


def test_an_index_that_was_made_anew_is_one_for_every_connection(path: Path, file_store: Store) -> None:
    with Store(path, embed=hash_embed, dim=DIM) as other:
        file_store.inscribe_many([f"alpha {number}" for number in range(1, 6)])
        other.release(1)
        file_store.purge_many(range(1, 5))
        other.edit(5, "beta")
        assert file_store.audit() == other.audit() == []
        for first, second in 2 * [(other, file_store), (file_store, other)]:
            first.reset()
            for store in (second, first):
                store.release(store.inscribe("alpha"))
                store.purge_matching("alpha")
                assert first.audit() == second.audit() == []


TAMPERED = {
    "a word": "UPDATE version SET text = replace(text, 'bakery', 'chandlery') WHERE version_id = 2",
    "a checksum": "UPDATE version SET checksum = zeroblob(32) WHERE version_id = 2",
    "no letters": "UPDATE version SET text = CAST(x'ff00fe' AS TEXT) WHERE version_id = 2",
    "a blob": "UPDATE version SET text = x'00ff' WHERE version_id = 2",
    "an older text": "UPDATE version SET text = 'chandlery' WHERE version_id = 1",
    "gone": "DELETE FROM version WHERE version_id = 2",
}


@pytest.mark.parametrize("way", ["purge", "purge_matching", "purge_scope", "purge_expired"])
@pytest.mark.parametrize("statement", TAMPERED.values(), ids=TAMPERED)
def test_a_text_that_was_changed_in_the_file_is_erased_like_others(
    path: Path, clock: Clock, tmp_path: Path, statement: str, way: str
) -> None:
    key = make_key(tmp_path / "key")
    with Store(path, embed=hash_embed, dim=DIM, clock=clock, key=key) as store:
        ann = store.within(owner="ann")
        ann.inscribe("older weaver text", ttl=60)
        ann.edit(1, "the key is at the bakery")
        store.inscribe("zebra at the bakeries")
    with apsw.Connection(str(path)) as connection:
        connection.execute(statement)
    connection.close()
    with Store(path, embed=hash_embed, dim=DIM, clock=clock, key=key) as store:
        ann = store.within(owner="ann")
        clock.now += 61 if way == "purge_expired" else 0
        receipt = {
            "purge": lambda: ann.purge(1, stay_forgotten=True),
            "purge_matching": lambda: store.purge_matching("the key is at the bakery", floor=None),
            "purge_scope": lambda: ann.purge_scope(),
            "purge_expired": lambda: store.purge_expired(),
        }[way]()
        assert receipt.complete and receipt.memory_ids == (1,)
        assert store.verify(receipt), "the receipt holds"
        for file in path.parent.glob("memories.db*"):
            content = file.read_bytes()
            assert not any(word in content for word in (b"bakery", b"chandlery", b"weaver", b"ann"))
        assert [found.text for found in store.recall("bakeries", mode="lexical")] == ["zebra at the bakeries"]
        store.purge(2)
        assert store.recall("zebra", mode="lexical", match="any") == []


def test_a_word_that_stands_often_in_two_versions_leaves_the_index(path: Path, file_store: Store) -> None:
    """FTS5's own mistake: of 128 of a word and more it misread that an older version had it too."""
    file_store.inscribe("SECRET " * 100)
    file_store.inscribe_many([f"filler {number}" for number in range(8)])
    for times in (133, 70, 300):
        file_store.edit(1, "SECRET " * times + "more")
        file_store.inscribe("filler again")
    assert file_store.purge(1).complete
    assert b"secret" not in path.read_bytes().lower() and file_store.audit() == []
    file_store.inscribe("SECRET of Ines")
    assert [found.text for found in file_store.recall("secret", 1, mode="lexical")] == ["SECRET of Ines"]
