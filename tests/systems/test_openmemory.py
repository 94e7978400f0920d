"""OpenMemory beyond the contract: its cache, its sectors, what binds where, and what is left behind."""

import json
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import psutil
import pytest

from forgeteval.errors import UserError
from lethe.environments.build import interpreter
from tests.support.bench import Bench, make_case
from tests.support.paths import ENVIRONMENTS, ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.heavy,
    pytest.mark.skipif(
        not (ENVIRONMENTS / "openmemory.freeze.txt").exists(), reason="the environment openmemory is not built"
    ),
]
CRIMSON, PASSPORT = "the bicycle is painted crimson", "the passport expires in november"
PURGES = {"supersede": "best_match", "release": "largest_gap", "purge": "equal_text"}
DRIVER = """
import json, sys
from pathlib import Path
from types import SimpleNamespace
from lethe.systems.openmemory import OpenMemoryBackend
from forgeteval.stores.contract import Services
services = Services(**json.loads(sys.argv[1])) if sys.argv[1] else None
backend = OpenMemoryBackend(SimpleNamespace(dim=4), services, **json.loads(sys.argv[2]))
print(json.dumps([backend._server.pid, backend._port, str(backend._folder)]), flush=True)
for line in sys.stdin:
    name, *arguments = json.loads(line)
    if name == "open":
        arguments = map(Path, arguments)
    try:
        answer = getattr(backend, name)(*arguments)
    except Exception as error:
        answer = f"{type(error).__name__}: {error}"
    print(json.dumps(answer, default=lambda value: value.decode("utf-8", "replace")
          if isinstance(value, bytes) else [value.id, value.text]), flush=True)
backend.close()
"""


class Driven:
    """A backend in its own environment's Python, called line by line."""

    def __init__(self, folder: Path, services: dict[str, str] | None = None, **options: Any) -> None:
        python = str(interpreter(ENVIRONMENTS, "openmemory"))
        given = ["" if services is None else json.dumps(services), json.dumps(options)]
        environment = {
            "PYTHONPATH": str(ROOT),
            "TMPDIR": str(folder),
            "HOME": str(folder),
            "PATH": "/usr/bin",
        }
        self.process = subprocess.Popen(
            [python, "-c", DRIVER, *given], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self.server, self.port, self.folder = self._answer()

    def __call__(self, name: str, *arguments: Any) -> Any:
        assert self.process.stdin is not None
        print(json.dumps([name, *arguments]), file=self.process.stdin, flush=True)
        return self._answer()

    def texts(self, query: str) -> list[str]:
        return [text for _, text in self("search", query, 10)]

    def end(self) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(timeout=30)
        self.process.stdout.close()

    def _answer(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())


@pytest.fixture
def driven(tmp_path: Path) -> Iterator[Driven]:
    backend = Driven(tmp_path)
    yield backend
    backend.end()


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


def test_its_server_listens_on_loopback_alone(driven: Driven) -> None:
    listening = [
        connection.laddr
        for connection in psutil.Process(driven.server).net_connections("all")
        if connection.status == psutil.CONN_LISTEN
    ]
    assert [(address.ip, address.port) for address in listening] == [("127.0.0.1", driven.port)]


def test_a_reset_leaves_nothing(driven: Driven) -> None:
    driven("add", [CRIMSON, PASSPORT])
    assert CRIMSON in driven("stored_bytes")
    for _ in range(5):
        driven.texts("the bicycle")
    assert driven("reset") is None
    assert "crimson" not in driven("stored_bytes")
    assert driven.texts("the bicycle") == []


def test_a_store_in_a_folder_outlives_its_server(driven: Driven, tmp_path: Path) -> None:
    folder = tmp_path / "store"
    folder.mkdir()
    driven("open", str(folder))
    driven("add", [CRIMSON, PASSPORT])
    driven("shut")
    assert list(folder.glob("memory.sqlite*"))
    driven("open", str(folder))
    (best, *_) = driven("search", "the bicycle", 10)
    assert best[1] == CRIMSON
    driven("delete", best[0])
    assert "crimson" not in "".join(driven("reads", best[0]).values())
    driven.end()
    assert folder.is_dir()


def test_deleted_text_stays_in_the_file(driven: Driven) -> None:
    driven("add", [CRIMSON, PASSPORT])
    ((first, text),) = driven("search", "the bicycle", 1)
    assert text == CRIMSON
    driven("delete", first)
    assert driven.texts("the bicycle") == [PASSPORT]
    assert CRIMSON in driven("stored_bytes")


@pytest.mark.parametrize("avoid_cache", [True, False])
def test_a_repeated_query_meets_the_cache_only_as_it_comes(tmp_path: Path, avoid_cache: bool) -> None:
    """By default a deleted memory is recalled for a minute, but never in the next case."""
    driven = Driven(tmp_path, avoid_cache=avoid_cache)
    driven("reset")
    driven("add", [CRIMSON, PASSPORT])
    assert driven.texts("the bicycle")[0] == CRIMSON
    driven("delete", driven("search", "the bicycle", 1)[0][0])
    assert driven.texts("the bicycle") == ([PASSPORT] if avoid_cache else [CRIMSON, PASSPORT])
    driven("reset")
    driven("add", [PASSPORT])
    assert driven.texts("the bicycle") == [PASSPORT]
    driven.end()


def test_what_deletes_by_a_stale_answer_goes_on(bench: Bench) -> None:
    case = make_case(
        "c", [CRIMSON, PASSPORT], "the passport", [PASSPORT], ["crimson"], [("purge", CRIMSON), ("purge", CRIMSON)]
    )
    python, options = interpreter(ENVIRONMENTS, "openmemory"), {"avoid_cache": False}
    (row,) = bench.run([case], "openmemory", policies=PURGES, python=python, options=options)
    assert (row["verdict"], row["probed_verdict"]) == ("pass", "pass")


def test_a_query_sees_the_memories_of_its_own_sectors_alone(driven: Driven) -> None:
    """Words such as "yesterday" put a memory into a sector that a query without such a word does not search."""
    driven("add", ["the piano was tuned yesterday", CRIMSON])
    assert driven.texts("piano") == [CRIMSON]
    assert driven.texts("yesterday piano") == ["the piano was tuned yesterday"]


def test_memories_that_share_most_words_are_one_memory(driven: Driven) -> None:
    """Duplicates are found by a similarity hash; the second memory is dropped, and the server reports success."""
    driven("add", [f"User {number} lives in city number {number}" for number in range(200)])
    kept = driven("_ask", "GET", "/memory/all?l=1000")["items"]
    assert 1 <= len(kept) < 20


def test_memories_without_latin_letters_or_digits_are_one_memory(driven: Driven) -> None:
    """Duplicates are known by a hash of the words in a-z and 0-9."""
    driven("add", ["東京都に住んでいる", "ピアノを習っている", CRIMSON])
    assert driven.texts("ピアノ") == ["東京都に住んでいる", CRIMSON]


def test_a_worker_that_is_killed_leaves_no_server_and_no_database(tmp_path: Path) -> None:
    driven = Driven(tmp_path)
    driven("add", [CRIMSON])
    driven.process.send_signal(signal.SIGKILL)
    driven.process.wait()
    until(lambda: not psutil.pid_exists(driven.server) and not Path(driven.folder).exists())


def test_an_embedder_that_fails_is_an_error_and_no_empty_answer(tmp_path: Path) -> None:
    vectors = {"status": 200}

    class Embeddings(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            texts = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
            answer = json.dumps({"data": [{"embedding": [1.0, 0.0, 0.0, 0.0]} for _ in texts]}).encode()
            self.send_response(vectors["status"])
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: Any) -> None: ...

    endpoint = ThreadingHTTPServer(("127.0.0.1", 0), Embeddings)
    threading.Thread(target=endpoint.serve_forever, daemon=True).start()
    services = {"url": f"http://127.0.0.1:{endpoint.server_address[1]}/v1", "token": "t", "model": ""}
    driven = Driven(tmp_path, services, embeddings="minilm")
    driven("add", [CRIMSON])
    assert driven.texts("the bicycle") == [CRIMSON]
    vectors["status"] = 500
    assert driven("search", "the bicycle", 10).startswith(("RemoteDisconnected", "ConnectionResetError"))
    driven.end()
    endpoint.shutdown()
    endpoint.server_close()


def test_options_that_cannot_be_are_named(bench: Bench) -> None:
    python, case = interpreter(ENVIRONMENTS, "openmemory"), make_case("c", [CRIMSON], "bicycle")
    with pytest.raises(UserError, match="unknown embeddings 'bge'; choose synthetic or minilm"):
        bench.run([case], "openmemory", python=python, options={"embeddings": "bge"})
    with pytest.raises(UserError, match="embeddings: minilm needs the gateway; add `gateway: embeddings`"):
        bench.run([case], "openmemory", python=python, options={"embeddings": "minilm"})
