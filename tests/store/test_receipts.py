"""Receipts that somebody else checks: with the public key, without it, against a log that was written anew."""

import contextlib
import json
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lethe.store import Key, PurgeReceipt, Store, history, make_key, merkle, read_key, verifier
from lethe.store.errors import LetheError
from lethe.store.history import Transition
from lethe.store.tools import functions
from tests.support.editing import editing
from tests.support.hash_embedder import DIM, Clock, hash_embed
from tests.support.receipts import refused


@pytest.fixture
def key(tmp_path: Path) -> Key:
    return make_key(tmp_path / "key")


@pytest.fixture
def keyed(path: Path, clock: Clock, key: Key) -> Iterator[Store]:
    with Store(path, embed=hash_embed, dim=DIM, clock=clock, key=key) as store:
        store.inscribe_many([f"alpha {number}" for number in range(1, 12)])
        yield store


def test_receipts_hold_for_every_size_of_the_log(path: Path, keyed: Store, key: Key) -> None:
    receipts = []
    for number in range(1, 11):
        receipts.append(keyed.purge_many([number, 11] if number == 7 else [number]))
        keyed.inscribe_many(["later"] * (number % 3))
    for receipt in receipts:
        assert keyed.verify(receipt)
        extension = keyed.extension(receipt)
        verifier.verify(receipt.to_json(), key.public.hex(), path, extension.to_json())
        of_another = keyed.extension(receipts[0] if receipt is receipts[5] else receipts[5])
        assert "does not start" in refused(receipt, key.public.hex(), None, of_another.to_json())
    assert refused(replace(receipts[0], root="00" * 32).signed(key), key.public.hex()).startswith(
        "its events do not lead"
    )


def test_a_receipt_names_each_text_by_its_keyed_hash(keyed: Store, key: Key) -> None:
    keyed.edit(2, "beta two")
    receipt = keyed.purge_many([2, 5])
    assert receipt.keyed_hashes == (
        (key.keyed_hash("alpha 2").hex(), key.keyed_hash("beta two").hex()),
        (key.keyed_hash("alpha 5").hex(),),
    )
    assert "alpha" not in receipt.to_json() and "beta" not in receipt.to_json()
    assert PurgeReceipt.from_json(receipt.to_json()) == receipt


@pytest.mark.parametrize(
    "change",
    [
        {"store": "00" * 16},
        {"complete": False},
        {"stays_forgotten": True},
        {"keyed_hashes": ()},
        {"versions": (2,)},
        {"events": ()},
        {"before": 3},
        {"signature": ""},
        {"signature": "00" * 64},
        {"public_key": "00" * 32},
    ],
    ids=str,
)
def test_whatever_is_changed_in_a_receipt_shows(keyed: Store, key: Key, change: dict[str, object]) -> None:
    receipt = keyed.purge(4)
    verifier.verify(receipt.to_json(), key.public.hex())
    assert refused(replace(receipt, **change), key.public.hex())  # type: ignore[arg-type]
    assert not keyed.verify(replace(receipt, **change))  # type: ignore[arg-type]


@pytest.mark.parametrize("spelled", [str.upper, " ".join], ids=["capitals", "blanks"])
def test_a_signature_has_one_spelling(keyed: Store, key: Key, spelled: Callable[[str], str]) -> None:
    receipt = keyed.purge(4)
    other = replace(receipt, signature=spelled(receipt.signature))
    assert refused(other, key.public.hex()) == "its signature is not that of the key"
    assert keyed.verify(receipt) and not keyed.verify(other)
    verifier.verify(receipt.to_json(), key.public.hex().upper())


def test_a_digest_has_one_spelling_without_a_key_too(path: Path) -> None:
    with Store(path, embed=hash_embed, dim=DIM) as store:
        store.inscribe("alpha")
        receipt = store.purge(1)
        assert store.verify(receipt) and not store.verify(replace(receipt, root=receipt.root.upper()))


@pytest.mark.parametrize("given", [None, 5, "receipt", {}])
def test_what_is_no_receipt_and_no_head_is_a_wrong_type(keyed: Store, given: Any) -> None:
    calls = (keyed.verify, keyed.complete, keyed.extension, keyed.audit if given is not None else keyed.verify)
    for call in calls:
        with pytest.raises(TypeError, match=r"^(a receipt|a head|what is extended) must be a .*, not [^\n]*$"):
            call(given)


@given(st.one_of(st.text(), st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps), st.binary()))
def test_whatever_is_no_receipt_is_refused(text: str | bytes) -> None:
    with pytest.raises(verifier.Refused):
        verifier.verify(text, "00" * 32)


@settings(max_examples=60)
@given(
    name=st.sampled_from(sorted(verifier._FIELDS[verifier.RECEIPT])),
    value=st.one_of(st.none(), st.integers(), st.text(), st.lists(st.one_of(st.text(), st.integers(), st.none()))),
)
def test_whatever_stands_in_a_field_is_refused_in_one_line(name: str, value: object) -> None:
    with Store(embed=hash_embed, dim=DIM, key=Key(bytes(32))) as store:
        store.inscribe("alpha")
        content = json.loads(store.purge(1).to_json())
        if content[name] == value:
            return
        content[name] = value
        try:
            statement = verifier.read_statement(json.dumps(content), verifier.RECEIPT)
            verifier.check_receipt(statement)
            verifier.check_signature(statement, Key(bytes(32)).public.hex())
        except verifier.Refused as error:
            assert "\n" not in str(error)
        else:
            pytest.fail("a changed receipt was believed")


def rewrite_log(path: Path, without: int) -> None:
    """What somebody with the file can do: take a memory and its events out, build the log's tree anew."""
    with editing(path) as attacker:
        rows = attacker.execute(
            "SELECT at, operation, memory_id, depth_before, depth_after, version_id, successor_id,"
            " lower(hex(commitment)) FROM event WHERE memory_id <> ? ORDER BY seq",
            (without,),
        ).fetchall()
        attacker.execute(
            "DELETE FROM event; DELETE FROM node; DELETE FROM sqlite_sequence WHERE name = 'event';"
            " UPDATE store SET head = NULL"
        ).fetchall()
        attacker.execute("DELETE FROM version WHERE memory_id = ?", (without,))
        attacker.execute("DELETE FROM memory WHERE memory_id = ?", (without,))
        for at, *changes, commitment in rows:
            history.append(attacker, at, [Transition(*changes, commitment or None)])


def test_a_receipt_that_gives_a_key_twice_is_refused(keyed: Store, key: Key) -> None:
    told = keyed.purge(keyed.inscribe("Ines keeps the key at home")).to_json()
    doubled = told.replace("{", '{"complete": false, ', 1)
    assert json.loads(doubled) == json.loads(told)
    with pytest.raises(verifier.Refused, match="gives a key twice"):
        verifier.verify(doubled, key.public.hex())
    with pytest.raises(ValueError, match="given twice"):
        PurgeReceipt.from_json(doubled)


def test_a_log_that_was_written_anew_is_refused(path: Path, keyed: Store, key: Key) -> None:
    receipts = [keyed.purge(4), keyed.purge(6)]
    keyed.inscribe("later")
    rewrite_log(path, without=4)
    with Store(path, embed=hash_embed, dim=DIM) as keyless:
        assert keyless._database.seals.key is None
        assert list(verifier.audit(keyless._database.connection.execute)) == [], "the log is whole in itself"
    assert "seals were taken away" in keyed.audit()[0]
    for receipt in receipts:
        assert "log" in refused(receipt, key.public.hex(), path)
        assert not keyed.verify(receipt)
        verifier.verify(receipt.to_json(), key.public.hex())


def test_a_new_log_cannot_extend_an_older_receipt(path: Path, keyed: Store, key: Key) -> None:
    receipt = keyed.purge(4)
    rewrite_log(path, without=1)
    with Store(path, embed=hash_embed, dim=DIM) as keyless:
        keyless.inscribe("later")
        head = keyless.head()
        assert head.size == receipt.last_seq
        keyless.inscribe("later")
        with pytest.raises(ValueError, match="does not begin with that of the receipt"):
            keyless.extension(receipt)
        extension = replace(keyless.extension(head), older_root=receipt.root).signed(key)
    with Store(embed=hash_embed, dim=DIM) as other, pytest.raises(ValueError, match="about another store"):
        other.extension(receipt)
    assert "roots do not agree" in refused(receipt, key.public.hex(), None, extension.to_json())


def test_a_store_that_was_copied_back_is_refused(path: Path, keyed: Store, key: Key) -> None:
    backup = path.with_name("backup.db")
    keyed.scrub()
    shutil.copy(path, backup)
    receipt = keyed.purge(4)
    assert "shorter" in refused(receipt, key.public.hex(), backup)


@pytest.mark.parametrize(
    "tampering",
    [
        "DROP TRIGGER memory_stays_void; UPDATE memory SET depth = 1.0, version_id = 1 WHERE memory_id = 4",
        "INSERT INTO version (memory_id, text, vector, salt, checksum) VALUES (4, 'alpha 4', x'00', x'00', x'00')",
        "DELETE FROM tombstone",
        "UPDATE store SET identity = zeroblob(16)",
        "DELETE FROM node WHERE level = 3",
        "DROP TABLE event",
    ],
)
def test_a_store_that_no_longer_bears_a_receipt_out_is_refused(
    path: Path, keyed: Store, key: Key, tampering: str
) -> None:
    receipt = keyed.purge(4, stay_forgotten=True)
    verifier.verify(receipt.to_json(), key.public.hex(), path)
    with contextlib.closing(sqlite3.connect(path)) as attacker:
        attacker.executescript(tampering)
    assert refused(receipt, key.public.hex(), path)


@pytest.mark.parametrize(
    ("level", "number"),
    [(4, 0), (1, 4), (3, 0)],
    ids=["above the purge", "left of the purge, below the root's parts", "left of the purge"],
)
def test_a_tree_that_was_changed_since_is_refused(path: Path, keyed: Store, key: Key, level: int, number: int) -> None:
    receipt = keyed.purge(4)
    keyed.inscribe_many([f"later {number}" for number in range(4)])
    verifier.verify(receipt.to_json(), key.public.hex(), path)
    with contextlib.closing(sqlite3.connect(path)) as attacker:
        attacker.execute("UPDATE node SET digest = zeroblob(32) WHERE level = ? AND number = ?", (level, number))
        assert attacker.total_changes == 1
        attacker.commit()
    assert refused(receipt, key.public.hex(), path)


def test_a_text_that_was_learned_again_does_not_refute_its_receipt(path: Path, keyed: Store, key: Key) -> None:
    receipt = keyed.purge(4, stay_forgotten=True)
    keyed.relearn("alpha 4")
    verifier.verify(receipt.to_json(), key.public.hex(), path)


def test_checking_reads_a_number_of_rows_that_grows_with_the_logarithm(keyed: Store) -> None:
    def rows_read(receipt: PurgeReceipt) -> int:
        read = 0
        statement = verifier.read_statement(receipt.to_json(), verifier.RECEIPT)

        def query(sql: str, bindings: tuple[object, ...]) -> list[tuple[object, ...]]:
            nonlocal read
            rows = connection.execute(sql, bindings).fetchall()
            read += len(rows)
            return rows

        with keyed._database.reading() as connection:
            verifier.check_store(statement, query)
        return read

    few = rows_read(keyed.purge(4))
    keyed.inscribe_many([f"beta {number}" for number in range(5000)])
    assert rows_read(keyed.purge(5)) < few + 40


@given(older=st.integers(0, 300), added=st.integers(0, 300))
def test_consistency_of_any_two_sizes(older: int, added: int) -> None:
    leaves = [merkle.leaf(str(number).encode()) for number in range(older + added)]
    nodes = history._all_nodes(leaves)

    def node(level: int, number: int) -> bytes:
        return nodes[level, number]

    roots = merkle.root(node, older), merkle.root(node, older + added)
    path = merkle.consistency(node, older, older + added)
    assert len(path) <= 2 * (older + added + 1).bit_length()
    verifier._check_consistency(older, roots[0], older + added, roots[1], path)
    if older and added:
        for wrong in ((bytes(32), roots[1]), (roots[0], bytes(32))):
            with pytest.raises(verifier.Refused):
                verifier._check_consistency(older, wrong[0], older + added, wrong[1], path)


def test_the_tree_is_that_of_rfc_9162() -> None:
    """The inputs and roots of the test vectors of Certificate Transparency."""
    inputs = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
    leaves = [merkle.leaf(bytes.fromhex(text)) for text in inputs]
    nodes = history._all_nodes(leaves)
    roots = {
        1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    }
    for size, root in roots.items():
        assert merkle.root(lambda level, number: nodes[level, number], size).hex() == root


def test_the_verifier_stands_alone(path: Path, keyed: Store, key: Key, tmp_path: Path) -> None:
    """Its file alone, in an empty folder, by an interpreter without this project."""
    copy = shutil.copy(verifier.__file__, tmp_path / "check.py")
    (tmp_path / "receipt.json").write_text(keyed.purge(4).to_json())
    script = (
        "import sys, runpy; sys.modules['lethe'] = None; sys.argv = sys.argv[1:];"
        " runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    command = [sys.executable, "-P", "-c", script, copy, "receipt.json", key.public.hex(), path.name]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "holds: 1 memories and 1 texts erased\n"), done.stderr
    keyed.inscribe("later")
    rewrite_log(path, without=1)
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr.startswith("refused: ")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["receipt.json", "nofile"], "nofile: neither a public key of 64 hexadecimal digits nor a file"),
        (["receipt.json", "key"], "key: a private key, to be shown to nobody; `lethe key key` prints the public one"),
        (["receipt.json", "receipt.json"], "receipt.json: holds no public key of 64 hexadecimal digits"),
        (["gone.json", "00" * 32], "gone.json: there is no such file"),
        (["receipt.json", "00" * 32, "gone.db"], "gone.db: there is no such file"),
    ],
)
def test_what_is_no_key_or_no_file_is_not_taken_for_a_forgery(
    keyed: Store, tmp_path: Path, arguments: list[str], told: str
) -> None:
    (tmp_path / "receipt.json").write_text(keyed.purge(4).to_json())
    command = [sys.executable, str(verifier.__file__), *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"{told}\n")


def test_a_python_without_cryptography_is_told_in_a_line(keyed: Store, key: Key, tmp_path: Path) -> None:
    (tmp_path / "receipt.json").write_text(keyed.purge(4).to_json())
    script = (
        "import sys, runpy; sys.modules['cryptography'] = None; sys.argv = sys.argv[1:];"
        " runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    command = [sys.executable, "-c", script, str(verifier.__file__), "receipt.json", key.public.hex()]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr.endswith("; pip install cryptography\n")
    assert done.stderr.count("\n") == 1 and done.stdout == ""


def test_a_key_is_for_its_user_alone_and_is_never_overwritten(tmp_path: Path) -> None:
    made = make_key(tmp_path / "key")
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
    assert read_key(tmp_path / "key").public == made.public
    assert repr(made) == f"Key({made.public.hex()[:16]}…)"
    for act, said in [
        (lambda: make_key(tmp_path / "key"), "exists"),
        (
            lambda: read_key(tmp_path / "none"),
            f"^the key .*none is not there; `lethe key {tmp_path}/none` makes",
        ),
        (lambda: make_key(tmp_path / "nowhere" / "key"), "nowhere/key: its folder does not exist; make it, or name"),
    ]:
        with pytest.raises(LetheError, match=said):
            act()
    (tmp_path / "key").chmod(0o640)
    with pytest.raises(LetheError, match="read by others"):
        read_key(tmp_path / "key")
    (tmp_path / "key").write_text("secret")
    (tmp_path / "key").chmod(0o600)
    with pytest.raises(LetheError, match="not a key"):
        read_key(tmp_path / "key")


def test_the_key_is_never_in_the_store(path: Path, keyed: Store, tmp_path: Path) -> None:
    keyed.purge(4, stay_forgotten=True)
    secret = bytes.fromhex((tmp_path / "key").read_text().split()[1])
    for form in (secret, secret.hex().encode()):
        assert form not in keyed.stored_bytes()


OPENS_AND_CLOSES = """
import sys
import apsw

connection = apsw.Connection(sys.argv[1])
print(connection.execute("SELECT count(*) FROM version").fetchone())
connection.close()
"""


def test_the_verifier_leaves_the_locks_of_its_process_alone(path: Path, keyed: Store, key: Key) -> None:
    receipt = keyed.purge(1)
    keyed.inscribe("alpha before")
    verifier.verify(receipt.to_json(), key.public.hex(), path)
    subprocess.run([sys.executable, "-c", OPENS_AND_CLOSES, str(path)], check=True)
    confirmed = keyed.inscribe("alpha confirmed")
    copy = path.with_name("copy.db")
    for ending in ("", "-wal"):
        shutil.copy(f"{path}{ending}", f"{copy}{ending}")
    with Store(copy, embed=hash_embed, dim=DIM) as found:
        assert found.memory(confirmed).text == "alpha confirmed"


def test_the_verifier_reads_no_view_in_place_of_a_table(path: Path, keyed: Store, key: Key) -> None:
    receipt = keyed.purge(1)
    keyed.close()
    endless = "WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n AS seq FROM r"
    with contextlib.closing(apsw.Connection(str(path))) as connection:
        connection.execute("ALTER TABLE event RENAME TO event_old")
        connection.execute(f"CREATE VIEW event AS {endless}")
    with pytest.raises(verifier.Refused, match="holds what no store has: view 'event'"):
        verifier.verify(receipt.to_json(), key.public.hex(), path)


def test_the_verifier_does_without_apsw(path: Path, keyed: Store, key: Key, tmp_path: Path) -> None:
    receipt = tmp_path / "receipt.json"
    receipt.write_text(keyed.purge(1).to_json())
    program = "import sys; sys.modules['apsw'] = None; from lethe.store.verifier import main; main(sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", program, str(receipt), key.public.hex(), str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "holds: 1 memories and 1 texts erased\n", done.stderr


def test_a_receipt_of_equal_texts_holds_after_one_of_them_is_learned_again(path: Path, keyed: Store, key: Key) -> None:
    receipt = keyed.purge_many([keyed.inscribe("beta"), keyed.inscribe("BETA")], stay_forgotten=True)
    keyed.relearn("beta")
    assert keyed.verify(receipt)
    verifier.verify(receipt.to_json(), key.public.hex(), path)


def test_a_tombstone_that_was_taken_out_is_not_excused_by_another_text(keyed: Store, key: Key) -> None:
    receipt = keyed.purge_many([keyed.inscribe("beta")], stay_forgotten=True)
    keyed.purge_many([keyed.inscribe("gamma")], stay_forgotten=True)
    keyed.relearn("gamma")
    assert keyed.verify(receipt)
    statement = "DELETE FROM tombstone WHERE keyed_hash = ?"
    keyed._database.connection.execute(statement, (key.keyed_hash("beta"),))
    assert not keyed.verify(receipt)


TAKEN_OUT = "DELETE FROM tombstone WHERE keyed_hash = ?"


def test_a_tombstone_that_was_taken_out_is_not_excused_by_a_relearned_text_that_is_erased(
    path: Path, keyed: Store, key: Key
) -> None:
    receipt = keyed.purge_many([keyed.inscribe("beta")], stay_forgotten=True)
    keyed.purge_many([keyed.inscribe("gamma")], stay_forgotten=True)
    keyed.purge(keyed.relearn("gamma"))
    assert keyed.verify(receipt)
    keyed._database.connection.execute(TAKEN_OUT, (key.keyed_hash("beta"),))
    assert not keyed.verify(receipt)
    with pytest.raises(verifier.Refused, match="tombstone"):
        verifier.verify(receipt.to_json(), key.public.hex(), path)


@given(
    acts=st.lists(st.tuples(st.sampled_from(("tell", "purge", "relearn", "take out")), st.integers(0, 2)), max_size=12)
)
@settings(max_examples=80, deadline=None)
def test_a_receipt_holds_as_long_as_each_of_its_tombstones_stands_or_was_lifted(acts: list[tuple[str, int]]) -> None:
    """In any order of purge, relearn, purge and removal."""
    key, texts = Key(bytes(range(32))), ("beta", "gamma", "delta\u3164delta")
    standing: set[str] = set()
    promised: list[tuple[PurgeReceipt, set[str], set[str]]] = []
    with Store(embed=hash_embed, dim=DIM, key=key) as store:
        for act, number in acts:
            text = texts[number]
            if act == "tell" and text not in standing:
                store.inscribe_many([text, text.upper()])
            elif act == "relearn" and text in standing:
                store.relearn(text)
                standing.discard(text)
                for _, _, lifted in promised:
                    lifted.add(text)
            elif act == "purge" and (ids := [memory.memory_id for memory in store.memories()]):
                named = {memory.text.lower() for memory in store.memories()}
                promised.append((store.purge_many(ids, stay_forgotten=number > 0), named if number else set(), set()))
                standing |= promised[-1][1]
            elif act == "take out" and text in standing:
                for digest in key.keyed_hashes(text):
                    store._database.connection.execute(TAKEN_OUT, (digest,))
                standing.discard(text)
            for receipt, named, lifted in promised:
                assert store.verify(receipt) == (named <= standing | lifted)


def test_a_note_of_a_lifted_tombstone_is_not_forged_and_not_used_again(keyed: Store, key: Key) -> None:
    first = keyed.purge_many([keyed.inscribe("beta")], stay_forgotten=True)
    second = keyed.purge_many([keyed.relearn("beta")], stay_forgotten=True)
    connection = keyed._database.connection
    connection.execute(TAKEN_OUT, (key.keyed_hash("beta"),))
    assert keyed.verify(first), "its tombstone was lifted"
    assert not keyed.verify(second)
    keyed.purge_many([keyed.inscribe("gamma")], stay_forgotten=True)
    seq = keyed.log(keyed.relearn("gamma"))[0].seq
    for forged in (
        "x'00'",
        "(SELECT seal FROM lifted WHERE keyed_hash = :beta)",
        "(SELECT seal FROM lifted WHERE seq = :seq)",
    ):
        row = f"INSERT OR REPLACE INTO lifted VALUES (:beta, :seq, {forged})"
        connection.execute(row, {"beta": key.keyed_hash("beta"), "seq": seq})
        assert not keyed.verify(second)


def test_a_receipt_that_came_out_incomplete_proves_no_erasure_until_it_is_completed(
    path: Path, keyed: Store, key: Key, tmp_path: Path
) -> None:
    reader = apsw.Connection(str(path))
    reader.execute("BEGIN; SELECT * FROM memory").fetchall()
    receipt = keyed.purge_many([2, 3])
    assert not receipt.complete and keyed.complete(receipt) == receipt
    assert b"alpha 2" in path.read_bytes() + path.with_name(f"{path.name}-wal").read_bytes()
    assert not keyed.verify(receipt) and keyed.receipt_of(2) == receipt
    for proof in ((), (path,), (path, keyed.extension(receipt).to_json())):
        with pytest.raises(verifier.Incomplete, match=r"^genuine but incomplete: .*write-ahead log.*lethe complete"):
            verifier.verify(receipt.to_json(), key.public.hex(), *proof)
    forged = replace(receipt, root="00" * 32).signed(key)
    assert refused(forged, key.public.hex()) == "its events do not lead to its root"
    (tmp_path / "receipt.json").write_text(receipt.to_json())
    command = [sys.executable, str(verifier.__file__), str(tmp_path / "receipt.json"), key.public.hex(), str(path)]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (said.returncode, said.stdout) == (1, "") and said.stderr.startswith("genuine but incomplete: ")
    assert len(said.stderr.splitlines()) == 1
    reader.close()
    keyed.inscribe("later")
    done = keyed.complete(receipt)
    assert done.complete and replace(done, complete=False, signature="") == replace(receipt, signature="")
    assert keyed.complete(done) is done and keyed.verify(done)
    verifier.verify(done.to_json(), key.public.hex(), path)
    for file in path.parent.glob("memories.db*"):
        assert b"alpha 2" not in file.read_bytes()


def test_what_is_no_receipt_of_the_store_is_not_completed(path: Path, keyed: Store, key: Key) -> None:
    receipt = replace(keyed.purge(2), complete=False).signed(key)
    with Store(path, embed=hash_embed, dim=DIM) as without, pytest.raises(ValueError, match="with its key"):
        without.complete(receipt)
    for wrong in (replace(receipt, before=0), replace(receipt, public_key="", signature="")):
        with pytest.raises(ValueError, match="does not hold"):
            keyed.complete(wrong)
    done = keyed.complete(receipt)
    assert done.complete
    with Store(embed=hash_embed, dim=DIM, key=key) as other:
        for foreign in (receipt, done):
            with pytest.raises(ValueError, match="does not hold"):
                other.complete(foreign)


def test_a_lost_receipt_is_given_again(path: Path, clock: Clock, keyed: Store, key: Key) -> None:
    with pytest.raises(LookupError, match="nothing was purged"):
        keyed.receipt_of()
    keyed.edit(2, "beta")
    receipts = [keyed.purge(2, stay_forgotten=True), keyed.purge_many([5, 4, 3], with_line=True)]
    keyed.purge_many([2])  # erases nothing
    keyed.inscribe("later")
    with Store(path, embed=hash_embed, dim=DIM, clock=clock, key=key) as opened:
        assert opened.receipt_of() == opened.receipt_of(4) == receipts[1]
        older = opened.receipt_of(2)
        assert older == replace(receipts[0], keyed_hashes=(), signature=older.signature)
        for receipt in (older, opened.receipt_of(5)):
            verifier.verify(receipt.to_json(), key.public.hex(), path, opened.extension(receipt).to_json())
        with pytest.raises(LookupError, match="was not purged"):
            opened.receipt_of(6)
        with pytest.raises(ValueError, match="outside a scope"):
            opened.within(owner="ann").receipt_of(2)
    of_erased = key.keyed_hash("beta").hex().encode()
    assert of_erased not in keyed.stored_bytes(), "the hashes of the latest purge alone are kept"


def test_an_erasure_of_nothing_is_no_success(path: Path, keyed: Store, key: Key) -> None:
    keyed.purge(4)
    log = keyed.log()
    for again in (lambda: keyed.purge(4), lambda: keyed.purge(4, with_line=True), lambda: keyed.surrender(4, "purge")):
        with pytest.raises(LookupError, match=r"memory 4 was purged already.*receipt_of\(4\) gives the receipt"):
            again()
        assert keyed.log() == log
    forget = functions(keyed)[-1]
    assert forget(4).startswith("not done: memory 4 was purged already")
    with keyed.transaction() as receipts:
        keyed.purge(5)
        with pytest.raises(LookupError, match="memory 4 was purged already"):
            keyed.purge(4)
    assert [receipt.memory_ids for receipt in receipts] == [(5,)]


def test_what_another_owner_had_erased_is_as_unknown_as_what_nobody_had(keyed: Store) -> None:
    ann, ben = keyed.within(owner="ann"), keyed.within(owner="ben")
    memory = ann.inscribe("beta")
    ann.purge(memory)
    for id in (memory, 99):
        with pytest.raises(LookupError, match=f"^there is no memory {id}$"):
            ben.purge(id)
        assert functions(ben)[-1](id) == f"not done: there is no memory {id}"


def test_the_line_of_what_was_erased_without_it_can_be_erased_later(keyed: Store) -> None:
    successor = keyed.supersede(3, "beta")
    keyed.purge(successor)
    assert keyed.purge(successor, with_line=True).memory_ids == (3,)
    with pytest.raises(LookupError, match="was purged already"):
        keyed.purge(successor, with_line=True)


@pytest.mark.parametrize(
    "act",
    [
        lambda store: store.purge_many([4]),
        lambda store: store.purge_many([]),
        lambda store: store.within(owner="eve").purge_scope(),
        lambda store: store.within(owner="eve").purge_matching("alpha 4", floor=None),
        lambda store: store.purge_expired(),
    ],
    ids=["void", "none", "scope", "query", "expired"],
)
def test_a_receipt_that_names_no_memory_holds_and_is_none(
    path: Path, keyed: Store, key: Key, tmp_path: Path, act: Callable[[Store], PurgeReceipt]
) -> None:
    keyed.purge(4)
    with contextlib.closing(apsw.Connection(str(path))) as reader:
        reader.execute("BEGIN; SELECT count(*) FROM memory").fetchall()
        keyed.inscribe("later")
        nothing = act(keyed)
        assert not nothing.complete
    nothing = keyed.complete(nothing)
    assert nothing.complete and nothing.events == () and not keyed.verify(nothing)
    for proof in ((), (path,), (path, keyed.extension(nothing).to_json())):
        with pytest.raises(verifier.ErasesNothing, match=r"^holds, and erases nothing$"):
            verifier.verify(nothing.to_json(), key.public.hex(), *proof)
    forged = replace(nothing, root="00" * 32).signed(key)
    assert refused(forged, key.public.hex()) == "its events do not lead to its root"
    (tmp_path / "receipt.json").write_text(nothing.to_json())
    command = [sys.executable, str(verifier.__file__), str(tmp_path / "receipt.json"), key.public.hex()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "holds, and erases nothing\n")


KILLED = """
import os, sys
from lethe.store import Store, read_key
from lethe.store.database import Database
from tests.support.hash_embedder import DIM, hash_embed

Database.let_go = lambda database, memory_ids: os._exit(9)
with Store(sys.argv[1], embed=hash_embed, dim=DIM, key=read_key(sys.argv[2])) as store:
    store.purge_matching("alpha 4", stay_forgotten=True)
"""


def test_a_receipt_is_had_after_a_kill_between_commit_and_reply(path: Path, keyed: Store, key: Key) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(path), str(path.with_name("key"))], check=False)
    assert done.returncode == 9
    receipt = keyed.receipt_of()
    assert receipt.memory_ids == receipt.asked == (4,) and receipt.complete and receipt.stays_forgotten
    assert receipt.keyed_hashes == ((key.keyed_hash("alpha 4").hex(),),)
    verifier.verify(receipt.to_json(), key.public.hex(), path)
    assert all(b"alpha 4" not in file.read_bytes() for file in path.parent.glob("memories.db*"))


def test_a_receipt_without_a_row_of_its_own_says_what_the_log_does(path: Path, keyed: Store, key: Key) -> None:
    keyed.purge_many([2, 3])
    keyed._database.connection.execute("DELETE FROM receipt")
    receipt = keyed.receipt_of(3)
    assert receipt.memory_ids == (3,) and receipt.keyed_hashes == ()
    verifier.verify(receipt.to_json(), key.public.hex(), path)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE receipt SET before = 3",
        "UPDATE receipt SET last_seq = 9e3",
        "UPDATE receipt SET stays_forgotten = 1, keyed_hashes = replace(keyed_hashes, 'a', 'b')",
        "UPDATE receipt SET keyed_hashes = 'none'",
        "UPDATE receipt SET keyed_hashes = 7",
    ],
)
def test_a_receipt_that_was_changed_in_the_file_is_not_signed(keyed: Store, statement: str) -> None:
    keyed.purge_many([2, 3])
    keyed._database.connection.execute(statement)
    with pytest.raises(LetheError, match="is damaged"):
        keyed.receipt_of()
