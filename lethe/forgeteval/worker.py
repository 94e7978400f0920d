"""The worker: one system in its own environment, told cases as JSON lines on standard input.

    ENVIRONMENT/bin/python -m lethe.forgeteval.worker CHANNEL

Answers go to the file descriptor CHANNEL, never to standard output: whatever a third-party package prints there
lands in the log. Messages, one JSON object a line:

    parent: {"start": {...}}            worker: {"ready": true} or {"failed": "why"}
                                        (the start brings the unrelated rows of every case, where there are any)
    parent: {"trial": {...}}            worker: {"done": {trial}}
                                        worker: {"embed": [text, ...]} while a case runs
    parent: {"vectors": "base64"}       (float32, shape (texts, dim))
"""

import base64
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from typing import IO, Any

import numpy as np

from lethe.embedding.embedder import CachedEmbedder, Vectors
from lethe.errors import LetheError
from lethe.forgeteval.cases import case_from_json
from lethe.forgeteval.trials import Trial, run_trial
from lethe.systems.registry import build_adapter


class ParentEmbedder:
    """Asks the parent process, which holds the model, for the vectors of texts it did not send along."""

    def __init__(self, channel: "Channel", dim: int) -> None:
        self._channel, self.dim = channel, dim

    def embed(self, texts: Sequence[str]) -> Vectors:
        self._channel.send({"embed": list(texts)})
        return decode_vectors(self._channel.receive()["vectors"], self.dim)


class Channel:
    """JSON lines in and out."""

    def __init__(self, incoming: IO[bytes], outgoing: IO[bytes]) -> None:
        self._incoming, self._outgoing = incoming, outgoing

    def send(self, message: dict[str, Any]) -> None:
        self._outgoing.write(json.dumps(message).encode() + b"\n")
        self._outgoing.flush()

    def receive(self) -> dict[str, Any]:
        """The next message; EOFError once the other side is gone."""
        line = self._incoming.readline()
        if not line:
            raise EOFError
        message: dict[str, Any] = json.loads(line)
        return message


def encode_vectors(vectors: Vectors) -> str:
    """Float32 vectors of shape (n, dim) as base64 text."""
    return base64.b64encode(np.ascontiguousarray(vectors, dtype="<f4").tobytes()).decode()


def decode_vectors(text: str, dim: int) -> Vectors:
    """The reverse of `encode_vectors`, shape (n, dim)."""
    return np.frombuffer(base64.b64decode(text), dtype="<f4").reshape(-1, dim).astype(np.float32)


def serve(channel: Channel) -> None:
    """Build the adapter that the first message describes and run the trials that follow, until the input ends."""
    start = channel.receive()["start"]
    haystack: list[str] = start["haystack"]["texts"]
    haystack_vectors = _vectors_by_text(start["haystack"], start["dim"])
    known: dict[str, Vectors] = {}
    embedder = CachedEmbedder(known, ParentEmbedder(channel, start["dim"]))
    try:
        adapter = build_adapter(start["backend"], start["policies"], embedder)
    except LetheError as error:
        channel.send({"failed": str(error)})
        return
    channel.send({"ready": True})
    try:
        while True:
            message = channel.receive()["trial"]
            known.clear()
            known.update(haystack_vectors)
            known.update(_vectors_by_text(message, start["dim"]))
            case = case_from_json(message["case"], message["case"]["suite"], "worker")
            trial = run_trial(adapter, case, Trial(**message["key"]), start["k"], haystack)
            channel.send({"done": trial.to_row()})
    except EOFError:
        adapter.close()


def _vectors_by_text(message: Mapping[str, Any], dim: int) -> dict[str, Vectors]:
    return dict(zip(message["texts"], decode_vectors(message["vectors"], dim), strict=True))


def main() -> None:
    """Entry point; see the module's docstring."""
    channel = Channel(sys.stdin.buffer, os.fdopen(int(sys.argv[1]), "wb"))
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    serve(channel)


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    # The worker leads its own process group: its system's children end with it.
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
