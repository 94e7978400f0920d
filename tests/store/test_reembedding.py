"""Another embedder for a file: in steps that can be interrupted, and with nothing left of the old vectors."""

import os
import random
import signal
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from typer.testing import CliRunner

from lethe.store import Key, Store, reembedding, verifier
from lethe.store.cli.commands import store as app
from lethe.store.errors import LetheError
from lethe.store.items import Embedded, Put, writing
from tests.support.crashing import watched
from tests.support.editing import editing
from tests.support.hash_embedder import DIM, Clock, hash_embed

KEY = Key(bytes(range(32)))
TEXTS = [f"Tom keeps the number {number} in drawer {number % 7}." for number in range(40)]


def turned(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Another model: vectors of as many numbers that are like none of the old ones."""
    return hash_embed([f"{text} {text[::-1]}" for text in texts])[:, ::-1].copy()


def wide(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """A model of more numbers."""
    return np.hstack([hash_embed(texts), turned(texts)]) / np.float32(np.sqrt(2))


MODELS = {"turned": turned, "wide": wide}


def old(path: Path, key: Key | None = KEY) -> Store:
    return Store(path, embed=hash_embed, dim=DIM, embedder="hashes", key=key, clock=Clock())


def new(path: Path, name: str = "wide", key: Key | None = KEY) -> Store:
    return Store(path, embed=MODELS[name], embedder=name, key=key, clock=Clock())


def fill(path: Path, key: Key | None = KEY) -> None:
    with old(path, key) as store:
        store.inscribe_many(TEXTS)
        store.edit(1, "Tom keeps nothing.")
        store.supersede(2, "Tom threw the number 1 away.")
        store.purge(3)


def files(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(path.parent.glob(f"{path.name}*")))


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reembedding, "STEP", 7)


@pytest.mark.parametrize("key", [KEY, None])
@pytest.mark.parametrize("name", MODELS)
def test_all_texts_have_the_new_vectors_and_nothing_else_is_changed(path: Path, name: str, key: Key | None) -> None:
    fill(path, key)
    with old(path, key) as store:
        memories, then, head = store.memories(include_submerged=True), store.memories(at=40), store.head()
        before = hash_embed([*TEXTS[3:], TEXTS[0], "Tom keeps nothing."])
        assert all(vector.tobytes() in files(path) for vector in before)
        assert store.reembed(name, embed=MODELS[name])
        last = int(store._database.connection.execute("SELECT max(seq) FROM event").fetchall()[0][0])
    assert not any(vector.tobytes() in files(path) for vector in before)
    with new(path, name, key) as store:
        assert store.memories(include_submerged=True) == memories
        assert store.memories(at=40) == then and store.memories(at=last - 1) == store.memories()
        assert store.audit() == [] and store.last_seq() == last
        assert store.audit(head) == [f"since the head, events were logged: {last - head.size}"]
        assert store.extension(head).size == last
        for text in TEXTS[3:6]:
            (found,) = store.recall(text, k=1, mode="vector")
            assert (found.text, found.similarity) == (text, pytest.approx(1.0, abs=1e-3))
        (found,) = store.recall(TEXTS[0], k=1, mode="vector", at=40)
        assert (found.text, found.similarity) == (TEXTS[0], pytest.approx(1.0, abs=1e-3))
        assert store.verify(store.purge(5))
        if key is not None:
            verifier.verify(store.head().to_json(), key.public.hex(), path)


def test_every_store_that_was_open_is_refused_and_none_mixes_models(path: Path) -> None:
    fill(path)
    with old(path) as store, old(path) as other:
        scope = other.within(owner="ann")
        other.recall("Tom")
        store.reembed("turned", embed=turned)
        for call in (
            lambda: other.recall("Tom"),
            lambda: other.inscribe("Tom"),
            lambda: scope.memories(),
            lambda: store.recall("Tom"),
            lambda: store.purge(5),
        ):
            with pytest.raises(LetheError, match="was re-embedded with 'turned' since it was opened"):
                call()
    with pytest.raises(LetheError, match="was made with the embedder 'turned'"):
        old(path)
    with new(path, "turned") as store, new(path, "turned") as other:
        store.reset()
        assert other.count() == 0 and other.inscribe("Tom") == 1


def test_until_then_readers_and_writers_have_the_old_vectors(path: Path) -> None:
    fill(path)
    calls = 0
    with old(path) as store, old(path) as other:

        def busy(texts: Sequence[str]) -> npt.NDArray[np.float32]:
            nonlocal calls
            calls += 1
            (found,) = other.recall(TEXTS[5], k=1, mode="vector")
            assert found.text == TEXTS[5] and found.similarity == pytest.approx(1.0, abs=1e-3)
            other.inscribe(f"Told in step {calls}.") if calls < 9 else None
            other.purge(9 + calls)
            return wide(texts)

        store.reembed("wide", embed=busy, dim=2 * DIM)
    with new(path) as store:
        assert {f"Told in step {step}." for step in range(1, 9)} <= {memory.text for memory in store.memories()}
        assert store.audit() == [] and store.recall("Told in step 3.", k=1)[0].text == "Told in step 3."
    assert not any(wide([text]).tobytes() in files(path) for text in TEXTS[9 : 9 + calls])


def killed(path: Path, at: int) -> bool:
    """Re-embed in another process that is killed at that change of the file; whether it was."""
    child = os.fork()
    if child == 0:
        left = at

        def watch(write: object) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

        try:
            with watched(watch), old(path) as store:
                store.reembed("wide", embed=wide)
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("key", [None, KEY])
def test_an_end_that_is_moved_meanwhile_keeps_the_new_vectors(path: Path, key: Key | None) -> None:
    fill(path, key)
    with old(path, key) as store, old(path, key) as other:

        def busy(texts: Sequence[str]) -> npt.NDArray[np.float32]:
            other.move_end(1, 60)
            return wide(texts)

        store.reembed("wide", embed=busy, dim=2 * DIM)
    with new(path, key=key) as store:
        assert store.memory(1).expires_at == Clock()() + 60 and store.audit() == []


def test_it_goes_on_where_it_was_killed(path: Path) -> None:
    fill(path)
    untouched, chance, states = files(path), random.Random(0), set()
    for _ in range(25):
        for file in path.parent.glob(f"{path.name}*"):
            file.unlink()
        path.write_bytes(untouched)
        asked = 0

        def counting(texts: Sequence[str]) -> npt.NDArray[np.float32]:
            nonlocal asked
            asked += len(texts)
            return wide(texts)

        killed(path, chance.randint(1, 120))
        try:
            store = old(path)
        except LetheError:
            states.add("new")
        else:
            with store:
                assert store.recall(TEXTS[5], k=1, mode="vector")[0].text == TEXTS[5] and store.audit() == []
                aside = store._database.connection.execute("SELECT count(*) FROM reembedded").fetchall()[0][0]
                states.add("begun" if aside else "old")
                assert store.reembed("wide", embed=counting, dim=2 * DIM)
                assert asked == 41 - aside
        with new(path) as store:
            assert store.audit() == [] and store.recall(TEXTS[5], k=1, mode="vector")[0].text == TEXTS[5]
        assert not any(vector.tobytes() in files(path) for vector in hash_embed(TEXTS[3:]))
    assert states == {"old", "begun", "new"}


def test_two_at_once_with_different_embedders_do_not_mix(path: Path) -> None:
    fill(path)
    with old(path) as store, old(path) as other:

        def interrupted(texts: Sequence[str]) -> npt.NDArray[np.float32]:
            other.reembed("turned", embed=turned)
            return wide(texts)

        with pytest.raises(LetheError, match="was re-embedded with 'turned'"):
            store.reembed("wide", embed=interrupted, dim=2 * DIM)
    with new(path, "turned") as store:
        assert store.audit() == []


def test_another_embedder_starts_again(path: Path) -> None:
    fill(path)

    def failing(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        if TEXTS[20] in texts:
            raise RuntimeError("no power")
        return wide(texts)

    with old(path) as store:
        with pytest.raises(RuntimeError, match="no power"):
            store.reembed("wide", embed=failing, dim=2 * DIM)
        assert wide([TEXTS[5]]).tobytes() in files(path)
        assert store.reembed("turned", embed=turned)
    assert wide([TEXTS[5]]).tobytes() not in files(path)


@pytest.mark.parametrize("edit", ["vector = zeroblob(128)", "seal = NULL"])
def test_a_vector_that_was_changed_before_its_time_is_refused(path: Path, edit: str) -> None:
    fill(path)

    def failing(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        if TEXTS[20] in texts:
            raise RuntimeError("no power")
        return wide(texts)

    with old(path) as store, pytest.raises(RuntimeError, match="no power"):
        store.reembed("wide", embed=failing, dim=2 * DIM)
    with editing(path) as attacker:
        attacker.execute(f"UPDATE reembedded SET {edit} WHERE version_id = 4")
    with old(path) as store:
        with pytest.raises(LetheError, match="was changed while it was re-embedded"):
            store.reembed("wide", embed=wide)
        assert store.recall(TEXTS[5], k=1)[0].text == TEXTS[5]


def test_what_cannot_be_re_embedded_is_refused(path: Path, store: Store) -> None:
    with pytest.raises(ValueError, match="a store in memory keeps its embedder"):
        store.reembed("words")
    fill(path)
    with Store(path, embed=hash_embed, dim=DIM) as unkeyed, pytest.raises(LetheError, match="sealed under a key"):
        unkeyed.reembed("wide", embed=wide)
    with old(path) as keyed:
        with pytest.raises(ValueError, match="whole store"):
            keyed.within(owner="ann").reembed("wide", embed=wide)
        with pytest.raises(LetheError, match="none of that name"):
            keyed.reembed("none")
        vector = hash_embed(["tea"])[0]
        with writing(keyed) as batch:
            batch.put([Put(("likes",), "ines", {"text": "tea"}, [Embedded("tea", ["text", 0], vector)])])
        with pytest.raises(LetheError, match="holds items of an adapter"):
            keyed.reembed("wide", embed=wide)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke
    assert run(app, ["inscribe", "m.db", "Ines likes tea.", "--embedder", "words"]).exit_code == 0
    done = run(app, ["reembed", "m.db", "--embedder", "lethe-static-1"])
    assert done.exit_code == 0, done.output
    with Store("m.db") as store:
        assert store.recall("tea", k=1)[0].text == "Ines likes tea."
