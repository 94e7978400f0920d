"""Who changed a memory, and why: given to a view, told by the log, erased with the memory, and vouched for."""

import asyncio
import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lethe.store import AsyncStore, BlameEntry, Key, Store, log_root, verifier
from lethe.store.errors import LetheError
from lethe.store.graph import Graph
from tests.support.editing import editing
from tests.support.hash_embedder import DIM, Clock, hash_embed
from tests.support.receipts import refused
from tests.support.store_formats import receipt_of, unpack

KEY = Key(bytes(range(32)))
NOBODY = (None, None)


@pytest.fixture
def keyed(path: Path, clock: Clock) -> Iterator[Store]:
    with Store(path, embed=hash_embed, dim=DIM, clock=clock, key=KEY) as store:
        yield store


def causes(store: Store) -> list[tuple[str, str | None, str | None]]:
    return [(event.operation, event.actor, event.reason) for event in store.log()]


def in_files(path: Path, words: str) -> bool:
    """Whether these words stand in the store's file, or in what SQLite keeps beside it."""
    return any(words.encode() in file.read_bytes() for file in path.parent.iterdir())


def test_every_kind_of_change_tells_who_and_why(store: Store) -> None:
    view = store.within(actor="agent-7", reason="a mail came")
    first, second, third = view.inscribe_many(["alpha", "beta", "gamma"])
    changes: list[Callable[[], object]] = [
        lambda: view.inscribe_once("delta"),
        lambda: view.inscribe("epsilon", derived_from=[first]),
        lambda: view.edit(first, "alpha beta"),
        lambda: view.edit_matching("alpha beta", "alpha gamma"),
        lambda: view.supersede(second, "zeta"),
        lambda: view.supersede_matching("zeta", "eta"),
        lambda: view.decay(first, 0.5),
        lambda: view.surrender(third, "release"),
        lambda: view.pin(third),
        lambda: view.unpin(third),
        lambda: view.move_end(third, 60.0),
        lambda: view.touch([third]),
        lambda: view.consolidate(),
        lambda: view.load(store.memories()[:1]),
        lambda: view.purge(third),
    ]
    for change in changes:
        before = store.last_seq()
        change()
        assert {(event.actor, event.reason) for event in store.log(since=before)} <= {("agent-7", "a mail came")}
    assert {operation for operation, *_ in causes(store)} >= {"derive", "edit", "supersede", "commit", "consolidate"}
    store.inscribe("theta")
    assert causes(store)[-1] == ("inscribe", *NOBODY)
    assert store.audit() == []


def test_an_event_of_nobody_is_logged_as_before(store: Store, clock: Clock) -> None:
    store.inscribe("alpha")
    (event,) = store.log()
    assert (event.cause, event.actor, event.reason) == (None, None, None)
    connection = store._database.connection
    assert connection.execute("SELECT count(*) FROM cause").fetchall() == [(0,)]
    assert log_root([event]) == store.head().root


def test_a_view_has_one_actor_and_its_latest_reason(store: Store) -> None:
    agent = store.within(owner="ines", actor="agent-7", reason="spring clean")
    agent.within(actor="agent-7").inscribe("alpha")
    agent.within(reason="Ines asked for it", session="may").inscribe("beta")
    assert causes(store) == [
        ("inscribe", "agent-7", "spring clean"),
        ("inscribe", "agent-7", "Ines asked for it"),
    ]
    with pytest.raises(ValueError, match="one actor"):
        agent.within(actor="agent-8")


@pytest.mark.parametrize("given", ["", " \n", "\u200b", "a\ud800"])
def test_what_tells_nothing_is_refused(store: Store, given: str) -> None:
    for name in ("actor", "reason"):
        with pytest.raises(ValueError, match=name):
            store.within(**{name: given})
    with pytest.raises(TypeError, match="reason must be a string"):
        store.within(reason=7)  # type: ignore[arg-type]


def test_blame_tells_who_told_each_step_and_why(store: Store) -> None:
    ann = store.within(owner="ann")
    first = ann.within(actor="agent-7").inscribe("alpha")
    second = ann.within(reason="Ann moved").supersede(first, "beta")
    steps = store.blame(second)
    assert [(step.text, step.actor, step.reason) for step in steps] == [
        ("alpha", "agent-7", None),
        ("beta", None, "Ann moved"),
    ]
    store.within(reason="request 4711").purge(first)
    assert store.blame(second) == [
        BlameEntry(first, None, steps[0].inscribed_at, steps[0].superseded_at),
        BlameEntry(second, "beta", steps[1].inscribed_at, None),
    ]


def test_blame_in_a_scope_tells_nothing_of_a_step_that_has_expired(store: Store, clock: Clock) -> None:
    first = store.within(reason="Ann moved").inscribe("alpha", ttl=60)
    second = store.supersede(first, "beta")
    store.move_end(second, None)
    clock.pass_days(1)
    assert [(step.text, step.reason) for step in store.blame(second)] == [(None, None), ("beta", None)]


@pytest.mark.parametrize("of_older", [True, False])
def test_a_purge_reaches_what_was_said_of_a_supersession_from_both_ends(
    path: Path, keyed: Store, of_older: bool
) -> None:
    first = keyed.within(actor="agent one", reason="FIRST").inscribe("alpha")
    second = keyed.within(reason="from Rome to OSLO", actor="agent two").supersede(first, "beta")
    third = keyed.within(reason="FIRST again").inscribe("gamma")
    receipt = keyed.within(actor="office", reason="request 4711").purge(first if of_older else second)
    assert receipt.complete
    kept = ("agent one", "FIRST") if not of_older else NOBODY
    assert causes(keyed) == [
        ("inscribe", *kept),
        ("inscribe", *NOBODY),
        ("supersede", *NOBODY),
        ("inscribe", None, "FIRST again"),
        ("purge", "office", "request 4711"),
    ]
    assert not in_files(path, "OSLO") and not in_files(path, "agent two")
    assert in_files(path, "agent one") is not of_older
    assert keyed.memory(third) and keyed.audit() == [] and keyed.verify(receipt)
    assert keyed.receipt_of(receipt.memory_ids[0]) == receipt


def test_a_purge_reaches_what_was_said_of_what_was_derived(path: Path, keyed: Store) -> None:
    first, other = keyed.inscribe_many(["alpha", "beta"])
    keyed.within(reason="a summary of ALPHA").inscribe("gamma", derived_from=[first])
    keyed.within(reason="left OUT").release(first)
    keyed.within(reason="left IN").release(other)
    keyed.purge(first)
    assert not in_files(path, "ALPHA") and not in_files(path, "left OUT")
    assert [reason for *_, reason in causes(keyed) if reason] == ["left IN"]
    assert keyed.audit() == []


def test_a_purge_erases_the_salts_of_what_was_said(keyed: Store) -> None:
    memory = keyed.within(actor="agent-7").inscribe("alpha")
    ((salt,),) = keyed._database.connection.execute("SELECT salt FROM cause").fetchall()
    assert isinstance(salt, bytes) and salt in keyed.stored_bytes()
    commitment = keyed.log()[0].cause
    keyed.purge(memory)
    assert salt not in keyed.stored_bytes()
    assert keyed.log()[0].cause == commitment


def test_what_was_said_goes_with_the_line_and_with_the_scope(path: Path, keyed: Store) -> None:
    ines = keyed.within(owner="ines")
    first = ines.within(reason="WORD one").inscribe("alpha")
    second = ines.within(reason="WORD two").supersede(first, "beta")
    ines.purge(second, with_line=True)
    ines.within(reason="WORD three").inscribe("gamma")
    ines.purge_scope()
    keyed.within(reason="WORD four").inscribe("delta", ttl=60)
    keyed._clock.pass_days(1)  # type: ignore[attr-defined]
    keyed.purge_expired()
    assert not in_files(path, "WORD") and keyed.audit() == []


@pytest.mark.parametrize(
    "reason", ["he said: Ines lives in Rome!", "INES  LIVES\nin Rome", "not Ines lives in Oslo", "no summary of Ines"]
)
def test_the_reason_of_a_purge_does_not_quote_what_it_erases(path: Path, file_store: Store, reason: str) -> None:
    first = file_store.inscribe("Ines lives in Rome.")
    file_store.edit(first, "Ines lives in Oslo.")
    file_store.inscribe("summary of Ines", derived_from=[first])
    log = file_store.log()
    for name in ("actor", "reason"):
        with pytest.raises(ValueError, match="name the request"):
            file_store.within(**{name: reason}).purge(first, with_line=True)
    assert file_store.log() == log and file_store.count() == 2
    file_store.within(reason="Ines asked for it").purge(first, with_line=True)
    assert causes(file_store)[-1] == ("purge", None, "Ines asked for it")
    file_store.close()
    assert in_files(path, "Ines asked for it") and not in_files(path, "Rome")


def test_a_receipt_holds_for_a_purge_with_a_reason(path: Path, keyed: Store) -> None:
    ids = keyed.within(actor="agent-7").inscribe_many(["alpha", "beta", "gamma"])
    plain = keyed.purge(ids[2])
    receipt = keyed.within(reason="request 4711").purge_many(ids[:2])
    keyed.scrub()
    assert "request 4711" not in receipt.to_json()
    for given in (plain, receipt):
        verifier.verify(given.to_json(), KEY.public.hex(), path, keyed.extension(given).to_json())
    head = keyed.head()
    verifier.verify(head.to_json(), KEY.public.hex(), path)
    with editing(path) as attacker:
        attacker.execute("UPDATE cause SET reason = 'request 4712' WHERE seq = 5")
    with pytest.raises(verifier.Refused, match="event 5 is not what was said"):
        verifier.verify(head.to_json(), KEY.public.hex(), path)
    with editing(path) as attacker:
        attacker.execute("INSERT INTO cause VALUES (1, 'agent-7', NULL, x'00')")
    assert "still has an actor or a reason" in refused(receipt, KEY.public.hex(), path)
    assert not keyed.verify(receipt)


@pytest.mark.parametrize("more", ['"ab", "cd"', "null, 7", 'null, "ab", "cd"', "null"])
def test_a_receipt_whose_event_tells_more_is_refused(keyed: Store, more: str) -> None:
    keyed.inscribe("alpha")
    statement = verifier.read_statement(keyed.purge(1).to_json(), verifier.RECEIPT)
    statement["events"] = [statement["events"][0][:-1] + f", {more}]"]
    with pytest.raises(verifier.Refused, match="an event that is none"):
        verifier.check_receipt(statement)


@pytest.mark.parametrize("name", ["format-4", "format-5", "format-6", "format-7"])
def test_the_verifier_reads_a_file_of_an_older_format_as_it_is(path: Path, name: str) -> None:
    unpack(name, path)
    receipt = receipt_of(name)
    verifier.verify(receipt, KEY.public.hex(), path)
    with contextlib.closing(sqlite3.connect(path)) as reader:
        assert list(verifier.audit(reader.execute)) == []


def test_what_is_changed_while_the_store_is_open_is_not_shown(path: Path, keyed: Store) -> None:
    keyed.within(reason="Ann moved").inscribe("alpha")
    assert keyed.count() == 1
    for sql in (
        "UPDATE cause SET reason = 'Ann stayed'",
        "UPDATE cause SET reason = 'Ann moved', actor = 'user'",
        "UPDATE event SET cause = zeroblob(32)",
        "UPDATE event SET cause = NULL",
        "DELETE FROM cause",
    ):
        assert keyed.log()[0].reason == "Ann moved"
        with editing(path) as attacker:
            before = attacker.execute("SELECT event.cause, actor, reason, salt FROM event JOIN cause").fetchall()[0]
            attacker.execute(sql)
        for read in (keyed.log, lambda: keyed.blame(1)):
            with pytest.raises(LetheError, match="damaged"):
                read()
        with editing(path) as attacker:
            attacker.execute("UPDATE event SET cause = ?", before[:1])
            attacker.execute("INSERT OR REPLACE INTO cause VALUES (1, ?, ?, ?)", before[1:])


def test_what_a_transaction_undoes_was_not_said(path: Path, keyed: Store) -> None:
    memory = keyed.within(reason="told FIRST").inscribe("alpha")
    with pytest.raises(RuntimeError), keyed.transaction():
        keyed.within(reason="told SECOND").release(memory)
        keyed.purge(memory)
        raise RuntimeError
    assert causes(keyed) == [("inscribe", None, "told FIRST")]
    with keyed.transaction():
        keyed.within(actor="one").pin(memory)
        keyed.unpin(memory)
    assert causes(keyed)[1:] == [("pin", "one", None), ("unpin", *NOBODY)]
    assert keyed.audit() == [] and not in_files(path, "SECOND")


def test_adapters_log_who_and_why(store: Store) -> None:
    graph = Graph(store.within(owner="ines", actor="agent-7"))
    graph.create_entities([{"name": "Ines", "entityType": "person", "observations": ["likes tea"]}])
    graph.delete_entities(["Ines"])
    told = {(event.operation, event.actor) for event in store.log()}
    assert {("inscribe", None), ("purge", "agent-7")} == told


def test_a_copy_and_another_format_keep_what_was_said(path: Path, keyed: Store) -> None:
    keyed.within(actor="agent-7", reason="a mail came").inscribe("alpha")
    copy = path.with_name("copy.db")
    keyed.backup(copy)
    with Store(copy, embed=hash_embed, dim=DIM, key=KEY) as opened:
        assert opened.log() == keyed.log() and opened.audit() == []
    unpack("format-7", path.with_name("golden.db"))
    with Store(path.with_name("golden.db"), embed=hash_embed, dim=DIM, key=KEY, embedder="hashes") as golden:
        told = [(event.memory_id, *cause) for event, cause in zip(golden.log(), causes(golden), strict=True)]
        assert [each for each in told if each[2:] != NOBODY] == [
            (2, "edit", "agent-7", None),
            (5, "inscribe", "agent-7", "Ann has moved it"),
            (1, "supersede", "agent-7", "Ann has moved it"),
            (6, "purge", None, "request 4711"),
            (7, "purge", None, "request 4711"),
        ]


def test_an_async_view_tells_who_and_why(path: Path) -> None:
    async def play() -> None:
        async with AsyncStore(path, embed=hash_embed, dim=DIM) as store:
            agent = store.within(actor="agent-7")
            await agent.within(owner="ines", reason="a mail came").inscribe("alpha")
            await agent.release(1)
            assert [(event.actor, event.reason) for event in await store.log()] == [
                ("agent-7", "a mail came"),
                ("agent-7", None),
            ]

    asyncio.run(play())


def test_a_file_that_is_reembedded_says_by_whom(path: Path) -> None:
    with Store(path, embed=hash_embed, dim=DIM, embedder="hashes") as store:
        store.within(reason="a mail came").inscribe("alpha")
        assert store.within(actor="keeper").reembed("others", embed=hash_embed, dim=DIM)
    with Store(path, embed=hash_embed, dim=DIM, embedder="others") as store:
        assert causes(store) == [("inscribe", None, "a mail came"), ("commit", "keeper", None)]
        assert store.audit() == []
