"""A download: as much and as long as it may be, and nothing of one that failed."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from forgeteval.download import download
from forgeteval.errors import UserError

_HEAD = b"HTTP/1.0 200 OK\r\n\r\n"


@pytest.fixture
def server() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


def answering(server: socket.socket, *parts: bytes) -> str:
    """The address of a server that answers one request with these parts, again and again if the last one is empty."""

    def answer() -> None:
        connection, _ = server.accept()
        with connection:
            connection.recv(65536)
            try:
                for part in parts:
                    connection.sendall(part)
                while not parts[-1]:
                    connection.sendall(b"x" * 1000)
            except OSError:
                pass

    threading.Thread(target=answer, daemon=True).start()
    return f"http://127.0.0.1:{server.getsockname()[1]}/file"


def test_what_the_server_gives_is_written(server: socket.socket, tmp_path: Path) -> None:
    download(answering(server, _HEAD, b"cases"), tmp_path / "file", "suites.mine.url")
    assert (tmp_path / "file").read_bytes() == b"cases"


@pytest.mark.parametrize(
    ("parts", "longest_s", "said"),
    [
        ((_HEAD, b""), 60.0, "more than 10,000 bytes"),
        ((_HEAD, b"x", b""), 0.0, "not done in time"),
        ((b"what is this\r\n\r\n",), 60.0, "BadStatusLine"),
        ((b"HTTP/1.0 404 No\r\n\r\n",), 60.0, "404"),
        ((b"HTTP/1.0 200 OK\r\nContent-Length: 1000\r\n\r\n", b"cases"), 60.0, "broken off, 995 bytes before its end"),
    ],
)
def test_an_address_that_gives_something_else_is_named_and_nothing_is_left(
    server: socket.socket, tmp_path: Path, parts: tuple[bytes, ...], longest_s: float, said: str
) -> None:
    with pytest.raises(
        UserError, match=rf"^suites\.mine\.url: http://127.*/file cannot be fetched \(.*{said}.*by hand$"
    ):
        download(answering(server, *parts), tmp_path / "file", "suites.mine.url", most=10_000, longest_s=longest_s)
    assert list(tmp_path.iterdir()) == []
