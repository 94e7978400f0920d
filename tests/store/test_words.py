"""BM25 finds the words of every language, and a file says how it takes texts apart."""

import contextlib
from pathlib import Path

import pytest

from lethe.store import Store
from lethe.store.connection import connect
from lethe.store.errors import LetheError
from lethe.store.words import indexed, terms
from tests.support.hash_embedder import DIM, hash_embed

PROBES = {
    "Chinese in a sentence": ("我今天买了三个苹果和一些梨。", "苹果"),
    "Japanese": ("昨日東京へ行きました。", "東京"),
    "Korean with a particle": ("지난주에 서울에서 친구를 만났다.", "서울"),
    "Arabic with vowel signs": ("ذَهَبَ الوَلَدُ إِلَى المَدْرَسَةِ", "الولد"),
    "a decomposed letter": ("Rendez-vous au cafe\u0301 du coin", "café"),
    "sharp s": ("Die Straße ist gesperrt.", "STRASSE"),
    "emoji": ("Alles Gute 🎂 zum Tag", "🎂"),
    "Thai": ("ฉันชอบกินมะม่วงมาก", "มะม่วง"),
    "Hindi": ("मुझे हिन्दी पसंद है", "हिन्दी"),
    "wide letters": ("Ｋｅｙ ４２ is here", "key 42"),
    "an emoji with a skin tone": ("ok 👍🏽 done", "👍"),
    "a part of a Chinese sentence": ("他喜欢在早上跑步", "你早上跑步吗"),
    "an English stem": ("she runs daily", "RUNNING!"),
}


@pytest.mark.parametrize("probe", PROBES)
def test_words_of_every_language_are_found(store: Store, probe: str) -> None:
    text, query = PROBES[probe]
    store.inscribe_many(["something else", "別の話", "또 다른 것", text, "غير ذلك", "😀 other"])
    assert [found.memory_id for found in store.recall(query, mode="lexical")] == [4]


@pytest.mark.parametrize("probe", PROBES)
def test_what_was_indexed_is_taken_out(store: Store, probe: str) -> None:
    text, query = PROBES[probe]
    store.inscribe_many([text, "something else"])
    store.release(1)
    assert store.recall(query, mode="lexical") == []
    store.pin(1)
    assert len(store.recall(query, mode="lexical")) == 1
    store.purge(1)
    assert store.recall(query, mode="lexical") == []
    connection = store._database.connection
    connection.execute("INSERT INTO lexical (lexical, rank) VALUES ('integrity-check', 1)")


def test_nothing_of_a_purged_word_stays_in_the_file(path: Path) -> None:
    with Store(path, embed=hash_embed, dim=DIM) as store:
        store.inscribe_many(["我买了苹果 🎂 in der Straße", "kept"])
        needles = [word.encode() for word in (*indexed("苹果🎂", "every language").split(), "strass")]
        assert all(needle in store.stored_bytes() for needle in needles)
        store.purge(1)
    assert not [needle for needle in needles if needle in path.read_bytes()]


def test_the_file_names_its_words(path: Path) -> None:
    with Store(path, embed=hash_embed, dim=DIM, words="unicode61") as store:
        store.inscribe("昨日東京へ行きました。")
        assert store.recall("東京", mode="lexical") == []
        assert store.recall("東京", mode="lexical", at=1) == []
    with Store(path, embed=hash_embed, dim=DIM) as store:
        assert store.recall("東京", mode="lexical") == [], "the file's own"
        store.reset()
        store.inscribe("昨日東京へ行きました。")
        assert store.recall("東京", mode="lexical") == []
    with pytest.raises(LetheError, match="words of 'unicode61', not 'every language'; ask for those"):
        Store(path, embed=hash_embed, dim=DIM, words="every language")


def test_unknown_words_are_refused(path: Path) -> None:
    with pytest.raises(ValueError, match="words must be one of 'every language', 'unicode61', not 'klingon'"):
        Store(path, embed=hash_embed, dim=DIM, words="klingon")  # type: ignore[arg-type]
    Store(path, embed=hash_embed, dim=DIM).close()
    connection = connect(str(path))
    connection.execute("UPDATE store SET words = 'klingon'")
    connection.close()
    with pytest.raises(LetheError, match="words of 'klingon'"):
        Store(path, embed=hash_embed, dim=DIM)


def test_terms_hold_no_operators() -> None:
    assert terms('a* "b" NOT (c) {d}: -e\0f', "every language") == ["a", "b", "NOT", "c", "d", "e", "f"]
    assert terms("苹果派", "every language") == ["苹 果", "果 派"]
    assert terms("\ud800 \u0301 🏽", "every language") == []


@pytest.mark.parametrize("is_of_before", [False, True])
def test_a_deletion_elsewhere_leaves_the_index_right(tmp_path: Path, is_of_before: bool) -> None:
    """FTS5 raises its format's number at the first deletion, and other connections do not notice."""
    path = tmp_path / "memory.db"
    with Store(path, embed=hash_embed, dim=DIM) as made:
        made.inscribe_many([f"memory number{number} here" for number in range(10)])
    if is_of_before:
        with contextlib.closing(connect(str(path))) as connection:
            connection.execute("UPDATE lexical_config SET v = 4 WHERE k = 'version'")
    with Store(path, embed=hash_embed, dim=DIM) as first:
        assert first.audit() == []
        with Store(path, embed=hash_embed, dim=DIM) as second:
            second.purge_many([2, 5])
            assert first.audit() == second.audit() == []
