"""The worker: one system in its own environment, told trials as JSON lines on standard input.

    ENVIRONMENT/bin/python -m lethe.jobs.worker CHANNEL PARENT

Answers go to the file descriptor CHANNEL, never to standard output: whatever a third-party package prints there
lands in the log. A worker has one or more lanes, each with a system of its own and one trial at a time; more than one
lane serves systems that wait for a chat model. The worker ends when it is no longer a child of the process PARENT. See
`lethe.jobs.messages`.
"""

import functools
import os
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np

from forgeteval.embed.embedder import CachedEmbedder, Vectors
from forgeteval.errors import UserError
from forgeteval.planners.chat import Ask, ChatOptions, Contract
from forgeteval.planners.protocol import Planner, PlannerUnavailable
from forgeteval.planners.remote import RemotePlanner
from forgeteval.run.confinement import confine
from forgeteval.run.raised import describe
from forgeteval.run.replay import Player
from forgeteval.stores.contract import Adapter
from forgeteval.stores.hook import HookedAdapter
from lethe.gateway.context import call_headers
from lethe.jobs.acting import Act, Actor
from lethe.jobs.messages import (
    MOST_BYTES,
    Built,
    Complete,
    Completion,
    Decision,
    Done,
    Embed,
    EmbeddedTexts,
    Message,
    Plan,
    PlannerSetup,
    Request,
    Start,
    Tell,
    decode,
    encode,
)
from lethe.systems.registry import build_adapter

CHOSEN_MODULES = ("forgeteval.planners.llm",)
R = TypeVar("R", bound=Message)


class Channel:
    """JSON lines in and out; several threads may send."""

    def __init__(self, incoming: int, outgoing: IO[bytes]) -> None:
        # Read by descriptor: a thread inside a buffered reader would abort an interpreter that is shutting down.
        self._incoming, self._outgoing = incoming, outgoing
        self._buffer = bytearray()
        self._sending, self._process = threading.Lock(), os.getpid()

    def send(self, message: Message, lane: int) -> None:
        """Send a message; ValueError for one that is longer than the other side reads, EOFError in a copy of this
        process that the store forked and let come back here."""
        if os.getpid() != self._process:
            raise EOFError("a process that the store forked has no part in the trial; end it with os._exit")
        line = encode(message, lane)
        if len(line) > MOST_BYTES:
            raise ValueError(f"a message of {len(line):,} bytes, of which {MOST_BYTES:,} are read")
        with self._sending:
            self._outgoing.write(line)
            self._outgoing.flush()

    def receive(self) -> tuple[int, Message] | None:
        """The lane and the next message for it; None once the other side is gone."""
        while (end := self._buffer.find(b"\n")) < 0:
            chunk = os.read(self._incoming, 1 << 20)
            if not chunk:
                return None
            self._buffer += chunk
        received = decode(self._buffer[:end])
        del self._buffer[: end + 1]
        return received


class Lane:
    """One adapter and the messages for it; also the embedder that asks the parent for vectors it was not sent."""

    def __init__(self, number: int, channel: Channel, start: Start, built: queue.Queue[str | None]) -> None:
        self.messages: queue.Queue[Message | None] = queue.Queue()
        self.dim = start.dim
        self._number, self._channel, self._start, self._built = number, channel, start, built
        self._trial, self._home = "", Path.home()

    def run(self) -> None:
        """Build the system, report that (None, or why not) and run trials until the input ends."""
        known: dict[str, Vectors] = {}
        haystack = self._start.haystack
        permanent = haystack.by_text(self.dim)
        try:
            adapter = self._build(CachedEmbedder(known, self))
        except (UserError, NotImplementedError) as error:
            self._built.put(str(error))
            return
        except BaseException as error:  # noqa: BLE001 - whatever a measured system raises is its result, SystemExit too
            traceback.print_exc()
            self._built.put(f"while starting, it raised {describe(error)}")
            return
        self._built.put(None)
        player, actor = self._begun(adapter)
        while isinstance(message := self.messages.get(), Tell):
            if message.trial != self._trial:
                self._trial = message.trial
                player, actor = self._begun(adapter)
                known.clear()
                known.update(permanent)
            known.update(message.embedded.by_text(self.dim))
            told = message.told
            came = actor.act(told) if isinstance(told, Act) else player.tell(told)
            try:
                self._channel.send(Done(self._trial, came), self._number)
            except EOFError as error:
                print(error, file=sys.stderr)
                os._exit(1)
            except (TypeError, ValueError) as error:
                self._channel.send(Done(self._trial, type(came)(error=str(error))), self._number)
        adapter.close()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Ask the parent process, which holds the model."""
        replies = [self._ask(request, EmbeddedTexts).array(self.dim) for request in Embed.parts(texts)]
        return np.concatenate(replies) if replies else np.empty((0, self.dim), dtype=np.float32)

    def _begun(self, adapter: Adapter) -> tuple[Player, Actor]:
        """Who plays the histories of a trial, and who does the acts of the erasure audit."""
        replay, texts = self._start.replay, self._start.haystack.texts
        return Player(adapter, replay, texts), Actor(adapter, replay.k, texts, self._home)

    def _build(self, embedder: CachedEmbedder) -> Adapter:
        start = self._start
        adapter = build_adapter(
            start.backend, start.policies, embedder, start.services, start.options, not start.keeps_na
        )
        if start.planner is None:
            return adapter
        return HookedAdapter(adapter, self._planner(start.planner), start.keeps_na)

    def _planner(self, setup: PlannerSetup) -> Planner:
        chat = setup.chat
        if chat is None:
            return RemotePlanner(self._plan, setup.shown)
        from forgeteval.planners.llm.client import chat_client
        from forgeteval.planners.llm.rows import hook_planner

        ask: Ask = functools.partial(self._complete, chat)
        if setup.endpoint is not None:
            ask = chat_client(chat, setup.endpoint, lambda purpose: call_headers(self._trial, purpose))
        return hook_planner(chat, ask)

    def _plan(self, wanted: dict[str, Any]) -> Mapping[str, Any]:
        return self._ask(Plan(wanted), Decision).decided

    def _complete(self, chat: ChatOptions, purpose: str, prompt: str, contract: Contract | None = None) -> str:
        """What a chat model says, by the parent process.

        Raises:
            PlannerUnavailable: where that has no answer.
        """
        from forgeteval.planners.llm.client import chat_body
        from forgeteval.planners.llm.reading import read_said, why_silent

        completion = self._ask(Complete(chat_body(chat, prompt, contract), purpose), Completion)
        said = None if completion.body is None else read_said(completion.body)
        if said is None:
            reason = completion.reason if completion.body is None else why_silent(completion.body)
            raise PlannerUnavailable(f"{purpose}: {reason}")
        return said

    def _ask(self, request: Request, reply: type[R]) -> R:
        """What the parent replies to a request, a message of the class `reply`."""
        self._channel.send(request, self._number)
        answer = self.messages.get()
        if not isinstance(answer, reply):
            raise EOFError("the parent process is gone")
        return answer


def serve(channel: Channel, unconfined: str | None = None) -> None:
    """Build the lanes that the first message describes and pass on what follows, until the input ends.

    Lane 0 runs in the calling thread: some systems want the main one.

    Args:
        unconfined: why this process can see what others were started with; None where it cannot.
    """
    match channel.receive():
        case (_, Start() as start):
            pass
        case _:
            return
    if start.keys and unconfined is not None:
        named = " and ".join(start.keys)
        channel.send(
            Built(f"it could read the API key in {named}: {unconfined}; unset it, or run on another kernel"), 0
        )
        return
    built: queue.Queue[str | None] = queue.Queue()
    lanes = [Lane(number, channel, start, built) for number in range(start.lanes)]
    for lane in lanes[1:]:
        threading.Thread(target=lane.run, daemon=True).start()
    passing = threading.Thread(target=_pass_on, args=(channel, lanes, built), daemon=True)
    passing.start()
    lanes[0].run()
    passing.join()


def _pass_on(channel: Channel, lanes: Sequence[Lane], built: queue.Queue[str | None]) -> None:
    """Tell the parent whether every lane was built, then hand each lane its messages."""
    failures = [reason for reason in (built.get() for _ in lanes) if reason is not None]
    channel.send(Built(failures[0] if failures else None), 0)
    while (received := channel.receive()) is not None:
        number, message = received
        lanes[number].messages.put(message)
    for lane in lanes:
        lane.messages.put(None)


def main() -> None:
    """Entry point; see the module's docstring."""
    unconfined = confine()
    channel = Channel(sys.stdin.fileno(), os.fdopen(int(sys.argv[1]), "wb"))
    # The first process of a sandbox sees no parent, and ends with it by `lethe.jobs.sandbox`.
    if os.getppid():
        threading.Thread(target=_end_with_parent, args=(int(sys.argv[2]),), daemon=True).start()
    serve(channel, unconfined)


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    # The worker leads its own process group: its system's children end with it.
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
