"""Stores of others, imported: golden files of their libraries, the same written anew where one is installed, traps."""

import contextlib
import hashlib
import importlib.util
import json
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import apsw
import pytest
from typer.testing import CliRunner

from lethe.store import Store, make_key
from lethe.store.cli.commands import store as app
from lethe.store.documents import Documents
from lethe.store.errors import LetheError
from lethe.store.graph import Graph
from lethe.store.importing import import_from, read, take
from lethe.store.items import looking
from lethe.store.mem0 import Memory
from tests.support.agents import held
from tests.support.foreign_files import golden, named
from tests.support.foreign_stores import NEEDED
from tests.support.hash_embedder import DIM, hash_embed
from tests.support.paths import ROOT

KINDS = ("chroma", "langgraph", "mcp", "mem0_chroma", "mem0_json", "mem0_qdrant")
CHANGED = "; {} times of a last change, not kept"
TOLD = {
    "chroma": "; 1 without a document, kept without a vector; 3 in the collection my.notes, which is my_notes here",
    "langgraph": "; 1 expired, left out",
    "mcp": "",
    "mem0_chroma": CHANGED.format(2),
    "mem0_json": CHANGED.format(2),
    "mem0_qdrant": CHANGED.format(2),
}


def written(kind: str, folder: Path) -> Path:
    """The same, written now, where its library is installed."""
    program, more = kind.replace("mem0_json", "mem0_qdrant"), []
    if kind == "mcp":
        server = shutil.which("mcp-server-memory")
        if server is None:
            pytest.skip("needs the reference memory server (npm install @modelcontextprotocol/server-memory)")
        more = [server]
    elif not installed(NEEDED[program]) or (kind == "langgraph" and not installed("pysqlite3")):
        pytest.skip(f"needs {NEEDED[program]} (envs/crewai.lock)")
    once = folder.parent.parent / program
    if not once.exists():
        once.mkdir()
        command = [sys.executable, "-m", "tests.support.foreign_stores", program, str(once), *more]
        own = os.environ | {"PYTHONPATH": str(ROOT), "HOME": str(once)}
        done = subprocess.run(command, env=own, cwd=once, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    shutil.copytree(once, folder)
    return named(kind, folder)


def installed(module: str) -> bool:
    with contextlib.suppress(ModuleNotFoundError):
        return importlib.util.find_spec(module) is not None
    return False


def state(folder: Path) -> dict[str, str]:
    files = (each for each in folder.rglob("*") if each.is_file())
    return {str(each.relative_to(folder)): hashlib.sha256(each.read_bytes()).hexdigest() for each in files}


def documents(folder: Path, collection: str) -> Documents:
    return Documents(folder / "memory.db", collection, embedder=hash_embed, dim=DIM, key=folder / "key")


def check_chroma(folder: Path) -> None:
    notes, other = documents(folder, "my_notes"), documents(folder, "other")
    drink, sport, picture = notes.get(["drink", "sport", "picture"])
    assert drink.value == {
        "text": "Ines likes coffee.",
        "metadata": {"about": "ines", "year": 2026, "weight": 0.5, "is_new": True},
    }
    assert type(drink.value["metadata"]["year"]) is int and drink.value["metadata"]["is_new"] is True
    assert 1.79e9 < drink.created_at < 4e9 and sport.value["metadata"] == {"tags": ["x", "y"]}
    assert picture.value == {"text": "", "metadata": {"only": "a vector"}} and notes.vector(picture) is None
    assert notes.get(["gone"]) == [] and [item.value["text"] for item in other.listed()] == ["…"]
    assert [(item.key, round(score, 3)) for item, score in notes.nearest("Ines likes coffee.", 1)] == [("drink", 1.0)]


def check_langgraph(folder: Path) -> None:
    store = documents(folder, "users").store
    with looking(store) as batch:
        found = {item.key: item for item in batch.listed((), {}, 99, 0)}
        vectors = batch.vectors(found.values())
    assert {item.namespace for item in found.values()} == {("users", "ines"), ("users", "tom"), ("users",)}
    assert found["drink"].value == {"text": "likes coffee", "notes": ["one", "two"], "n": 1}
    assert found["drink"].ttl == 3.6e9 and (found["drink"].expires_at or 0) - found[
        "drink"
    ].created_at == pytest.approx(3.6e9, abs=2)
    assert found["deep"].value == {"a": {"b": [1, None, True]}} and found["deep"].expires_at is None
    assert {*found} == {"drink", "sport", "deep"} and {*vectors} == {found["drink"].memory_id}
    facets = [memory.text for memory in store.memories() if memory.source is None]
    assert facets == ["one", "two"]


def check_mcp(folder: Path) -> None:
    assert Graph(documents(folder, "graph").store).read() == {
        "entities": [
            {"name": "Ines", "entityType": "person", "observations": ["likes tea", "says this", "likes coffee"]},
            {"name": "Oslo", "entityType": "city", "observations": []},
        ],
        "relations": [{"from": "Ines", "to": "Oslo", "relationType": "lives in"}],
    }


def check_mem0(folder: Path) -> None:
    memory = Memory(folder / "memory.db", embedder=hash_embed, key=folder / "key")
    ines = {each["memory"]: each for each in memory.get_all(user_id="ines")["results"]}
    tom = {each["memory"]: each for each in memory.get_all(user_id="tom", agent_id="bot", run_id="r1")["results"]}
    assert {*ines} == {"Ines likes coffee.", "Ines is away."} and {*tom} == {"Tom rows.", "Noted."}
    assert ines["Ines likes coffee."]["metadata"] == {"topic": "drinks", "n": 3}
    assert ines["Ines likes coffee."]["created_at"] > "2026-11-28T05:00"
    assert tom["Tom rows."]["actor_id"] == "tommy" and tom["Tom rows."]["role"] == "user"
    assert tom["Noted."]["role"] == "assistant" and "actor_id" not in tom["Noted."]
    ends = {item.value["text"]: item.expires_at for item in memory.documents.listed()}
    assert ends.pop("Ines is away.") == 4102531200.0 and {*ends.values()} == {None}
    assert [each["memory"] for each in memory.search("Tom rows.", user_id="tom", top_k=1)["results"]] == ["Tom rows."]


CHECKS = {"chroma": check_chroma, "langgraph": check_langgraph, "mcp": check_mcp, "mem0": check_mem0}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "memory.db", embed=hash_embed, dim=DIM, embedder="hash", key=tmp_path / "key") as made:
        yield made


@pytest.mark.parametrize(
    ("kind", "made"), [*product(KINDS, [golden]), *product(sorted({*KINDS} - {"mem0_chroma"}), [written])]
)
def test_all_of_a_store_is_taken_once_and_it_stays_as_it_is(
    kind: str, made: Callable[[str, Path], Path], tmp_path: Path, store: Store
) -> None:
    if kind == "langgraph":
        pytest.importorskip("langgraph.store.base", reason="needs langgraph (envs/extras/agents.lock)")
    family, source = kind.partition("_")[0], made(kind, tmp_path / "source")
    before = state(tmp_path / "source")
    came = import_from(family, source, store)
    assert state(tmp_path / "source") == before
    new = {"chroma": 4, "langgraph": 3, "mcp": 3, "mem0": 4}[family]
    assert str(came) == f"{new} new, 0 over older values, 0 as they stood; vectors made anew{TOLD[kind]}"
    CHECKS[family](tmp_path)
    memories = store.memories(include_submerged=True)
    again = import_from(family, source, store)
    assert (again.new, again.replaced, again.unchanged) == (0, 0, new)
    assert store.memories(include_submerged=True) == memories and store.audit() == []
    assert held(tmp_path / "memory.db", "Nobody says this", "Ines likes tea") == []


def test_what_the_source_has_changed_since_is_superseded_and_what_is_to_stay_forgotten_is_left_out(
    tmp_path: Path, store: Store
) -> None:
    file = tmp_path / "all.json"
    told = [{"id": str(n), "memory": f"Fact {n}.", "user_id": "ines"} for n in range(3)]
    file.write_text(json.dumps(told))
    assert import_from("mem0", file, store).new == 3
    kept = documents(tmp_path, "mem0")
    kept.erase(["0"], stay_forgotten=True)
    told[1]["memory"] = "Fact 1 is another."
    file.write_text(json.dumps({"results": told}))
    came = import_from("mem0", file, store)
    assert (came.new, came.replaced, came.unchanged) == (0, 1, 1)
    assert came.left == {"erased here to stay forgotten, left out": 1}
    assert [value["text"] for value, _ in kept.line(kept.get(["1"])[0])] == ["Fact 1.", "Fact 1 is another."]


def test_an_import_leaves_out_a_value_that_was_put_over_and_is_to_stay_forgotten(tmp_path: Path, store: Store) -> None:
    file = tmp_path / "all.json"
    told = {"id": "0", "memory": "Fact 0.", "user_id": "ines"}
    kept = documents(tmp_path, "mem0")
    kept.put({"0": {"text": "Another fact."}})
    file.write_text(json.dumps([told]))
    assert import_from("mem0", file, store).replaced == 1
    kept.erase(["0"], stay_forgotten=True)
    file.write_text(json.dumps([told, told | {"id": "1", "memory": "Fact 1."}]))
    came = import_from("mem0", file, store)
    assert (came.new, came.left) == (1, {"erased here to stay forgotten, left out": 1})
    assert kept.get(["0"]) == []


def test_an_owner_s_import_is_the_owner_s(tmp_path: Path, store: Store) -> None:
    source = golden("mcp", tmp_path / "source")
    assert take(store.within(owner="ines"), read("mcp", source)).new == 3
    assert Graph(store.within(owner="tom")).read()["entities"] == []
    assert store.within(owner="ines").purge_scope().complete and held(tmp_path / "memory.db", "coffee") == []


def test_lines_of_a_graph_that_come_twice_are_one(tmp_path: Path, store: Store) -> None:
    file = tmp_path / "memory.jsonl"
    entity = {"type": "entity", "name": "Ines", "entityType": "person", "observations": ["a", "b"]}
    relation = {"type": "relation", "from": "Ines", "to": "Ines", "relationType": "is"}
    lines = [entity, relation, relation, entity | {"entityType": "cat", "observations": ["b", "c"]}, {"type": "note"}]
    file.write_text("\n\n".join(map(json.dumps, lines)))
    came = import_from("mcp", file, store)
    assert came.new == 2 and came.left == {
        "relations told twice": 1,
        "further types of an entity, not kept": 1,
        "lines of another type, left out": 1,
    }
    assert Graph(store).read()["entities"] == [
        {"name": "Ines", "entityType": "person", "observations": ["a", "b", "c"]}
    ]


def database(file: Path, *statements: str) -> Path:
    with contextlib.closing(apsw.Connection(str(file))) as connection:
        for statement in statements:
            connection.execute(statement).fetchall()
    return file


STORE = "CREATE TABLE store (prefix, key, value, created_at, updated_at, expires_at, ttl_minutes)"
ITEM = "INSERT INTO store VALUES ('users', 'k', '{\"text\":\"x\"}', '2026-01-02 03:04:05', NULL, NULL, NULL)"
KILLED = f"""
import os, sqlite3
connection = sqlite3.connect("store.db", isolation_level=None)
for each in ("PRAGMA journal_mode = WAL", {STORE!r}, {ITEM!r}):
    connection.execute(each)
os._exit(0)
"""


def test_a_log_that_a_program_has_left_is_read_with_its_file_and_left_as_it_is(tmp_path: Path, store: Store) -> None:
    folder = tmp_path / "source"
    folder.mkdir()
    subprocess.run([sys.executable, "-c", KILLED], cwd=folder, check=True)
    (folder / "store.db-shm").unlink()
    before = state(folder)
    assert {*before} == {"store.db", "store.db-wal"}
    assert import_from("langgraph", folder / "store.db", store).new == 1
    assert state(folder) == before
    with looking(store) as batch:
        assert [item.created_at for item in batch.listed((), {}, 9, 0)] == [1767323045.0]


def test_a_file_that_changes_while_it_is_read_is_refused(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = database(tmp_path / "store.db", STORE, ITEM)

    def change(*_: Any) -> bool:
        database(file, ITEM.replace("'k'", "'later'"))
        return False

    monkeypatch.setattr("lethe.store.importing.database.has", change)
    with pytest.raises(LetheError, match=r"store\.db: another program wrote to it meanwhile; stop that program"):
        import_from("langgraph", file, store)
    (tmp_path / "store.db-journal").write_text("half a write")
    with pytest.raises(LetheError, match="a write to it was interrupted; open it once with its own program"):
        import_from("langgraph", file, store)


NEW_POINT = b"\x80\x04cqdrant_client.http.models.models\nPointStruct\n)\x81"


class Runs:
    """A pickle that runs a program when it is loaded."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.file),)


def of_points(folder: Path, *points: bytes) -> Path:
    file = folder / "collection/mem0/storage.sqlite"
    file.parent.mkdir(parents=True)
    database(file, "CREATE TABLE points (id TEXT PRIMARY KEY, point BLOB)")
    with contextlib.closing(apsw.Connection(str(file))) as connection:
        connection.executemany("INSERT INTO points (point) VALUES (?)", [(point,) for point in points])
    return folder


def of_store(folder: Path, value: str, key: str = "k", *more: str) -> Path:
    file = database(folder / "store.db", STORE, *more)
    with contextlib.closing(apsw.Connection(str(file))) as connection:
        connection.execute("INSERT INTO store (prefix, key, value) VALUES ('users', ?, ?)", (key, value))
    return file


def of_lines(folder: Path, text: str, name: str = "memory.jsonl") -> Path:
    (folder / name).write_text(text)
    return folder / name


def laughing() -> bytes:
    """A point of some hundred bytes whose payload is told in a billion parts."""
    parts: Any = ["ha"] * 10
    for _ in range(9):
        parts = [parts] * 10
    state = {"__dict__": {"id": "1", "payload": {"data": parts}}}
    return NEW_POINT + pickle.dumps(state, protocol=2)[2:-1] + b"b."


def linked(folder: Path) -> Path:
    golden("chroma", folder / "real")
    (folder / "chroma").mkdir()
    (folder / "chroma/chroma.sqlite3").symlink_to(folder / "real/chroma.sqlite3")
    return folder / "chroma"


def piped(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


def waiting(folder: Path) -> Path:
    file = golden("chroma", folder / "source") / "chroma.sqlite3"
    database(file, "UPDATE max_seq_id SET seq_id = 1")
    return file.parent


ENTITY = '{"type":"entity","name":"Ines","entityType":"person","observations":[]}\n'
TRAPS: dict[str, tuple[str, Callable[[Path], Path], str]] = {
    "nothing": ("chroma", lambda folder: folder / "none", r"none/chroma\.sqlite3: is not there; name the file"),
    "kind": (
        "redis",
        lambda folder: folder,
        "no store of the kind 'redis' can be imported; give chroma, langgraph, mcp",
    ),
    "text": (
        "langgraph",
        lambda folder: of_lines(folder, ENTITY * 99),
        r"memory\.jsonl: not a database that can be read",
    ),
    "own": ("langgraph", lambda folder: own(folder), r"own\.db: has not the column created_at of the table store"),
    "cut": ("langgraph", lambda folder: cut(folder), r"cut\.db: not a database that can be read whole"),
    "view": (
        "langgraph",
        lambda folder: database(
            folder / "v.db",
            "CREATE VIEW store AS SELECT 1 AS prefix, 2 AS key, 3 AS value, 4 AS created_at, 5 AS updated_at,"
            " 6 AS expires_at, 7 AS ttl_minutes",
        ),
        r"v\.db: ",
    ),
    "computed": (
        "langgraph",
        lambda folder: database(folder / "c.db", STORE.replace("value,", "value AS (hex(zeroblob(900000000))),")),
        r"c\.db: has not the column value of the table store",
    ),
    "deep row": (
        "langgraph",
        lambda folder: of_store(folder, '{"a":' * 200 + "1" + "}" * 200),
        "row 1 of store: .*100 levels",
    ),
    "deeper row": (
        "langgraph",
        lambda folder: of_store(folder, "[" * 99_999),
        "row 1 of store: no JSON that can be taken",
    ),
    "large row": (
        "langgraph",
        lambda folder: of_store(folder, f'{{"a":"{"x" * 5_000_000}"}}'),
        r"store\.db: .*too big",
    ),
    "list": ("langgraph", lambda folder: of_store(folder, "[1]"), "row 1 of store: a value is an object of JSON"),
    "nan": (
        "langgraph",
        lambda folder: of_store(folder, '{"a":NaN}'),
        "row 1 of store: a value must be made of what JSON",
    ),
    "surrogate": (
        "langgraph",
        lambda folder: of_store(folder, '{"a":"\\ud800"}'),
        "row 1 of store: .*a value holds a lone surrogate",
    ),
    "namespace": (
        "langgraph",
        lambda folder: database(of_store(folder, "{}"), "UPDATE store SET prefix = 'a..b'"),
        "row 1 of store: a label of a namespace is a string",
    ),
    "moment": (
        "langgraph",
        lambda folder: database(of_store(folder, "{}"), "UPDATE store SET created_at = 'soon'"),
        "row 1 of store: 'soon' is not a time as ISO 8601 has it",
    ),
    "twice": (
        "langgraph",
        lambda folder: database(of_store(folder, "{}"), "INSERT INTO store SELECT * FROM store"),
        "row 2 of store: the key 'k' stands there twice",
    ),
    "folder": ("mcp", lambda folder: folder, "a folder, a pipe or a device, where a file is needed"),
    "pipe": ("mcp", piped, "pipe: a folder, a pipe or a device, where a file is needed"),
    "mem0 pipe": ("mem0", piped, "pipe: a folder, a pipe or a device, where a file is needed"),
    "line": ("mcp", lambda folder: of_lines(folder, ENTITY + "{"), r"memory\.jsonl, line 2: no JSON that can be taken"),
    "no object": ("mcp", lambda folder: of_lines(folder, "3"), "line 1: no object of JSON; name the memory.jsonl"),
    "no name": ("mcp", lambda folder: of_lines(folder, '{"type":"entity"}'), "line 1: name is not text but None"),
    "long line": ("mcp", lambda folder: of_lines(folder, "x" * 5_000_000), "line 1: longer than 4 MiB"),
    "link": ("chroma", linked, r"chroma/chroma\.sqlite3: a link, in a folder that is to be imported"),
    "queue": ("chroma", waiting, "changes wait to be taken in; read the collection my.notes with Chroma, then import"),
    "history": (
        "mem0",
        lambda folder: database(folder / "history.db", STORE),
        "a history has no users; name the folder",
    ),
    "no list": (
        "mem0",
        lambda folder: of_lines(folder, "{}", "all.json"),
        "no list of memories; name the JSON of what",
    ),
    "no memory": (
        "mem0",
        lambda folder: of_lines(folder, '[{"id":"1"}]'),
        "memory 1: the text of a memory is not text",
    ),
    "page": (
        "mem0",
        lambda folder: of_lines(folder, '{"results":[{"id":"1","memory":"x"}],"next":"http://x/?page=2"}'),
        "a page of several; take out its next",
    ),
    "user": (
        "mem0",
        lambda folder: of_lines(folder, '{"results":[{"id":"1","memory":"x","user_id":5}],"relations":5}'),
        "memory 1: user_id is not text but 5",
    ),
    "no key": ("mem0", lambda folder: of_lines(folder, '[{"memory":"x"}]'), "memory 1: a key is a string, not None"),
    "no folder": ("mem0", lambda folder: folder, "holds the collections none; name one of them"),
    "program": (
        "mem0",
        lambda folder: of_points(folder, pickle.dumps(Runs(folder / "ran"))),
        "row 1 of points: no point of Qdrant's .*mkdir is nothing that a point has",
    ),
    "memo": ("mem0", lambda folder: of_points(folder, b"\x80\x04Nr\xff\xff\xff\xff."), "row 1 of points: no point"),
    "laughter": ("mem0", lambda folder: of_points(folder, laughing()), "row 1 of points: no point .*larger than"),
}


def own(folder: Path) -> Path:
    Store(folder / "own.db", embed=hash_embed, dim=DIM).close()
    return folder / "own.db"


def cut(folder: Path) -> Path:
    file = of_store(folder, '{"a":1}')
    whole = file.read_bytes()
    (folder / "cut.db").write_bytes(whole[: len(whole) // 2])
    return folder / "cut.db"


@pytest.mark.parametrize("trap", TRAPS)
def test_what_cannot_be_taken_or_trusted_changes_nothing(trap: str, tmp_path: Path) -> None:
    kind, made, told = TRAPS[trap]
    source, target = made(tmp_path), tmp_path / "memory.db"
    done = CliRunner().invoke(app, ["import", str(target), str(source), "--from", kind])
    assert isinstance(done.exception, LetheError), done.output
    with pytest.raises(LetheError, match=told):
        raise done.exception
    assert "\n" not in str(done.exception)
    assert not target.exists() and not (tmp_path / "ran").exists()


def test_triggers_of_a_file_do_nothing(tmp_path: Path, store: Store) -> None:
    planted = "CREATE TRIGGER t AFTER INSERT ON store BEGIN DELETE FROM store; END"
    file = database(tmp_path / "store.db", STORE, ITEM, planted, "CREATE VIEW v AS SELECT * FROM store")
    assert import_from("langgraph", file, store).new == 1


def test_the_command_says_what_came_and_what_could_not_be_kept(tmp_path: Path) -> None:
    source, target = golden("mem0_qdrant", tmp_path / "source"), tmp_path / "memory.db"
    run = ["import", str(target), str(source), "--from", "mem0", "--owner", "ines"]
    done = CliRunner().invoke(app, run)
    assert done.stdout == f"4 new, 0 over older values, 0 as they stood; vectors made anew{TOLD['mem0_qdrant']}\n"
    assert [each["user_id"] for each in Memory(target).get_all(user_id="ines")["results"]] == ["ines", "ines"]
    with Store(target) as store:
        texts = {
            memory.memory_id: json.loads(memory.text)["value"]["text"]
            for memory in store.within(owner="ines").memories()
        }
    recalled = CliRunner().invoke(app, ["recall", str(target), "tea", "--owner", "ines"]).stdout.splitlines()
    assert {int(line.split("\t")[0]): line.split("\t")[2] for line in recalled} == texts and texts
    for wrong in (["--source", "x"], ["--collection", "none"]):
        assert isinstance(CliRunner().invoke(app, [*run, *wrong]).exception, LetheError)
    alone = CliRunner().invoke(app, ["import", str(target), "--collection", "x"])
    assert isinstance(alone.exception, LetheError)


def test_langgraph_s_adapter_reads_what_the_command_has_imported(tmp_path: Path) -> None:
    pytest.importorskip("langgraph.store.base", reason="needs langgraph (envs/extras/agents.lock)")
    from lethe.store.langgraph import LetheStore

    source, target = golden("langgraph", tmp_path / "source"), tmp_path / "memory.db"
    assert CliRunner().invoke(app, ["import", str(target), str(source), "--from", "langgraph"]).exit_code == 0
    index = {"embed": "lethe-static-1", "fields": ["text", "notes[*]"]}
    with LetheStore.from_conn_string(str(target), index=index) as store:
        assert [item.key for item in store.search(("users",), query="coffee", limit=1)] == ["drink"]
        store.put(("users", "ines"), "drink", {"text": "likes water", "notes": []})
        assert store.search(("users",), query="water", limit=1)[0].value["text"] == "likes water"
        assert store.forget(("users", "ines"), "drink").complete
    assert held(target, "coffee", "water") == []


def test_langgraph_s_adapter_without_an_index_reads_a_store_that_had_none(tmp_path: Path) -> None:
    pytest.importorskip("langgraph.store.base", reason="needs langgraph (envs/extras/agents.lock)")
    from lethe.store.langgraph import LetheStore

    source, target = of_store(tmp_path, '{"text":"likes tea"}'), tmp_path / "memory.db"
    run = ["import", str(target), str(source), "--from", "langgraph", "--key", str(tmp_path / "key")]
    make_key(tmp_path / "key")
    assert CliRunner().invoke(app, run).exit_code == 0
    with LetheStore.from_conn_string(str(target), key=tmp_path / "key") as store:
        store.put(("users",), "sport", {"text": "rows"})
        store.put(("users",), "k", {"text": "likes coffee"})
        assert [item.value["text"] for item in store.search((), query="tea")] == ["likes coffee", "rows"]
        assert store.items.audit() == []
    with LetheStore.from_conn_string(str(target), key=tmp_path / "key") as store:
        assert store.forget(("users",), "k").complete and held(target, "tea", "coffee") == []


def test_langchain_s_adapter_reads_what_the_command_has_imported(tmp_path: Path) -> None:
    pytest.importorskip("langchain_core", reason="needs langchain-core (envs/extras/agents.lock)")
    from lethe.store.langchain import LetheVectorStore

    source, target = golden("chroma", tmp_path / "source"), tmp_path / "memory.db"
    assert CliRunner().invoke(app, ["import", str(target), str(source), "--from", "chroma"]).exit_code == 0
    for given in ((), ("lethe-static-1",)):
        notes = LetheVectorStore(target, *given, collection="my_notes")
        (found,) = notes.similarity_search("coffee", k=1, filter={"about": "ines"})
        assert (found.id, found.page_content) == ("drink", "Ines likes coffee.")
        notes.documents.store.close()


def test_an_embedder_without_a_name_must_know_items(tmp_path: Path) -> None:
    source = golden("mem0_json", tmp_path / "source")
    with Store(tmp_path / "plain.db", embed=hash_embed, dim=DIM) as plain:
        with pytest.raises(
            LetheError, match=r"plain\.db: .* give it a name \(embedder=\), or take the store of the adapter"
        ):
            import_from("mem0", source, plain)
        assert plain.count() == 0
    assert import_from("mem0", source, Memory(tmp_path / "m.db", embedder=hash_embed).documents.store).new == 4


def test_one_collection_of_several_is_named(tmp_path: Path, store: Store) -> None:
    source = golden("chroma", tmp_path / "source")
    assert import_from("chroma", source, store, collection="other").new == 1
    with pytest.raises(LetheError, match="has no collection 'none'; name one that it has"):
        import_from("chroma", source, store, collection="none")
    with pytest.raises(LetheError, match=r"holds the collections my\.notes, other; name one of them"):
        import_from("mem0", source, store)
