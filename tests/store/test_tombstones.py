"""What was erased to stay forgotten is refused until it is learned again."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lethe.store import Key, StaysForgotten, Store
from lethe.store.errors import LetheError
from lethe.store.normalisation import spelling
from tests.support.hash_embedder import DIM, hash_embed

KEY = Key(bytes(range(32)))
TEXT = "Ines's  PIN at Straße 4 is １２34, café"
SPELLINGS = [
    TEXT,
    "ines's pin at STRASSE 4 is 1234, CAFÉ",
    " Ines's\tPIN at\nStraße 4 is 1234,\u00a0café ",
    "Ines's PIN at Straße 4 is 1234, cafe\u0301",
    "In\u200bes's PIN at Straße 4 is 1234, c\u00adafé",
    "\ufeffInes's PIN at Straße 4\r\nis 1234, café\ufe0f",
    "Ines's\u3164PIN at\u2800Straße 4 is 1234, café",
    "Ine\u3164s's PIN at Stra\u2800ße 4 is 1234, café",
    "In\u034fes's PIN at Straße 4 is 12\x0034, café",
    "Ines's PIN at Straße 4 is 1234, café.",
]
SPELLINGS += [
    f"{TEXT}\r\n",
    f"{TEXT}\x00",
    TEXT.replace(" ", "\r\n"),
    TEXT.replace("PIN", "P\u115fI\u1160N"),
    TEXT.replace(" PIN", "\uffa0PIN"),
    TEXT.replace("PIN", "P\u2060I\u180eN"),
    TEXT.replace("PIN", "P\x1bI\x7fN"),
    TEXT.replace("PIN", "P\ufff9I\U000e0041N"),
    TEXT.replace("PIN", "P\U000e0100I\U0001d173N"),
    TEXT.replace("PIN", "P\u200cI\u200dN"),
    TEXT.replace("4", "4\ufe0f"),
    TEXT.replace("ß", "\u1e9e"),
    f"\u202e{TEXT}\u202c",
    f"\u2066{TEXT}\u2069",
    f"{TEXT}\u3002",
    f"{TEXT}\uff0e \u200b",
    "".join(chr(ord(mark) + 0xFEE0) if "!" <= mark <= "~" else mark for mark in TEXT),
]
OTHERS = ["Ines's PIN at Straße 4 is 1235, café", "Ines's PIN at Straße 4 is 1234, cafe", "Ines likes tea"]
WAYS: dict[str, Callable[[Store, str], object]] = {
    "inscribe": lambda store, text: store.inscribe(text),
    "inscribe_many": lambda store, text: store.inscribe_many(["new", text]),
    "supersede": lambda store, text: store.supersede(2, text),
    "supersede_matching": lambda store, text: store.supersede_matching("other", text),
    "edit": lambda store, text: store.edit(2, text),
    "edit_matching": lambda store, text: store.edit_matching("other", text),
    "within": lambda store, text: store.within(owner="ines").inscribe(text),
}


def opened(path: Path | str = ":memory:", key: Key | None = KEY) -> Store:
    return Store(path, embed=hash_embed, dim=DIM, key=key)


@pytest.fixture
def forgetful() -> Store:
    store = opened()
    store.inscribe_many([TEXT, "other fact"])
    store.purge(1, stay_forgotten=True)
    return store


@pytest.mark.parametrize("text", SPELLINGS)
@pytest.mark.parametrize("way", WAYS)
def test_a_forgotten_text_is_refused_by_every_way_in(forgetful: Store, way: str, text: str) -> None:
    log = forgetful.log()
    with pytest.raises(StaysForgotten) as caught:
        WAYS[way](forgetful, text)
    assert caught.value.positions == ((1,) if way == "inscribe_many" else (0,))
    assert forgetful.log() == log and forgetful.count() == 1


@pytest.mark.parametrize("text", OTHERS)
def test_another_text_is_not(forgetful: Store, text: str) -> None:
    assert spelling(text) != spelling(TEXT)
    assert forgetful.inscribe(text) == 3


@pytest.mark.parametrize("text", SPELLINGS)
def test_what_was_erased_disguised_is_refused_plain(text: str) -> None:
    store = opened()
    store.inscribe(text)
    store.purge_matching(TEXT, stay_forgotten=True, floor=None)
    assert store.count() == 0
    with pytest.raises(StaysForgotten):
        store.inscribe(TEXT)
    assert store.forgotten([text]) == [True]


def test_texts_can_be_asked_about_beforehand(forgetful: Store) -> None:
    assert forgetful.forgotten([*SPELLINGS, *OTHERS]) == [True] * len(SPELLINGS) + [False] * len(OTHERS)
    assert opened(key=None).forgotten(["anything"]) == [False]


@pytest.mark.parametrize("text", SPELLINGS)
def test_relearning_lifts_a_tombstone_and_is_logged(forgetful: Store, text: str) -> None:
    memory_id = forgetful.relearn(text)
    assert [event.operation for event in forgetful.log(memory_id)] == ["relearn"]
    assert forgetful.memory(memory_id).text == text
    assert forgetful.blame(memory_id)[0].text == text
    assert forgetful.inscribe(TEXT) == memory_id + 1, "from then on it is a text like others"
    with pytest.raises(LookupError, match="no tombstone"):
        forgetful.relearn("never forgotten")


def test_tombstones_of_format_3_are_kept(path: Path) -> None:
    text = "I ❤\ufe0f tea"
    with opened(path) as store:
        store.inscribe(text)
        store.purge(1, stay_forgotten=True)
        connection = store._database.connection
        connection.execute("UPDATE tombstone SET keyed_hash = ?", (KEY._hash(spelling(text)),))
        assert store.forgotten([text, "other"]) == [True, False]
        assert store.forgotten([store.memory(store.relearn(text)).text]) == [False]


def test_older_versions_stay_forgotten_too() -> None:
    store = opened()
    store.inscribe("alpha one")
    store.edit(1, "alpha two")
    store.purge_matching("alpha", stay_forgotten=True)
    assert store.forgotten(["alpha one", "ALPHA TWO", "alpha"]) == [True, True, False]


def test_without_the_choice_a_purged_text_may_come_back() -> None:
    store = opened()
    store.inscribe("alpha one")
    store.purge(1)
    assert store.inscribe("alpha one") == 2


def test_tombstones_outlast_closing_and_scrubbing_and_hold_no_text(path: Path) -> None:
    with opened(path) as store:
        store.inscribe("xylophone alpha")
        store.purge(1, stay_forgotten=True)
        store.scrub()
        assert b"xylophone" not in store.stored_bytes()
    with opened(path) as store, pytest.raises(StaysForgotten):
        store.inscribe("Xylophone Alpha")


@pytest.mark.parametrize("key", [None, Key(bytes(32))], ids=["none", "another"])
def test_without_the_right_key_nothing_is_taken_in_unseen(path: Path, key: Key | None) -> None:
    with opened(path) as store:
        store.inscribe_many(["alpha one", "alpha two"])
        store.purge(1, stay_forgotten=True)
    with opened(path, key) as store:
        for act in (
            lambda: store.inscribe("alpha"),
            lambda: store.relearn("alpha one"),
            lambda: store.forgotten(["x"]),
            lambda: store.purge(2),
        ):
            with pytest.raises(LetheError, match=r"the key that they were made with|sealed under"):
                act()
    with opened(path) as store:
        assert store.count() == 1 and store.verify_log()


def test_tombstones_need_a_key() -> None:
    store = opened(key=None)
    store.inscribe("alpha")
    with pytest.raises(ValueError, match="key"):
        store.purge(1, stay_forgotten=True)
    assert store.count() == 1


def test_a_tombstone_of_one_owner_is_neither_seen_nor_lifted_by_another(path: Path) -> None:
    with opened(path) as store:
        ann, bob = store.within(owner="ann"), store.within(owner="bob")
        ann.inscribe("alpha one")
        ann.purge(1, stay_forgotten=True)
        assert bob.forgotten(["alpha one"]) == [False]
        with pytest.raises(LookupError, match="no tombstone"):
            bob.relearn("alpha one")
        assert bob.inscribe("alpha one") == 2
        for scoped in (ann, store, ann.within(session="monday")):
            with pytest.raises(StaysForgotten):
                scoped.inscribe("Alpha ONE")
        bob.purge(2, stay_forgotten=True)
        ann.relearn("alpha one")
        assert bob.forgotten(["alpha one"]) == [True] and ann.forgotten(["alpha one"]) == [False]
        assert b"ann" not in b"".join(
            mark for (mark,) in store._database.connection.execute("SELECT mark FROM tombstone")
        )


def test_what_was_nobodys_stays_forgotten_for_everybody() -> None:
    store = opened()
    ann = store.within(owner="ann")
    store.inscribe("alpha one")
    store.purge(1, stay_forgotten=True)
    with pytest.raises(StaysForgotten):
        ann.relearn("alpha one")
    store.relearn("alpha one")
    assert ann.forgotten(["alpha one"]) == [False]


@pytest.mark.parametrize("given", ["alpha", b"alpha", {"alpha": 1}, [5], None])
def test_texts_that_are_none_are_no_damage(path: Path, given: Any) -> None:
    with Store(path, embed=hash_embed, dim=DIM, key=KEY) as store:
        store.purge(store.inscribe("alpha"), stay_forgotten=True)
        with pytest.raises(TypeError, match=r"several texts must be a list|a text must be a string"):
            store.forgotten(given)
        with pytest.raises(TypeError, match=r"several texts must be a list|a text must be a string"):
            store.inscribe_many(given)
        assert store.forgotten(["alpha"]) == [True]
