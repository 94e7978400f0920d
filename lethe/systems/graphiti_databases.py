"""The graph databases for Graphiti: Kuzu in this process, or a FalkorDB server on loopback."""

import asyncio
import secrets
import sys
import tempfile
from pathlib import Path
from typing import Any

from lethe.systems.case_folders import CaseFolders
from lethe.systems.servers import Server, free_port

_FILE = "graph"
_UP_S = 30.0
_SETTINGS = """\
bind 127.0.0.1
port {port}
requirepass {password}
save ""
appendonly no
rdbcompression no
loadmodule "{module}" THREAD_COUNT 1 OMP_THREAD_COUNT 1 TEMP_FOLDER "{root}"
"""


class KuzuFiles:
    """One Kuzu database per case, in its own folder, because its full-text search ranks before it filters by group."""

    def __init__(self) -> None:
        from graphiti_core.driver.kuzu_driver import KuzuDriver

        self._driver_type: Any = KuzuDriver
        self._folders = CaseFolders("kuzu", self._prepare)

    async def open(self) -> tuple[Any, str]:
        """Return a driver for an empty graph, and the graph's group id."""
        driver = self._driver_type(str(self._folders.next() / _FILE))
        # Graphiti reads this attribute of every driver; Kuzu's has none.
        driver._database = ""
        # The files are thrown away, and a checkpoint would take a third of a second.
        await driver.execute_query("CALL force_checkpoint_on_close=false")
        return driver, ""

    async def drop(self, driver: Any) -> None:
        """Close the database; its files are removed when the next one is opened."""
        driver.client.close()
        driver.db.close()

    async def stored_bytes(self) -> bytes:
        """The database's files, including its write-ahead log."""
        return b"\n".join(path.read_bytes() for path in sorted(self._folders.current.iterdir()))

    async def close(self) -> None:
        self._folders.remove()

    def _prepare(self, folder: Path) -> None:
        folder.mkdir()
        driver = self._driver_type(str(folder / _FILE))
        # The driver's own method of that name does nothing.
        asyncio.run(driver.graph_ops.build_indices_and_constraints(driver))
        asyncio.run(self.drop(driver))


class FalkorServer:
    """One graph per case on one FalkorDB server, which keeps nothing on disk."""

    def __init__(self) -> None:
        from falkordb.asyncio import FalkorDB
        from graphiti_core.driver.falkordb_driver import FalkorDriver

        self._driver_type: Any = FalkorDriver
        self._number = 0
        root = Path(tempfile.mkdtemp(prefix="falkordb-"))
        port, password, built = free_port(), secrets.token_hex(), Path(sys.prefix) / "falkordb"
        settings, log = root / "redis.conf", root / "log"
        settings.touch(mode=0o600)
        settings.write_text(_SETTINGS.format(port=port, password=password, root=root, module=built / "falkordb.so"))
        self._server = Server([built / "redis-server", settings], env={}, cwd=root, log=log, remove=[root])
        # Not an open port, which may be another server's.
        self._server.wait_until(lambda: "Ready to accept connections" in log.read_text(errors="replace"), _UP_S)
        self._client: Any = FalkorDB(host="127.0.0.1", port=port, password=password)

    async def open(self) -> tuple[Any, str]:
        """Return a driver for an empty graph, and the graph's group id."""
        self._number += 1
        self._name = f"case{self._number}"
        driver = self._driver_type(falkor_db=self._client, database=self._name)
        await driver._init_task
        return driver, self._name

    async def drop(self, driver: Any) -> None:
        """Delete the graph."""
        await self._client.select_graph(self._name).delete()

    async def stored_bytes(self) -> bytes:
        """The graph as the server would write it to a file.

        The server's log of queries is left out: it holds what was searched for and every fact that was ever written.
        """
        dumped: bytes = await self._client.connection.dump(self._name)
        return dumped

    async def close(self) -> None:
        await self._client.connection.aclose()
        self._server.stop()


DATABASES: dict[str, Any] = {"kuzu": KuzuFiles, "falkordb": FalkorServer}
