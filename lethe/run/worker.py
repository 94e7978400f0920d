"""The worker: one system in its own environment, told cases as JSON lines on standard input.

    ENVIRONMENT/bin/python -m lethe.run.worker CHANNEL

Answers go to the file descriptor CHANNEL, never to standard output: whatever a third-party package prints there
lands in the log. A worker has one or more lanes, each with the system built anew and one trial at a time; more than
one lane serves systems that wait for a chat model. Messages, one JSON object a line:

    parent: {"start": {...}}                       worker: {"ready": true} or {"failed": "why"}
    parent: {"trial": {...}, "lane": 0}            worker: {"done": {trial}, "lane": 0}
    While a case runs:                             worker: {"embed": [text, ...], "lane": 0}
    parent: {"vectors": "base64", "lane": 0}       (float32, shape (texts, dim))
    With a hook that replays:                      worker: {"ask": {request}, "purpose": .., "key": {..}, "lane": 0}
    parent: {"completion": {..}, "lane": 0} or {"reason": "why there is none", "lane": 0}
    With a planner in the parent:              worker: {"plan": {decision wanted}, "lane": 0}
    parent: {"decision": {..}, "lane": 0}      (see `lethe.planners.remote`)
"""

import base64
import json
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from typing import IO, Any
from urllib.parse import quote

import numpy as np

from lethe.cases.interchange import case_from_json
from lethe.embedding.embedder import CachedEmbedder, Vectors
from lethe.errors import LetheError
from lethe.planners.protocol import Planner, PlannerUnavailable
from lethe.planners.remote import RemotePlanner
from lethe.run.replay import replay
from lethe.run.trials import Trial, run_trial
from lethe.systems.hooked import HookedAdapter
from lethe.systems.protocol import Adapter, Services
from lethe.systems.registry import build_adapter

CHOSEN_MODULES = ("lethe.planners.llm",)


class Channel:
    """JSON lines in and out; several threads may send."""

    def __init__(self, incoming: int, outgoing: IO[bytes]) -> None:
        # Read by descriptor: a thread inside a buffered reader would abort an interpreter that is shutting down.
        self._incoming, self._outgoing = incoming, outgoing
        self._buffer = bytearray()
        self._sending = threading.Lock()

    def send(self, message: dict[str, Any]) -> None:
        line = json.dumps(message).encode() + b"\n"
        with self._sending:
            self._outgoing.write(line)
            self._outgoing.flush()

    def receive(self) -> dict[str, Any] | None:
        """The next message; None once the other side is gone."""
        while (end := self._buffer.find(b"\n")) < 0:
            chunk = os.read(self._incoming, 1 << 20)
            if not chunk:
                return None
            self._buffer += chunk
        message: dict[str, Any] = json.loads(self._buffer[:end])
        del self._buffer[: end + 1]
        return message


class Lane:
    """One adapter and the messages for it; also the embedder that asks the parent for vectors it was not sent."""

    def __init__(self, number: int, channel: Channel, start: Mapping[str, Any], built: queue.Queue[str | None]) -> None:
        self.messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.dim: int = start["dim"]
        self._number, self._channel, self._start, self._built = number, channel, start, built
        self._headers: dict[str, str] = {}
        self._key: dict[str, Any] = {}

    def run(self) -> None:
        """Build the system, report that (None, or why not) and run trials until the input ends."""
        known: dict[str, Vectors] = {}
        haystack = self._start["haystack"]
        permanent = _vectors_by_text(haystack, self.dim)
        try:
            adapter = self._build(CachedEmbedder(known, self))
        except (LetheError, NotImplementedError) as error:
            self._built.put(str(error))
            return
        self._built.put(None)
        while (message := self.messages.get()) is not None:
            key = self._key = message["trial"]["key"]
            self._headers = {f"X-Lethe-{name}": quote(str(key[field])) for name, field in _CONTEXT.items()}
            known.clear()
            known.update(permanent)
            known.update(_vectors_by_text(message["trial"], self.dim))
            if "history" in message["trial"]:
                replayed = replay(adapter, message["trial"]["history"], self._start["k"])
                self._channel.send({"done": replayed, "lane": self._number})
                continue
            case = case_from_json(message["trial"]["case"], key["suite"], "worker")
            trial = run_trial(adapter, case, Trial(**key), self._start["k"], haystack["texts"])
            if isinstance(adapter, HookedAdapter):
                trial.decisions = list(adapter.decisions)
                if "plan" in self._start["hook"]:
                    trial.matcher_fallbacks = adapter.fallbacks
                else:
                    trial.llm_fallbacks = adapter.fallbacks
            self._channel.send({"done": trial.to_row(), "lane": self._number})
        adapter.close()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Ask the parent process, which holds the model."""
        self._channel.send({"embed": list(texts), "lane": self._number})
        answer = self.messages.get()
        if answer is None:
            raise EOFError("the parent process is gone")
        return decode_vectors(answer["vectors"], self.dim)

    def _build(self, embedder: CachedEmbedder) -> Adapter:
        start = self._start
        services = None if start["services"] is None else Services(**start["services"])
        adapter = build_adapter(start["backend"], start["policies"], embedder, services, start["options"])
        hook = start["hook"]
        return adapter if hook is None else HookedAdapter(adapter, self._planner(hook), start["keeps_na"])

    def _planner(self, hook: Mapping[str, Any]) -> Planner:
        if "plan" in hook:
            return RemotePlanner(self._plan_in_parent)
        from lethe.planners.llm.client import chat_client
        from lethe.planners.llm.planner import LlmPlanner

        if "url" in hook:
            return LlmPlanner(chat_client(**hook, headers=lambda: dict(self._headers)))
        return LlmPlanner(self._ask_parent)

    def _plan_in_parent(self, wanted: dict[str, Any]) -> Mapping[str, Any]:
        self._channel.send({"plan": wanted, "lane": self._number})
        answer = self.messages.get()
        if answer is None:
            raise EOFError("the parent process is gone")
        decision: Mapping[str, Any] = answer["decision"]
        return decision

    def _ask_parent(self, purpose: str, prompt: str) -> str:
        """The answer that the parent process replays."""
        from lethe.planners.llm.client import chat_body, read_content

        body = chat_body(**self._start["hook"], prompt=prompt)
        self._channel.send({"ask": body, "purpose": purpose, "key": self._key, "lane": self._number})
        answer = self.messages.get()
        if answer is None:
            raise EOFError("the parent process is gone")
        content = read_content(json.dumps(answer["completion"]).encode()) if "completion" in answer else None
        if content is None:
            raise PlannerUnavailable(f"{purpose}: {answer.get('reason', 'an answer without content')}")
        return content


_CONTEXT = {"Suite": "suite", "System": "system", "Case": "case_id", "Repetition": "repetition"}


def encode_vectors(vectors: Vectors) -> str:
    """Float32 vectors of shape (n, dim) as base64 text."""
    return base64.b64encode(np.ascontiguousarray(vectors, dtype="<f4").tobytes()).decode()


def decode_vectors(text: str, dim: int) -> Vectors:
    """The reverse of `encode_vectors`, shape (n, dim)."""
    return np.frombuffer(base64.b64decode(text), dtype="<f4").reshape(-1, dim).astype(np.float32)


def serve(channel: Channel) -> None:
    """Build the lanes that the first message describes and pass on what follows, until the input ends.

    Lane 0 runs in the calling thread: some systems want the main one.
    """
    opening = channel.receive()
    if opening is None:
        return
    start = opening["start"]
    built: queue.Queue[str | None] = queue.Queue()
    lanes = [Lane(number, channel, start, built) for number in range(start["lanes"])]
    for lane in lanes[1:]:
        threading.Thread(target=lane.run, daemon=True).start()
    passing = threading.Thread(target=_pass_on, args=(channel, lanes, built), daemon=True)
    passing.start()
    lanes[0].run()
    passing.join()


def _pass_on(channel: Channel, lanes: Sequence[Lane], built: queue.Queue[str | None]) -> None:
    """Tell the parent whether every lane was built, then hand each lane its messages."""
    failures = [reason for reason in (built.get() for _ in lanes) if reason is not None]
    channel.send({"failed": failures[0]} if failures else {"ready": True})
    while (message := channel.receive()) is not None:
        lanes[message["lane"]].messages.put(message)
    for lane in lanes:
        lane.messages.put(None)


def _vectors_by_text(message: Mapping[str, Any], dim: int) -> dict[str, Vectors]:
    return dict(zip(message["texts"], decode_vectors(message["vectors"], dim), strict=True))


def main() -> None:
    """Entry point; see the module's docstring."""
    channel = Channel(sys.stdin.fileno(), os.fdopen(int(sys.argv[1]), "wb"))
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    serve(channel)


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    # The worker leads its own process group: its system's children end with it.
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
