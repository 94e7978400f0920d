"""Letta's archival memory, through the REST API of a server on PostgreSQL + pgvector (paper, appendix "Letta")."""

import os
import secrets
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Backend, Hit, Services
from lethe.systems.letta_postgres import Postgres
from lethe.systems.servers import Server, free_port

_UP_S = 110.0
_ANSWER_S = 120.0
_EVERYTHING = 1_000_000
_BATCH = 100
"""Passages per request; each comes back with its 4096 numbers."""
_LAUNCH = "import nltk; nltk.download = lambda *_, **__: True; from letta.main import app; app()"
"""Starts the server without its download of a tokenizer that archival memory does not use."""
_COPIES = """
    SELECT format('COPY (SELECT %s FROM %I) TO STDOUT;', string_agg(quote_ident(column_name), ','), table_name)
    FROM information_schema.columns WHERE table_schema = 'public' AND udt_name <> 'vector' GROUP BY table_name
"""
"""Query that returns the statements for reading all tables except their vectors."""


class LettaBackend(Backend):
    """One server and database per worker, one agent with one archive per case; no request goes to a chat model.

    The API gives no scores: hits carry the reciprocal of their rank.
    """

    def __init__(self, embedder: Embedder, services: Services) -> None:
        import httpx

        self._httpx: Any = httpx
        endpoint = {"embedding_endpoint_type": "openai", "embedding_endpoint": services.url}
        self._embedding = {**endpoint, "embedding_model": "embedder", "embedding_dim": embedder.dim}
        model = {"model_endpoint_type": "openai", "model_endpoint": services.url, "context_window": 8192}
        self._model = {**model, "model": services.model or "none"}
        self._services = services
        self._agent = self._archive = ""
        self._start()

    def reset(self) -> None:
        """Delete the agent and its archive, which would otherwise outlive it, and create new ones."""
        if self._agent:
            self._call("DELETE", f"/agents/{self._agent}")
            self._call("DELETE", f"/archives/{self._archive}")
        about = {"name": "case", "llm_config": self._model, "include_base_tools": False, "memory_blocks": []}
        self._agent = self._call("POST", "/agents/", {**about, "embedding_config": self._embedding})["id"]
        self._archive = self._call("POST", "/archives/", {"name": "case", "embedding_config": self._embedding})["id"]
        self._call("PATCH", f"/agents/{self._agent}/archives/attach/{self._archive}")

    def add(self, texts: Sequence[str]) -> None:
        for start in range(0, len(texts), _BATCH):
            passages = [{"text": text} for text in texts[start : start + _BATCH]]
            self._call("POST", f"/archives/{self._archive}/passages/batch", {"passages": passages})

    def search(self, query: str, k: int) -> list[Hit]:
        found = self._call("GET", f"/agents/{self._agent}/archival-memory/search", query=query, top_k=k)
        return [Hit(item["id"], item["content"], 1 / rank) for rank, item in enumerate(found["results"], start=1)]

    def delete(self, id: str | int) -> None:
        self._call("DELETE", f"/agents/{self._agent}/archival-memory/{id}")

    def open(self, folder: Path) -> None:
        """Servers of their own on the database in this folder."""
        self.shut()
        self._start(folder)
        agents = self._call("GET", "/agents/")
        if agents:
            self._agent = agents[0]["id"]
            self._archive = self._call("GET", "/archives/", agent_id=self._agent)[0]["id"]
        else:
            self.reset()

    def shut(self) -> None:
        self._http.close()
        self._server.stop()
        self._postgres.stop()
        self._agent = self._archive = ""

    def compact(self) -> None:
        """Letta offers none; its database does."""
        self._postgres.run("psql", "-q", "-c", "VACUUM FULL", "-c", "CHECKPOINT")

    def reads(self, id: str | int) -> Mapping[str, str]:
        """Its lists, and the export of the agent; there is no read of a single passage."""
        return {
            "list": str(self._call("GET", f"/agents/{self._agent}/archival-memory", limit=_EVERYTHING)),
            "export": str(self._call("GET", f"/agents/{self._agent}/export")),
        }

    def close(self) -> None:
        self.shut()

    def stored_bytes(self) -> bytes:
        """Every live row of every table, without the vectors."""
        return self._postgres.run("psql", "-c", self._copies).encode()

    def _start(self, folder: Path | None = None) -> None:
        """Start both servers, on a new database where no folder is given; no agent is chosen."""
        environment, password, port = Path(sys.prefix), secrets.token_hex(), free_port()
        self._postgres = Postgres(environment, _made(folder, "postgres"))
        try:
            if self._postgres.is_new:
                self._postgres.load(environment / "schema.sql")
            self._copies = self._postgres.run("psql", "-At", "-c", _COPIES)
            self._server = self._started(folder, password, port)
        except BaseException:
            self._postgres.stop()
            raise
        self._http = self._httpx.Client(
            base_url=f"http://127.0.0.1:{port}/v1",
            headers={"Authorization": f"Bearer {password}"},
            timeout=_ANSWER_S,
            trust_env=False,
        )
        try:
            self._server.wait_until(self._is_up, _UP_S)
        except BaseException:
            self.shut()
            raise

    def _started(self, folder: Path | None, password: str, port: int) -> Server:
        """Letta's own server, on the database that runs."""
        services, home = self._services, _made(folder, "server") or Path(tempfile.mkdtemp(prefix="letta-"))
        certificates = home / "certificates"
        certificates.mkdir(exist_ok=True)
        settings = {
            "HOME": str(home),
            "LETTA_PG_URI": f"{self._postgres.uri}?sslmode=disable",
            # By default, Letta opens a connection for each query.
            "LETTA_DISABLE_SQLALCHEMY_POOLING": "false",
            "LETTA_SERVER_SECURE": "true",
            "LETTA_SERVER_PASSWORD": password,
            "OPENAI_API_KEY": services.token,
            "OPENAI_BASE_URL": services.url,
            # Empty: the client made for each embedding would read all certificates of the machine, in 50 ms.
            "SSL_CERT_DIR": str(certificates),
            "PYTHONWARNINGS": "ignore",
        }
        command = [sys.executable, "-c", _LAUNCH, "server", "--host", "127.0.0.1", "--port", str(port)]
        remove = [] if folder else [home]
        return Server(command, os.environ | settings, cwd=home, log=home / "log", remove=remove)

    def _is_up(self) -> bool:
        try:
            return bool(self._http.get("/health/").is_success)
        except self._httpx.TransportError:
            return False

    def _call(self, method: str, path: str, body: Any = None, **parameters: Any) -> Any:
        """The JSON answer of the server; None if the answer is empty. Raises RuntimeError for an error status."""
        answer = self._http.request(method, path, json=body, params=parameters)
        if not answer.is_success:
            raise RuntimeError(f"Letta {method} {path}: {answer.status_code} {answer.text[:300]}")
        return answer.json() if answer.content else None


def _made(folder: Path | None, name: str) -> Path | None:
    """The folder of this name in a folder, if there is one."""
    if folder is None:
        return None
    made = folder / name
    made.mkdir(exist_ok=True)
    return made
