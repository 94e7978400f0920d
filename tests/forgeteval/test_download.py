"""A download: as much and as long as it may be, and nothing of one that failed."""

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from forgeteval.download import download
from forgeteval.errors import UserError

_HEAD = b"HTTP/1.0 200 OK\r\n\r\n"
_CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.fixture
def server() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


def answering(server: socket.socket, *parts: bytes, endless: bytes = b"") -> str:
    """The address of a server that answers one request with these parts, and then with one without end, if given.

    An endless part of few bytes comes slowly.
    """

    def answer() -> None:
        connection, _ = server.accept()
        with connection:
            connection.recv(65536)
            try:
                for part in parts:
                    connection.sendall(part)
                while endless:
                    connection.sendall(endless)
                    time.sleep(0.01 if len(endless) < 100 else 0)
            except OSError:
                pass

    threading.Thread(target=answer, daemon=True).start()
    return f"http://127.0.0.1:{server.getsockname()[1]}/file"


def test_what_the_server_gives_is_written(server: socket.socket, tmp_path: Path) -> None:
    download(answering(server, _HEAD, b"cases"), tmp_path / "file", "suites.mine.url")
    assert (tmp_path / "file").read_bytes() == b"cases"


PROXIES = ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY")


@pytest.mark.parametrize(
    "proxy", ["http:/hunter2-Secret@proxy", "hunter2-Secret://u@proxy", "http://u:x@proxy:31hunter2-Secret"]
)
def test_what_is_wrong_with_a_proxy_is_said_without_its_password(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, proxy: str
) -> None:
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", proxy)
    monkeypatch.setattr("urllib.request._opener", None)
    with pytest.raises(UserError, match=r"http://host\.invalid/file cannot be fetched \(.*http_proxy") as caught:
        download("http://host.invalid/file", tmp_path / "file", "suites.mine.url")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://u:hunter2-Secret@127.0.0.1:1/file", "http://127.0.0.1:1/file"),
        ("http://127.0.0.1:1/file?key=hunter2-Secret", "http://127.0.0.1:1/file"),
        ("http://u:hunter2-Secret/x@127.0.0.1:1/file", "the address"),
        ("127.0.0.1/file", "127.0.0.1/file"),
    ],
)
def test_the_address_is_shown_without_what_is_secret_in_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, address: str, shown: str
) -> None:
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UserError, match=f"^suites.mine.url: {shown} cannot be fetched ") as caught:
        download(address, tmp_path / "file", "suites.mine.url")
    assert "hunter2" not in str(caught.value)


MUCH = b"x" * 100_000
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


@pytest.mark.parametrize(
    ("parts", "endless", "longest_s", "said"),
    [
        ([_HEAD], MUCH, 60, "more than 10,000 bytes"),
        ([_HEAD], b"a", 1, "longer than 1 s"),
        ([CONTINUE], CONTINUE, 1, "longer than 1 s"),
        ([_HEAD[:-2], b"X: "], b"a", 1, "longer than 1 s"),
        ([_CHUNKED, b"1;"], b"a", 1, "longer than 1 s"),
        ([b"HTTP/1.0 302 There\r\nLocation: /there\r\n\r\n"], MUCH, 60, "more than 256 MiB of memory"),
        ([b"what is this\r\n\r\n"], b"", 60, "BadStatusLine"),
        ([b"HTTP/1.0 404 No\r\n\r\n"], b"", 60, "404"),
        ([b"HTTP/1.0 200 OK\r\nContent-Length: 1000\r\n\r\n", b"cases"], b"", 60, "broken off, 995 bytes before"),
    ],
)
def test_an_address_that_gives_something_else_is_named_and_nothing_is_left(
    server: socket.socket, tmp_path: Path, parts: list[bytes], endless: bytes, longest_s: int, said: str
) -> None:
    address = answering(server, *parts, endless=endless)
    with pytest.raises(
        UserError, match=rf"^suites\.mine\.url: http://127.*/file cannot be fetched \(.*{said}.*by hand$"
    ):
        download(address, tmp_path / "file", "suites.mine.url", most=10_000, longest_s=longest_s)
    assert list(tmp_path.iterdir()) == []
