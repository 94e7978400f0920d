"""The store as a server of the Model Context Protocol, by the SDK's own client."""

import asyncio
import contextlib
import json
import re
import select
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw
import pytest

from lethe.store import Store, __version__, make_key
from lethe.store.errors import LetheError
from lethe.store.receipts import PurgeReceipt
from tests.support.agents import held, package
from tests.support.hash_embedder import DIM, hash_embed
from tests.support.paths import ROOT

package("mcp")

from mcp import Client, StdioServerParameters  # noqa: E402

from lethe.store.mcp import TOKEN_SECONDS, server  # noqa: E402
from lethe.store.mcp_stdio import MOST_BYTES  # noqa: E402

CLIENTS = 20
Told = dict[str, Any]


def refused(result: Any) -> str:
    """The line that the client is told."""
    assert result.is_error
    (content,) = result.content
    assert "\n" not in content.text
    return str(content.text)


async def call(client: Any, tool: str, **given: Any) -> Told:
    result = await client.call_tool(tool, given)
    assert not result.is_error, result.content
    told: Told = result.structured_content
    return told


def played(store: Store, play: Callable[[Any], Coroutine[Any, Any, None]], **given: Any) -> None:
    """Run a conversation of a client with the server of a store, in this process."""

    async def run() -> None:
        async with Client(server(store, **given)) as client:
            await play(client)

    asyncio.run(run())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store(path, embed=hash_embed, dim=DIM, key=make_key(path.with_name("key"))) as opened:
        yield opened


def test_tools_say_which_of_them_read_and_which_destroy(store: Store) -> None:
    async def play(client: Any) -> None:
        hints = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
        assert [name for name, hint in hints.items() if hint.destructive_hint] == ["confirm_forget"]
        assert {name for name, hint in hints.items() if hint.read_only_hint} == {"recall", "why", "forget", "receipt"}
        assert not any(hint.open_world_hint for hint in hints.values())
        schemas = [tool.input_schema for tool in (await client.list_tools()).tools]
        assert all(schema["additionalProperties"] is False for schema in schemas)

    played(store, play)


def test_a_fact_is_remembered_recalled_superseded_and_its_line_is_told(store: Store) -> None:
    async def play(client: Any) -> None:
        tea = await call(client, "remember", text="Ines likes tea.", source="chat of 3 May")
        coffee = await call(client, "remember", text="Ines likes coffee.", replaces=tea["id"])
        found = await call(client, "recall", query="what does Ines like?", k=3)
        assert [each["text"] for each in found["memories"]] == ["Ines likes coffee."]
        reason = await call(client, "why", id=coffee["id"])
        assert reason["memory"]["source"] == "chat of 3 May"
        assert [step["text"] for step in reason["line"]] == ["Ines likes tea.", "Ines likes coffee."]
        assert [step["actor"] for step in reason["line"]] == ["agent-7", "agent-7"]
        later = await call(client, "remember", text="A visit.", days=2)
        assert later["expires_at"] is not None

    played(store.within(actor="agent-7"), play)


def test_forgetting_takes_two_steps_and_leaves_nothing_in_the_file(store: Store, path: Path) -> None:
    async def play(client: Any) -> None:
        tea = await call(client, "remember", text="walnutine", source="quixotica")
        now = await call(client, "remember", text="pistachion", replaces=tea["id"])
        await call(client, "remember", text="stays here")
        shown = await call(client, "forget", query="pistachion")
        assert {each["text"] for each in shown["memories"]} == {"walnutine", "pistachion"}
        assert [each["text"] for each in (await call(client, "recall", query="pistachion", k=1))["memories"]] == [
            "pistachion"
        ]
        receipt = await call(client, "confirm_forget", token=shown["token"])
        assert await call(client, "receipt", id=now["id"]) == receipt
        assert receipt["complete"] and receipt["signature"]
        assert store.verify(PurgeReceipt.from_json(json.dumps(receipt))) and store.audit() == []
        assert "was used" in refused(await client.call_tool("confirm_forget", {"token": shown["token"]}))

    played(store, play)
    store.close()
    assert held(path, "walnutine", "pistachion", "quixotica", "stays here") == ["stays here"]


def test_a_token_erases_what_was_shown_or_nothing(store: Store) -> None:
    now = [0.0]

    async def play(client: Any) -> None:
        first = await call(client, "remember", text="one")
        second = await call(client, "remember", text="two")
        shown = await call(client, "forget", ids=[first["id"]])
        store.inscribe("made of one", derived_from=[first["id"]])
        assert "call forget again" in refused(await client.call_tool("confirm_forget", {"token": shown["token"]}))
        assert store.count() == 3
        late = await call(client, "forget", ids=[second["id"]])
        now[0] += TOKEN_SECONDS
        assert "too old" in refused(await client.call_tool("confirm_forget", {"token": late["token"]}))
        assert "never given" in refused(await client.call_tool("confirm_forget", {"token": "guessed"}))
        assert store.count() == 3

    played(store, play, clock=lambda: now[0])


def test_a_query_that_nothing_meets_names_what_the_tool_takes(store: Store) -> None:
    store.inscribe("Ines likes tea.")

    async def play(client: Any) -> None:
        told = refused(await client.call_tool("forget", {"query": "quantum chromodynamics"}))
        assert told.endswith("the closest are 1 'Ines likes tea.'; call forget with its id")

    played(store, play)


def test_an_owner_has_the_receipts_of_his_own_erasures_again_and_no_others(store: Store, path: Path) -> None:
    async def of_ines(client: Any) -> None:
        assert "erased nothing since" in refused(await client.call_tool("receipt", {}))
        first, second = [await call(client, "remember", text=text) for text in ("walnut", "pistachio")]
        receipts = []
        for each in (first, second):
            shown = await call(client, "forget", ids=[each["id"]])
            receipts.append(await call(client, "confirm_forget", token=shown["token"]))
        assert await call(client, "receipt") == await call(client, "receipt", id=second["id"]) == receipts[1]
        assert await call(client, "receipt", id=first["id"]) == receipts[0]
        assert store.verify(PurgeReceipt.from_json(json.dumps(receipts[0])))
        for id in (others, 99):
            assert f"erased no memory {id} since" in refused(await client.call_tool("receipt", {"id": id}))
            assert f"there is no memory {id}" in refused(await client.call_tool("forget", {"ids": [id]}))

    others = store.within(owner="tomas").inscribe("quixotica")
    store.within(owner="tomas").purge(others)
    played(store.within(owner="ines"), of_ines)


def test_an_erasure_that_a_reader_delayed_is_complete_when_its_receipt_is_asked_for_again(store: Store) -> None:
    async def play(client: Any) -> None:
        told = await call(client, "remember", text="walnut")
        shown = await call(client, "forget", ids=[told["id"]])
        with contextlib.closing(apsw.Connection(str(store._database.name))) as reader:
            reader.execute("BEGIN; SELECT count(*) FROM memory").fetchall()
            assert not (await call(client, "confirm_forget", token=shown["token"]))["complete"]
        assert (await call(client, "receipt", id=told["id"]))["complete"]

    played(store.within(owner="ines"), play)


def test_why_tells_its_moments_as_people_read_them_and_its_data_as_numbers(store: Store) -> None:
    async def play(client: Any) -> None:
        first = await call(client, "remember", text="Ines likes tea.", days=2)
        second = await call(client, "remember", text="Ines likes coffee.", replaces=first["id"])
        result = await client.call_tool("why", {"id": second["id"]})
        told, numbers = json.loads(result.content[0].text), result.structured_content
        assert told["memory"].keys() == numbers["memory"].keys() and len(told["line"]) == len(numbers["line"]) == 2
        assert told["line"][1]["superseded_at"] is None
        for text, number in (
            (told["memory"]["expires_at"], numbers["memory"]["expires_at"]),
            (told["line"][0]["told_at"], numbers["line"][0]["told_at"]),
            (told["line"][0]["superseded_at"], numbers["line"][0]["superseded_at"]),
        ):
            assert text.endswith("Z") and datetime.fromisoformat(text).timestamp() == int(number)

    played(store, play)


def test_the_owner_is_the_servers_and_no_tool_reaches_another(store: Store) -> None:
    other = store.within(owner="tomas").inscribe("The safe's number is 4711.")

    async def play(client: Any) -> None:
        tools = (await client.list_tools()).tools
        assert not any("owner" in tool.input_schema["properties"] for tool in tools)
        assert (await call(client, "recall", query="the safe's number"))["memories"] == []
        for tool, given in (("why", {"id": other}), ("forget", {"ids": [other]}), ("remember", _replacing(other))):
            assert f"there is no memory {other}" in refused(await client.call_tool(tool, given))
        named = refused(await client.call_tool("remember", {"text": "Mine.", "owner": "tomas"}))
        assert "no argument 'owner'; it takes text, source, replaces, days" in named
        assert store.within(owner="ines").count() == 0

    played(store.within(owner="ines"), play)
    assert [memory.text for memory in store.within(owner="tomas").memories()] == ["The safe's number is 4711."]


def _replacing(memory_id: int) -> Told:
    return {"text": "The number is 1234.", "replaces": memory_id}


@pytest.mark.parametrize(
    ("tool", "given", "told"),
    [
        ("remember", {"text": "  "}, "a memory needs text"),
        ("remember", {}, "text: Field required"),
        ("remember", {"text": "a", "replaces": 1, "source": "b"}, "keeps its source"),
        ("remember", {"text": "a", "days": -1}, "days: Input should be greater than 0"),
        ("recall", {"query": "a", "k": 0}, "k: Input should be greater"),
        ("why", {"id": 99}, "there is no memory 99"),
        ("forget", {}, "give either ids or a query"),
        ("forget", {"ids": []}, "nothing would be erased"),
        ("forget", {"query": "what nobody said"}, "no memory meets 'what nobody said': none is live"),
        ("receipt", {}, "nothing was purged"),
        ("unknown", {}, "nknown tool"),
        ("remember", {"text": "a", "dayz": 2}, "no argument 'dayz'; it takes text, source, replaces, days"),
        ("remember", {"text": "a", "days": True}, "days: Input should be a number, not true or false"),
        ("recall", {"query": "a", "k": True}, "k: Input should be a number, not true or false"),
        ("why", {"id": True}, "id: Input should be a number, not true or false"),
        ("forget", {"ids": [True]}, "ids.0: Input should be a number, not true or false"),
        ("receipt", {"id": True}, "id: Input should be a number, not true or false"),
    ],
)
def test_what_a_client_can_put_right_reaches_it_in_one_line(store: Store, tool: str, given: Told, told: str) -> None:
    async def play(client: Any) -> None:
        assert told in refused(await client.call_tool(tool, given))

    played(store, play)


def test_true_is_no_number_of_a_memory_to_replace(store: Store) -> None:
    first = store.inscribe("Ines likes tea.")
    assert first == 1

    async def play(client: Any) -> None:
        told = refused(await client.call_tool("remember", {"text": "a", "replaces": True}))
        assert "replaces: Input should be a number, not true or false" in told

    played(store, play)
    assert [memory.text for memory in store.memories()] == ["Ines likes tea."]


def _command(path: Path, *options: str) -> list[str]:
    return ["-m", "lethe.store.cli.main", "mcp", str(path), "--embedder", "words", *options]


def _stdio(path: Path, *options: str) -> StdioServerParameters:
    return StdioServerParameters(command=sys.executable, args=_command(path, *options), env={"PYTHONPATH": str(ROOT)})


@contextmanager
def _http(path: Path) -> Iterator[str]:
    """The address of a server in a process of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, *_command(path, "--http", "--port", str(port), "--owner", "ines")]
    process = subprocess.Popen(command, env={"PYTHONPATH": str(ROOT)}, stderr=subprocess.DEVNULL)
    try:
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(timeout=30)


@asynccontextmanager
async def _patient(address: str) -> AsyncIterator[Any]:
    """A client of a server that may still be starting."""
    port = int(address.split(":")[2].split("/")[0])
    for _ in range(600):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.1)
        else:
            writer.close()
            break
    async with Client(address) as client:
        yield client


def test_the_command_serves_over_standard_input_and_output_and_the_file_stays(path: Path) -> None:
    async def run() -> None:
        async with Client(_stdio(path)) as client:
            told = await call(client, "remember", text="The spare key is at the bakery.")
        async with Client(_stdio(path)) as client:
            found = await call(client, "recall", query="where is the spare key?")
            assert [each["id"] for each in found["memories"]] == [told["id"]]
            shown = await call(client, "forget", ids=[told["id"]])
            assert (await call(client, "confirm_forget", token=shown["token"]))["complete"]

    asyncio.run(run())
    assert held(path, "bakery") == []


def test_a_server_says_its_version_and_where_it_listens(store: Store, path: Path) -> None:
    async def play(client: Any) -> None:
        assert client.server_info.version == __version__ != ""

    played(store, play)
    store.close()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    made = path.with_name("new.db")
    command = [sys.executable, *_command(made, "--http", "--port", str(port))]
    process = subprocess.Popen(command, env={"PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        assert process.stderr.readline() == f"listening at http://127.0.0.1:{port}/mcp\n"
        asyncio.run(_half_a_request(f"http://127.0.0.1:{port}/mcp", process))
        assert "Traceback" not in process.stderr.read()
    finally:
        process.kill()
        process.wait(timeout=30)


async def _half_a_request(address: str, process: subprocess.Popen[str]) -> None:
    """End the server while a client has sent a part of what it announced."""
    async with _patient(address):
        pass
    _, writer = await asyncio.open_connection("127.0.0.1", int(address.split(":")[2].split("/")[0]))
    types = "Content-Type: application/json\r\nAccept: application/json, text/event-stream"
    writer.write(f"POST /mcp HTTP/1.1\r\nHost: localhost\r\n{types}\r\nContent-Length: 500\r\n\r\n{{".encode())
    await writer.drain()
    await asyncio.sleep(1)
    process.terminate()
    await asyncio.to_thread(process.wait, timeout=20)
    writer.close()


def test_a_file_whose_embedder_the_command_has_not_is_refused_before_anything_is_served(path: Path) -> None:
    from lethe.store.cli.mcp import mcp

    adapters = path.with_name("adapters.db")
    for name, told in (
        (None, f"store {adapters} was made with an embedder without a name, given by the program that made it"),
        ("mine", f"store {adapters} was made with the embedder 'mine', which the command line has not"),
    ):
        Store(adapters, embed=hash_embed, dim=DIM, embedder=name).close()
        for graph in (False, True):
            with pytest.raises(LetheError, match=re.escape(told)) as refusal:
                mcp(adapters, graph=graph)
            assert "\n" not in str(refusal.value) and "None" not in str(refusal.value)
        adapters.unlink()


def test_twenty_clients_at_once_are_served_over_http_without_an_error(path: Path) -> None:
    async def session(address: str, number: int) -> None:
        async with Client(address) as client:
            for n in range(3):
                told = await call(client, "remember", text=f"fact {n} of client {number}")
                found = await call(client, "recall", query=f"fact {n} of client {number}", k=60)
                assert told["id"] in [each["id"] for each in found["memories"]]
            shown = await call(client, "forget", ids=[told["id"]])
            receipt = await call(client, "confirm_forget", token=shown["token"])
            assert len(receipt["events"]) == 1

    async def run() -> None:
        with _http(path) as address:
            async with _patient(address):
                await asyncio.gather(*(session(address, number) for number in range(CLIENTS)))

    asyncio.run(run())
    with Store(path, embed=hash_embed) as store:
        assert store.within(owner="ines").count() == 2 * CLIENTS and store.audit() == []


_OPENING = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


@contextmanager
def _piped(path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A server over pipes that has answered the opening."""
    command = [sys.executable, *_command(path)]
    pipe = subprocess.PIPE
    env = {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=env) as process:
        try:
            assert _answer(process, json.dumps(_OPENING).encode())["id"] == 0
            yield process
        finally:
            process.kill()


def _send(process: subprocess.Popen[bytes], line: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(line + b"\n")
    process.stdin.flush()


def _answer(process: subprocess.Popen[bytes], line: bytes) -> Told:
    """What is answered to a line; a failure where nothing comes."""
    assert process.stdout is not None
    _send(process, line)
    assert select.select([process.stdout], [], [], 60)[0], f"no answer to {line[:80]!r}"
    told: Told = json.loads(process.stdout.readline())
    return told


def _ping(id: str, inside: str = "") -> bytes:
    return f'{{"jsonrpc":"2.0","id":{id},"method":"ping","params":{{"_meta":{{"a":"{inside}"}}}}}}'.encode()


def test_a_line_that_is_no_message_is_answered_and_the_server_goes_on(path: Path) -> None:
    cases: list[tuple[bytes, object, int, str]] = [
        (_ping("7", r"\ud800"), 7, -32600, "half a surrogate pair"),
        (_ping('"x"', r"\udc00"), "x", -32600, "half a surrogate pair"),
        (_ping(r'"\ud800"'), None, -32600, "half a surrogate pair"),
        (_ping("8").replace(b"a", b"\xff"), 8, -32600, "not UTF-8"),
        (b"garbage", None, -32700, "Invalid JSON"),
        (b"\xef\xbb\xbf" + _ping("9"), None, -32700, "Invalid JSON"),
        (b"[" * 100_000, None, -32700, "recursion limit"),
        (_ping("10").replace(b'"a"', b'"a":' + b"[" * 300 + b"]" * 300 + b',"b"'), 10, -32600, "recursion limit"),
        (b"null", None, -32600, "no message of JSON-RPC"),
        (b"[]", None, -32600, "no message of JSON-RPC"),
        (_ping("1.5"), None, -32600, "id a string or an integer"),
        (_ping("null"), None, -32600, "id a string or an integer"),
        (_ping("11").replace(b'"ping"', b"5"), 11, -32600, "method is a string"),
        (_ping("12", "x" * MOST_BYTES), None, -32600, f"more than {MOST_BYTES} bytes"),
    ]
    with _piped(path) as process:
        for line, id, code, told in cases:
            answer = _answer(process, line)
            assert (answer["id"], answer["error"]["code"]) == (id, code), line[:80]
            assert told in answer["error"]["message"]
        _send(process, b"")
        assert _answer(process, _ping('"last"', r"\ud83d\ude00")) == {"jsonrpc": "2.0", "id": "last", "result": {}}


def test_what_was_asked_before_standard_input_ends_is_answered(path: Path) -> None:
    told = {"name": "remember", "arguments": {"text": "The spare key is at the bakery."}}
    asked: list[Told] = [
        _OPENING,
        {"method": "notifications/initialized"},
        *({"id": n, "method": "tools/call", "params": told} for n in range(1, 9)),
        {"method": "notifications/cancelled", "params": {"requestId": {}}},
    ]
    given = "".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in asked)
    command = [sys.executable, *_command(path)]
    done = subprocess.run(
        command, input=given, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert sorted(json.loads(line)["id"] for line in done.stdout.splitlines()) == list(range(9))


@pytest.mark.parametrize("line", [_ping("1"), b"garbage", b"\n".join([_ping("1"), b"garbage"] * 100)])
def test_a_client_that_closes_its_end_gets_one_line_while_its_input_is_open(path: Path, line: bytes) -> None:
    with _piped(path) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        _send(process, line)
        assert process.wait(timeout=60) == 1
        assert process.stderr.read() == b"error: the client closed its end before it was answered\n"
    with Store(path, embed=hash_embed) as store:
        assert store.audit() == []


def test_a_taken_port_is_named_with_the_option_that_chooses_another_and_no_file_is_made(path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [sys.executable, *_command(path, "--http", "--port", str(port))]
        done = subprocess.run(command, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: cannot listen on port {port} of 127.0.0.1: ")
    assert done.stderr.count("\n") == 1 and "--port" in done.stderr
    assert not path.exists()


def test_a_command_without_the_package_says_what_to_install(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lethe.store.cli.mcp import mcp

    monkeypatch.setitem(sys.modules, "lethe.store.mcp", None)
    with pytest.raises(LetheError, match="needs the package mcp"):
        mcp(path)
