"""The store of the paper's authors as they publish it (`pylethe`): its own operations as a six-method Adapter.

The package addresses memories by id. Which memories a query means is decided as in the authors' benchmark
(docs/systems.md, "Exactness").
"""

import base64
import contextlib
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Backend, Hit
from lethe.store.normalisation import normalised
from lethe.store.thresholds import largest_gap_threshold
from lethe.systems.case_folders import CaseFolders

RUNS_MODULES = ("lethe.systems.pylethe_process",)
_CANDIDATES = 20
_CLOSING_S = 5.0


class PyletheAdapter(Backend):
    """One database file per case, held by a process of its own; recall uses vectors alone."""

    def __init__(self, embedder: Embedder) -> None:
        self._folders = CaseFolders("pylethe")
        self._process = _Process(embedder)

    def reset(self) -> None:
        self._process.ask("close")
        self._process.ask("open", path=str(self._folders.next() / "memories.sqlite3"))

    def inscribe(self, texts: Sequence[str]) -> None:
        self._process.ask("inscribe", embed=texts, texts=list(texts))

    def recall_texts(self, query: str, k: int) -> list[str]:
        return [text for _, text, _ in self._recall(query, k, hybrid=False)]

    def supersede(self, query: str, text: str) -> None:
        best = self._recall(query, 1, hybrid=False)
        if best:
            self._process.ask("surrender", embed=[text], target={"old": best[0][0], "new": text}, mode="supersede")
        else:
            self.inscribe([text])

    def release(self, query: str) -> None:
        hits = self.search(query, _CANDIDATES)
        if hits:
            threshold = largest_gap_threshold([hit.score for hit in hits])
            chosen = [hit.id for hit in hits if hit.score >= threshold]
            self._process.ask("surrender", target=chosen, mode="release")

    def purge(self, query: str) -> None:
        found = self._recall(query, _CANDIDATES, lexical=True)
        chosen = [id for id, text, _ in found if normalised(text) == normalised(found[0][1])]
        self._process.ask("surrender", target=chosen, mode="purge")

    def search(self, query: str, k: int) -> list[Hit]:
        """Hybrid recall; the score is the similarity, 0 for a memory that BM25 alone found."""
        return [Hit(id, text, similarity) for id, text, similarity in self._recall(query, k, hybrid=True)]

    def close(self) -> None:
        self._process.end()
        self._folders.remove()

    def stored_bytes(self) -> bytes:
        """The database file and its write-ahead log."""
        return self._folders.sqlite_bytes()

    def open(self, folder: Path) -> None:
        self._process.ask("close")
        self._process.ask("open", path=str(folder / "memories.sqlite3"))

    def shut(self) -> None:
        self._process.ask("close")

    def reads(self, id: str | int) -> Mapping[str, str]:
        return {"history": self._process.ask("log")}

    def _recall(self, query: str, k: int, **options: bool) -> list[tuple[int, str, float]]:
        found: list[tuple[int, str, float]] = self._process.ask("recall", embed=[query], query=query, k=k, **options)
        return found


class _Process:
    """The process that imports the package; it ends with its input, and so with this process."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        program = importlib.util.find_spec(*RUNS_MODULES)
        assert program is not None and program.origin is not None
        # Two packages are called `lethe`: the process must find the environment's, not this project's.
        path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        others = [folder for folder in path if folder and not Path(folder, "lethe").is_dir()]
        self._process = subprocess.Popen(
            [sys.executable, "-P", program.origin],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(others)},
            text=True,
        )
        self._send(embedder.dim)

    def ask(self, operation: str, *, embed: Sequence[str] = (), **arguments: Any) -> Any:
        """The result of an operation of `lethe.systems.pylethe_process.Database`.

        Args:
            embed: the texts that the operation embeds.

        Raises:
            RuntimeError: if the package raises, with its message, or if the process is gone.
        """
        vectors = dict(zip(embed, self._embedder.embed(list(embed)), strict=True)) if embed else {}
        packed = {text: base64.b64encode(vector.tobytes()).decode() for text, vector in vectors.items()}
        self._send({"operation": operation, "arguments": arguments, "vectors": packed})
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the process of pylethe has ended")
        reply = json.loads(line)
        if "error" in reply:
            raise RuntimeError(reply["error"])
        return reply["result"]

    def end(self) -> None:
        """Close the input, and wait until the process has ended."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(timeout=_CLOSING_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def _send(self, message: Any) -> None:
        assert self._process.stdin is not None
        print(json.dumps(message), file=self._process.stdin, flush=True)
