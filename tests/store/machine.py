"""A state machine of the store: two connections to one file, scopes, every operation, and what a plain model expects.

What an operation selects by a query is not modelled but compared with its preview; all else is.
"""

import contextlib
import copy
import hashlib
import itertools
import math
import tempfile
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import apsw
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from pytest import approx

from lethe.store import (
    Event,
    Head,
    Key,
    Memory,
    NothingMeets,
    PurgeReceipt,
    Recalled,
    Scope,
    StaysForgotten,
    Store,
    log_root,
    verifier,
)
from lethe.store.causes import Cause
from lethe.store.scan import Index, is_installed
from tests.support.hash_embedder import DIM, Clock, hash_embed

KEY = Key(bytes(range(32)))
INDEXES: tuple[Index, Index] = ("matrix", "sqlite-vec" if is_installed() else "matrix")
"""Of the two connections."""
SCOPES: tuple[dict[str, str], ...] = (
    {},
    {},
    {"owner": "ann"},
    {"owner": "ben"},
    {"owner": "ann", "session": "may"},
    {"source": "mail"},
)
FILLERS = ("tea", "the key of Ines", "where Tom works", "café", "key")
DISGUISES: tuple[Callable[[str], str], ...] = (
    str,
    str.upper,
    lambda text: unicodedata.normalize("NFD", text),
    lambda text: f"\ufeff{text}.",
    lambda text: text.replace(" ", "\r\n"),
    lambda text: text[:3] + "\u200b\ufe0f\u034f" + text[3:],
    lambda text: f"  {text}\x00\t",
)
DAY = 86_400.0


class Undone(Exception):
    """What ends a transaction that is not to be stored."""


WAYS = ("id", "surrender id", "query", "query surrender", "query without a floor")
"""How an operation is called, and what is to say which memories it concerns."""


def unique_word(number: int) -> str:
    """A word that occurs nowhere else; it ends in a digit, so that the stemmer leaves it whole."""
    return "".join(chr(65 + byte % 26) for byte in hashlib.sha256(b"%d" % number).digest()[:10]) + "7"


def base_text(number: int) -> str:
    return f"{unique_word(number)} {FILLERS[number % len(FILLERS)]}"


@dataclass
class Expected:
    """A memory as it should be; `texts` are its versions, each the number of a text and how it was spelt."""

    texts: list[tuple[int, str]]
    depth: float | None
    scope: dict[str, str]
    expires_at: float | None
    sources: tuple[int, ...] = ()
    predecessor: int | None = None
    base: float = 1.0
    sinks_from: float = 0.0
    uses: int = 0

    @property
    def number(self) -> int:
        return self.texts[-1][0]


@dataclass
class World:
    """What both connections should show."""

    memories: dict[int, Expected] = field(default_factory=dict)
    forgotten: set[tuple[int, str | None]] = field(default_factory=set)
    past: dict[int, tuple[dict[int, tuple[str, float]], list[Recalled]]] = field(default_factory=dict)
    consolidated_at: float = -math.inf
    half_life_days: float = math.nan
    causes: dict[int, tuple[Event, Cause]] = field(default_factory=dict)
    """Of each event who did it and why, whether or not a purge has erased that since."""

    def cause_now(self, seq: int) -> Cause:
        """What is left of who did an event and why."""
        event, cause = self.causes[seq]
        about = {event.memory_id, event.successor_id}
        if event.operation in ("inscribe", "relearn"):
            told = self.memories[event.memory_id]
            about |= {told.predecessor, *told.sources}
        is_erased = any(self.memories[id].depth is None for id in about if id is not None)
        return Cause() if is_erased and event.operation != "purge" else cause

    def move(self, memory_id: int, depth: float) -> None:
        """Give a memory another depth."""
        memory = self.memories[memory_id]
        memory.depth = memory.base = depth
        memory.sinks_from = max(memory.sinks_from, self.consolidated_at)

    def consolidate(self, now: float, half_life_days: float) -> int:
        """What a consolidation does, to how many memories."""
        self.consolidated_at, self.half_life_days, moved = max(self.consolidated_at, now), half_life_days, 0
        for id, memory in self.memories.items():
            if memory.depth and memory.depth <= 1.0:
                before, days = memory.depth, (self.consolidated_at - memory.sinks_from) / DAY
                if memory.uses:
                    self.move(id, 1.0 - (1.0 - before) * 2.0**-memory.uses)
                elif (sunk := memory.base * 2.0 ** (-max(days, 0.0) / half_life_days)) < 0.05:
                    self.move(id, 0.0)
                else:
                    memory.depth = sunk
                moved += memory.depth != approx(before, rel=1e-12)
            memory.uses = 0
        return moved

    def entombed(self, number: int, scope: dict[str, str]) -> set[tuple[int, str | None]]:
        """The tombstones of a text that are seen in a scope."""
        owners = {scope["owner"], None} if "owner" in scope else {None, "ann", "ben"}
        return self.forgotten & {(number, owner) for owner in owners}

    def visible(self, memory_id: int, scope: dict[str, str], now: float | None) -> bool:
        memory = self.memories.get(memory_id)
        return (
            memory is not None
            and memory.depth is not None
            and scope.items() <= memory.scope.items()
            and (now is None or memory.expires_at is None or memory.expires_at > now)
        )

    def line(self, asked: Iterable[int], scope: dict[str, str]) -> set[int]:
        """What a purge with its line erases, found by going round until nothing is added."""
        plain, derived = set(asked), set[int]()
        while True:
            older = {self.memories[id].predecessor for id in plain if id in self.memories} - {None}
            of_derived = {self.memories[id].predecessor for id in derived} - {None}
            newer = {
                id
                for id, memory in self.memories.items()
                if memory.predecessor in derived or not (plain | derived).isdisjoint(memory.sources)
            }
            if older <= plain and of_derived | newer <= derived:
                return {id for id in plain | derived if self.visible(id, scope, None)}
            plain |= older  # type: ignore[arg-type]
            derived |= of_derived | newer  # type: ignore[arg-type]


class Machine(RuleBasedStateMachine):
    """Rules are operations; each says what it expects, does it on one of the connections, and compares."""

    examples: ClassVar[int] = 0
    steps: ClassVar[int] = 0

    @initialize(family=st.booleans())
    def start(self, family: bool) -> None:
        type(self).examples += 1
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "memories.db"
        self.clock = Clock()
        self.world = World()
        self.stores = [self._open(at) for at in (0, 1)]
        self.reader: apsw.Connection | None = None
        self.receipts: list[PurgeReceipt] = []
        self.drafts: list[Sequence[int]] | None = None
        self.numbers = itertools.count(1)
        self.told = 0
        self.seen_at: list[int | None] = [None, None]
        self.heads: list[Head] = []
        self.says = (False, False)
        self.said: list[str] = []
        self.cause = Cause()
        if family:
            self._found_family()

    def _found_family(self) -> None:
        """A source, what was derived from it and its successor, what was derived from that elsewhere, a successor."""
        new: dict[str, Any] = {"old": False, "text": 0, "way": "id"}
        ann = SCOPES[2]
        self.inscribe(at=0, scope=ann, texts=[(False, 0, 0)], ttl=None, sources=[])
        self.inscribe(at=1, scope=ann, texts=[(False, 0, 0)], ttl=None, sources=[self._choice_of(1)])
        self.supersede(at=0, scope=ann, choice=self._choice_of(2), **new)
        self.inscribe(at=0, scope={}, texts=[(False, 0, 0)], ttl=60.0, sources=[self._choice_of(3)])
        self.supersede(at=1, scope={}, choice=self._choice_of(1), **new)
        for at in (0, 1):
            self.look_back(at=at, scope={}, choice=3, again=False)

    @staticmethod
    def _choice_of(id: int) -> int:
        """The choice that `_id` takes for this memory where all before it are there."""
        return (id - 1) * 8 + 1

    def teardown(self) -> None:
        if not hasattr(self, "folder"):
            return
        with contextlib.ExitStack() as stack:
            stack.callback(self.folder.cleanup)
            for store in self.stores:
                stack.callback(store.close)
            self._close_reader()
            for receipt in self.receipts:
                self._verify(receipt)
            assert self.stores[0].verify_log()

    def _open(self, at: int) -> Store:
        index = INDEXES[at]
        return Store(self.path, embed=hash_embed, dim=DIM, clock=self.clock, key=KEY, embedder="hashes", index=index)

    # What is chosen

    @rule(actor=st.booleans(), reason=st.booleans())
    def speak(self, actor: bool, reason: bool) -> None:
        """From now on, operations say by whom they are, or why, or both."""
        self.says = actor, reason

    def _within(self, at: int, scope: dict[str, str]) -> Store:
        """A view of a scope, for an actor and a reason that no other view has, where they are said."""
        new = [unique_word(-len(self.said) - place) for place in (1, 2)]
        self.cause = Cause(
            *(f"{word} said so" if is_said else None for word, is_said in zip(new, self.says, strict=True))
        )
        self.said += new
        return self.stores[at].within(**scope, **self.cause._asdict())

    def _id(self, choice: int, scope: dict[str, str]) -> int:
        """Mostly a memory that is there; else any that was given out, or one that was not."""
        there = [id for id in self.world.memories if self.world.visible(id, scope, None)]
        if there and choice % 8:
            return there[choice // 8 % len(there)]
        return choice // 8 % (len(self.world.memories) + 1) + 1

    def _text(self, old: bool, choice: int, disguise: int) -> tuple[int, str]:
        if not old or not self.told:
            self.told = next(self.numbers)
            number = self.told
        else:
            number = choice % self.told + 1
        return number, DISGUISES[disguise % len(DISGUISES)](base_text(number))

    def _born(
        self,
        texts: list[tuple[int, str]],
        scope: dict[str, str],
        expires_at: float | None,
        sources: tuple[int, ...] = (),
        predecessor: int | None = None,
    ) -> Expected:
        return Expected(texts, 1.0, scope, expires_at, sources, predecessor, sinks_from=self.clock())

    # What is compared

    def _refused(self, act: Callable[[], object], kind: type[Exception]) -> None:
        before = self.stores[0].last_seq()
        try:
            act()
        except kind:
            assert self.stores[0].last_seq() == before
        else:
            raise AssertionError(f"no {kind.__name__}")

    def _logged(self) -> None:
        """Compare who did what was logged since and why, and remember it."""
        for event in self.stores[0].log(since=max(self.world.causes, default=0)):
            assert (event.actor, event.reason) == self.cause
            self.world.causes[event.seq] = event, self.cause

    def _moved(self) -> None:
        """Remember the state after an operation."""
        self._logged()
        found = self.stores[0].recall("key", 10_000, mode="vector")
        assert self.stores[1].recall("key", 10_000, mode="vector") == found
        self.world.past[self.stores[0].last_seq()] = (
            {
                id: (memory.texts[-1][1], memory.depth)
                for id, memory in self.world.memories.items()
                if memory.depth is not None
            },
            found,
        )

    def _verify(self, receipt: PurgeReceipt) -> None:
        extension = self.stores[0].extension(receipt)
        try:
            verifier.verify(receipt.to_json(), KEY.public.hex(), self.path, extension.to_json())
        except verifier.ErasesNothing:
            assert not receipt.events
        except verifier.Incomplete:
            assert receipt.events and not receipt.complete
        else:
            assert receipt.events and receipt.complete
        assert all(store.verify(receipt) == bool(receipt.events and receipt.complete) for store in self.stores)

    def _search(self) -> None:
        """No word that only erased memories had, or what was said of their events, stands in a file of the store."""
        left = {
            number for memory in self.world.memories.values() if memory.depth is not None for number, _ in memory.texts
        }
        causes = {seq: self.world.cause_now(seq) for seq in self.world.causes}
        assert {event.seq: (event.actor, event.reason) for event in self.stores[0].log()} == causes
        erased = set(self.said) - {words.split()[0] for cause in causes.values() for words in cause if words}
        files = {file.name: file.read_bytes() for file in Path(self.folder.name).iterdir()}
        files |= {f"store {at}": store.stored_bytes() for at, store in enumerate(self.stores)}
        for name, content in files.items():
            for number in set(range(1, self.told + 1)) - left:
                word = unique_word(number).lower()[4:].encode()
                assert word not in content.lower(), f"{base_text(number)!r} is in {name}"
            for word in erased:
                assert word.lower()[4:].encode() not in content.lower(), f"the actor or reason {word} is in {name}"

    def _erased(self, receipt: PurgeReceipt, ids: Sequence[int], stay_forgotten: bool) -> None:
        assert sorted(receipt.memory_ids) == sorted(ids)
        self._logged()
        for id in ids:
            memory = self.world.memories[id]
            if stay_forgotten:
                self.world.forgotten |= {(number, memory.scope.get("owner")) for number, _ in memory.texts}
            memory.depth = None
        if self.drafts is None:
            self._given(receipt, ids)
            self._moved()
        else:
            assert not receipt.complete and not self.stores[0].verify(receipt)
            self.drafts.append(ids)
        for store, seq in zip(self.stores, self.seen_at, strict=True):
            if seq is not None:
                self._look_back(store, {}, seq)

    def _given(self, receipt: PurgeReceipt, ids: Sequence[int], latest: bool = True) -> None:
        assert sorted(receipt.memory_ids) == sorted(ids)
        assert receipt.versions_erased == sum(len(self.world.memories[id].texts) for id in ids)
        named = [{KEY.keyed_hash(text).hex() for _, text in self.world.memories[id].texts} for id in receipt.memory_ids]
        assert [set(hashes) for hashes in receipt.keyed_hashes] == named
        assert receipt.complete or self.reader is not None
        if receipt.complete:
            self._search()
        if ids:
            self.receipts.append(receipt)
            self._given_again(receipt, receipt if latest else replace(receipt, keyed_hashes=()))
        self._verify(receipt)

    def _given_again(self, receipt: PurgeReceipt, expected: PurgeReceipt) -> None:
        again = self.stores[len(self.receipts) % 2].receipt_of(receipt.memory_ids[0])
        assert replace(again, complete=expected.complete, signature=expected.signature) == expected
        self._verify(again)

    def _same(self, found: Sequence[Memory], ids: Iterable[int]) -> None:
        assert sorted(memory.memory_id for memory in found) == sorted(ids)

    # Rules

    which: ClassVar = {"at": st.integers(0, 1), "scope": st.sampled_from(SCOPES)}
    choosing = st.integers(0, 1000)

    @rule(
        **which,
        texts=st.lists(st.tuples(st.booleans(), choosing, choosing), min_size=1, max_size=3),
        ttl=st.sampled_from((None, None, None, 60.0, 10 * DAY)),
        sources=st.lists(choosing, max_size=2),
    )
    def inscribe(
        self, at: int, scope: dict[str, str], texts: list[tuple[bool, int, int]], ttl: float | None, sources: list[int]
    ) -> None:
        within = self._within(at, scope)
        told = [self._text(*text) for text in texts]
        derived_from = [self._id(choice, scope) for choice in sources]
        act = lambda: within.inscribe_many([text for _, text in told], ttl=ttl, derived_from=derived_from)  # noqa: E731
        flags = [bool(self.world.entombed(number, scope)) for number, _ in told]
        assert within.forgotten([text for _, text in told]) == flags
        if any(flags):
            self._refused(act, StaysForgotten)
        elif not all(self.world.visible(id, scope, self.clock()) for id in derived_from):
            self._refused(act, LookupError)
        else:
            ends = None if ttl is None else self.clock() + ttl
            for id, text in zip(act(), told, strict=True):
                assert id == len(self.world.memories) + 1
                self.world.memories[id] = self._born([text], scope, ends, tuple(derived_from))
            self._moved()

    @rule(**which, old=st.booleans(), choice=choosing, spelling=choosing, ttl=st.sampled_from((None, None, 60.0)))
    def inscribe_once(
        self, at: int, scope: dict[str, str], old: bool, choice: int, spelling: int, ttl: float | None
    ) -> None:
        within, (number, text) = self._within(at, scope), self._text(old, choice, spelling)
        if self.world.entombed(number, scope):
            self._refused(lambda: within.inscribe_once(text, ttl=ttl), StaysForgotten)
            return
        end = math.inf if ttl is None else self.clock() + ttl
        known = [
            id
            for id, memory in self.world.memories.items()
            if memory.number == number and memory.scope == scope and memory.depth
            if self.world.visible(id, scope, self.clock()) and (memory.expires_at or math.inf) >= end
        ]
        done = within.inscribe_once(text, ttl=ttl)
        assert (done.memory_id, done.is_new) == ((known[0], False) if known else (len(self.world.memories) + 1, True))
        if done.is_new:
            self.world.memories[done.memory_id] = self._born([(number, text)], scope, None if ttl is None else end)
        self._moved()

    @rule(**which, choice=choosing, ttl=st.sampled_from((None, 60.0, 10 * DAY)))
    def move_end(self, at: int, scope: dict[str, str], choice: int, ttl: float | None) -> None:
        within, id = self._within(at, scope), self._id(choice, scope)
        if not self.world.visible(id, scope, self.clock()):
            self._refused(lambda: within.move_end(id, ttl), LookupError)
            return
        within.move_end(id, ttl)
        self.world.memories[id].expires_at = None if ttl is None else self.clock() + ttl
        self._moved()

    @rule(
        at=st.integers(0, 1),
        parts=st.lists(st.tuples(st.integers(0, 9), st.sampled_from(SCOPES), choosing), min_size=1, max_size=4),
        kept=st.booleans(),
    )
    def at_once(self, at: int, parts: list[tuple[int, dict[str, str], int]], kept: bool) -> None:
        """Other rules in a transaction of one connection, which is stored or undone."""
        stores, world, log = self.stores, copy.deepcopy(self.world), self.stores[at].log()
        self.stores, self.drafts = [stores[at]] * 2, []
        try:
            with stores[at].transaction() as receipts:
                for part in parts:
                    self._part(*part)
                if not kept:
                    raise Undone
        except Undone:
            self.world, self.drafts = world, []
            assert stores[at].log() == log
        finally:
            self.stores, erased, self.drafts = stores, self.drafts, None
        assert len(receipts) == len(erased)
        for place, (receipt, ids) in enumerate(zip(receipts, erased, strict=True)):
            self._given(receipt, ids, latest=not any(erased[place + 1 :]))
        self._moved()

    def _part(self, kind: int, scope: dict[str, str], n: int) -> None:
        odd, way = bool(n % 2), WAYS[n % len(WAYS)]
        rules: tuple[Callable[[], None], ...] = (
            lambda: self.inscribe(0, scope, [(odd, n, n)], None, []),
            lambda: self.inscribe_once(0, scope, odd, n, n, None),
            lambda: self.supersede(0, scope, n, odd, n, way),
            lambda: self.edit(0, scope, n, odd, n, way),
            lambda: self.sink(0, scope, n, 0.5 * odd, way),
            lambda: self.move_end(0, scope, n, 60.0 if odd else None),
            lambda: self.purge(0, scope, [n], odd, n % 3 == 0),
            lambda: self.purge_by_query(0, scope, n, n, odd, n % 3 == 0, None),
            lambda: self.recall(0, scope, n, odd),
            lambda: self.look_around(0, scope, n),
        )
        rules[kind]()

    @rule(
        **which,
        choice=choosing,
        ttl=st.sampled_from((None, 60.0)),
        spelling=choosing,
        sources=st.lists(choosing, max_size=1),
    )
    def relearn(
        self, at: int, scope: dict[str, str], choice: int, ttl: float | None, spelling: int, sources: list[int]
    ) -> None:
        text = self._text(True, choice, spelling)
        within = self._within(at, scope)
        derived_from = [
            id for id in (self._id(source, scope) for source in sources) if self.world.visible(id, scope, self.clock())
        ]
        standing = self.world.entombed(text[0], scope)
        if not standing or ("owner" in scope and (text[0], None) in standing):
            kind = StaysForgotten if standing else LookupError
            self._refused(lambda: within.relearn(text[1], ttl=ttl), kind)
            return
        id = within.relearn(text[1], ttl=ttl, derived_from=derived_from)
        self.world.forgotten -= standing
        ends = None if ttl is None else self.clock() + ttl
        self.world.memories[id] = self._born([text], scope, ends, tuple(derived_from))
        self._moved()

    @rule(**which, choice=choosing, old=st.booleans(), text=choosing, way=st.sampled_from(WAYS))
    def supersede(self, at: int, scope: dict[str, str], choice: int, old: bool, text: int, way: str) -> None:
        within, new = self._within(at, scope), self._text(old, text, text)
        id, query = self._id(choice, scope), self._text(True, choice, 0)[1]
        floor = {"floor": None} if way == "query without a floor" else {}
        if way.startswith("query"):
            target = self._preview(lambda: within.selected(query, "supersede", text=new[1], **floor))
        else:
            target = [id] if self.world.visible(id, scope, self.clock()) else None
        acts: dict[str, Callable[[], Any]] = {
            "id": lambda: within.supersede(id, new[1]),
            "surrender id": lambda: within.surrender(id, "supersede", text=new[1]).successor_id,
            "query surrender": lambda: within.surrender(query, "supersede", text=new[1]).successor_id,
        }
        act = acts.get(way, lambda: within.supersede_matching(query, new[1], **floor))
        if self.world.entombed(new[0], scope):
            self._refused(act, StaysForgotten)
        elif target is None:
            self._refused(act, LookupError)
        else:
            successor = act()
            if target:
                old_one = self.world.memories[target[0]]
                self.world.move(target[0], 0.0)
                self.world.memories[successor] = self._born([new], old_one.scope, old_one.expires_at, (), target[0])
                assert [entry.memory_id for entry in within.blame(successor)][-2:] == [target[0], successor]
            else:
                self.world.memories[successor] = self._born([new], scope, None)
            self._moved()

    @rule(**which, choice=choosing, old=st.booleans(), text=choosing, way=st.sampled_from(WAYS))
    def edit(self, at: int, scope: dict[str, str], choice: int, old: bool, text: int, way: str) -> None:
        within, new = self._within(at, scope), self._text(old, text, text)
        id, query = self._id(choice, scope), self._text(True, choice, 0)[1]
        floor = {"floor": None} if way == "query without a floor" else {}
        if way.startswith("query"):
            target = self._preview(lambda: within.selected(query, "edit", **floor))  # type: ignore[arg-type]
        else:
            target = [id] if self.world.visible(id, scope, self.clock()) else None
        acts: dict[str, Callable[[], Any]] = {
            "id": lambda: within.edit(id, new[1]),
            "surrender id": lambda: within.surrender(id, "edit", text=new[1]).memory_ids[0],
            "query surrender": lambda: within.surrender(query, "edit", text=new[1]).memory_ids[0],
        }
        act = acts.get(way, lambda: within.edit_matching(query, new[1], **floor))
        if self.world.entombed(new[0], scope):
            self._refused(act, StaysForgotten)
        elif not target:
            self._refused(act, LookupError)
        else:
            assert act() in (None, target[0])
            self.world.memories[target[0]].texts.append(new)
            self._moved()

    def _preview(self, act: Callable[[], list[Memory]]) -> list[int] | None:
        """The ids that a preview shows; None where no memory meets."""
        before = self.stores[0].last_seq()
        try:
            found = [memory.memory_id for memory in act()]
        except NothingMeets:
            found = None
        assert self.stores[0].last_seq() == before
        return found

    @rule(**which, choice=choosing, factor=st.sampled_from((0.0, 0.0, 0.04, 0.5, 0.9)), way=st.sampled_from(WAYS))
    def sink(self, at: int, scope: dict[str, str], choice: int, factor: float, way: str) -> None:
        """Decay, or release where the factor is 0."""
        within = self._within(at, scope)
        mode, factors = ("decay", [factor]) if factor else ("release", [])
        id, query = self._id(choice, scope), self._text(True, choice, 0)[1]
        floor = {"floor": None} if way == "query without a floor" else {}
        by_query = way.startswith("query")
        if by_query:
            target = self._preview(lambda: within.selected(query, mode, **floor))  # type: ignore[arg-type]
        else:
            target = [id] if self.world.visible(id, scope, self.clock()) else None
        acts: dict[str, Callable[[], Any]] = {
            "id": lambda: getattr(within, mode)(id, *factors),
            "surrender id": lambda: within.surrender(id, mode, factor=factor or None),  # type: ignore[arg-type]
            "query surrender": lambda: list(
                within.surrender(query, mode, factor=factor or None).memory_ids  # type: ignore[arg-type]
            ),
        }
        act = acts.get(way, lambda: getattr(within, f"{mode}_matching")(query, *factors, **floor))
        if target is None:
            self._refused(act, LookupError)
            return
        done = act()
        if by_query:
            assert done == target
        for id in target:
            depth = self.world.memories[id].depth
            assert depth is not None
            if depth and (depth != math.inf or factor == 0):
                lower = depth * factor if factor else 0.0
                self.world.move(id, lower if lower >= 0.05 else 0.0)
        self._moved()

    @rule(**which, choice=choosing, up=st.booleans())
    def pin(self, at: int, scope: dict[str, str], choice: int, up: bool) -> None:
        within, id = self._within(at, scope), self._id(choice, scope)
        act = within.pin if up else within.unpin
        if not self.world.visible(id, scope, self.clock()):
            self._refused(lambda: act(id), LookupError)
            return
        act(id)
        depth = self.world.memories[id].depth
        assert depth is not None
        if up or depth == math.inf:
            self.world.move(id, math.inf if up else 1.0)
        self._moved()

    @rule(
        at=st.integers(0, 1),
        days=st.sampled_from((0.0, 0.001, 1.0, 40.0, 400.0)),
        half_life=st.sampled_from((None, 30.0, 30.0, 7.0)),
        back=st.sampled_from((0.0, 0.0, 2.0)),
    )
    def time_passes(self, at: int, days: float, half_life: float | None, back: float) -> None:
        self.clock.pass_days(days)
        self.cause = Cause()
        if half_life is not None:
            now = self.clock() - back * DAY
            moved = self.world.consolidate(now, half_life)
            assert self.stores[at].consolidate(now if back else None, half_life_days=half_life) == moved
        self._moved()

    @rule(**which, choices=st.lists(choosing, max_size=3))
    def touch(self, at: int, scope: dict[str, str], choices: list[int]) -> None:
        within, ids = self._within(at, scope), [self._id(choice, scope) for choice in choices]
        if not all(self.world.visible(id, scope, self.clock()) for id in ids):
            self._refused(lambda: within.touch(ids), LookupError)
            return
        within.touch(ids)
        self._used(ids)

    def _used(self, ids: Iterable[int]) -> None:
        for id in ids:
            self.world.memories[id].uses += bool(self.world.memories[id].depth)

    @rule(
        **which,
        choices=st.lists(choosing, min_size=1, max_size=3),
        with_line=st.booleans(),
        stay_forgotten=st.booleans(),
    )
    def purge(self, at: int, scope: dict[str, str], choices: list[int], with_line: bool, stay_forgotten: bool) -> None:
        within = self._within(at, scope)
        ids = list(dict.fromkeys(self._id(choice, scope) for choice in choices))
        how = {"with_line": with_line, "stay_forgotten": stay_forgotten}
        act = lambda: within.purge_many(ids, **how)  # noqa: E731
        if len(ids) == 1 and any(how.values()):
            act = lambda: within.purge(*ids, **how)  # noqa: E731
        elif len(ids) == 1:
            act = lambda: within.surrender(ids[0], "purge").receipt  # type: ignore[arg-type, return-value] # noqa: E731
        void = {id for id in ids if id in self.world.memories and self.world.memories[id].depth is None}
        if not all(id in void or self.world.visible(id, scope, None) for id in ids):
            self._refused(act, LookupError)
            self._refused(lambda: within.line(ids), LookupError)
            return
        erased = self.world.line(ids, scope) if with_line else set(ids) - void
        self._same(within.line(ids), self.world.line(ids, scope))
        if len(ids) == 1 and not erased:
            self._refused(act, LookupError)
            return
        receipt = act()
        assert set(receipt.asked) == set(ids) - void
        assert set(receipt.went_with) == erased - set(ids)
        self._erased(receipt, sorted(erased), stay_forgotten)

    @rule(
        **which,
        choice=choosing,
        spelling=choosing,
        with_line=st.booleans(),
        stay_forgotten=st.booleans(),
        floor=st.sampled_from((None, 0.37, 0.99)),
    )
    def purge_by_query(
        self,
        at: int,
        scope: dict[str, str],
        choice: int,
        spelling: int,
        with_line: bool,
        stay_forgotten: bool,
        floor: float | None,
    ) -> None:
        within, (number, query) = self._within(at, scope), self._text(True, choice, spelling)
        how = {"with_line": with_line, "floor": floor}
        preview = self._preview(lambda: within.selected(query, "purge", **how))  # type: ignore[arg-type]
        equal = {
            id
            for id, memory in self.world.memories.items()
            if memory.number == number and self.world.visible(id, scope, None)
        }
        if preview is None:
            assert floor is not None and not equal
            self._refused(lambda: within.purge_matching(query, floor=floor), NothingMeets)
            return
        if equal:
            assert set(preview) == (self.world.line(equal, scope) if with_line else equal)
        receipt = within.purge_matching(query, stay_forgotten=stay_forgotten, **how)  # type: ignore[arg-type]
        assert list(receipt.memory_ids) == preview
        self._erased(receipt, preview, stay_forgotten)

    @rule(**which, expired=st.booleans(), with_line=st.booleans(), stay_forgotten=st.booleans())
    def purge_scope(self, at: int, scope: dict[str, str], expired: bool, with_line: bool, stay_forgotten: bool) -> None:
        within = self._within(at, scope)
        if not expired and not scope:
            return
        ids = {id for id in self.world.memories if self.world.visible(id, scope, None)}
        if expired:
            ids = {id for id in ids if not self.world.visible(id, scope, self.clock())}
            doomed = self.world.line(ids, scope) if with_line else ids
            self._same(within.doomed(expired_only=True, with_line=with_line), doomed)
            receipt = within.purge_expired(stay_forgotten=stay_forgotten, with_line=with_line)
            self._erased(receipt, sorted(doomed), stay_forgotten)
        else:
            self._same(within.doomed(with_line=with_line), ids)
            self._erased(within.purge_scope(stay_forgotten=stay_forgotten), sorted(ids), stay_forgotten)

    @rule()
    @precondition(lambda self: self.reader is None)
    def read_elsewhere(self) -> None:
        self.reader = apsw.Connection(str(self.path))
        self.reader.execute("BEGIN; SELECT count(*) FROM memory").fetchall()

    @rule(at=st.integers(0, 1))
    @precondition(lambda self: self.reader is not None)
    def complete(self, at: int) -> None:
        open_ones = [place for place, receipt in enumerate(self.receipts) if not receipt.complete]
        self._close_reader()
        for place in open_ones:
            done = self.stores[at].complete(self.receipts[place])
            assert done.complete
            self.receipts[place] = done
            self._search()
            self._verify(done)

    def _close_reader(self) -> None:
        if self.reader is not None:
            self.reader.close()
            self.reader = None

    @rule(at=st.integers(0, 1))
    def scrub(self, at: int) -> None:
        if self.stores[at].scrub():
            self._search()
        else:
            assert self.reader is not None

    @rule(at=st.integers(0, 1), crash=st.booleans())
    def open_again(self, at: int, crash: bool) -> None:
        if crash:
            self.stores[at]._past.forget()
        self.stores[at].close()
        self.stores[at] = self._open(at)

    @rule(**which)
    def lines(self, at: int, scope: dict[str, str]) -> None:
        within = self._within(at, scope)
        for id in self.world.memories:
            if self.world.visible(id, scope, None):
                self._same(within.line([id]), self.world.line([id], scope))

    @rule(**which, choice=choosing, again=st.booleans())
    def look_back(self, at: int, scope: dict[str, str], choice: int, again: bool) -> None:
        within, known = self._within(at, scope), sorted(self.world.past)
        if not known:
            return
        seen = self.seen_at[at]
        self.seen_at[at] = seq = seen if again and seen is not None else known[choice % len(known)]
        self._look_back(within, scope, seq)

    def _look_back(self, within: Store, scope: dict[str, str], seq: int) -> None:
        then, recalled_then = self.world.past[seq]
        expected = {id: state for id, state in then.items() if self.world.visible(id, scope, self.clock())}
        found = within.memories(include_submerged=True, at=seq)
        assert {memory.memory_id: memory.text for memory in found} == {id: text for id, (text, _) in expected.items()}
        assert {memory.memory_id: memory.depth for memory in found} == approx(
            {id: depth for id, (_, depth) in expected.items()}, rel=1e-9
        )
        recalled = within.recall("key", 10_000, at=seq, mode="vector")
        assert recalled == [memory for memory in recalled_then if memory.memory_id in expected]
        again = within.recall("key", 10_000, at=seq)
        assert sorted(memory.memory_id for memory in again) == sorted(memory.memory_id for memory in recalled)

    @rule(**which, choice=choosing, touch=st.booleans())
    def recall(self, at: int, scope: dict[str, str], choice: int, touch: bool) -> None:
        within, number = self._within(at, scope), choice % (self.told or 1) + 1
        live = {
            id
            for id, memory in self.world.memories.items()
            if self.world.visible(id, scope, self.clock()) and memory.depth
        }
        found = within.recall(base_text(number), 10_000, mode="vector", touch=touch)
        assert {memory.memory_id for memory in found} == live
        self._used(live if touch else ())
        found = within.recall(unique_word(number), 10_000, mode="lexical")
        plain = {id for id in live if self.world.memories[id].texts[-1][1] == base_text(number)}
        assert plain <= {memory.memory_id for memory in found} <= live
        other = self.stores[1 - at].within(**scope)
        for way in ({"mode": "vector"}, {"mode": "lexical", "match": "all"}, {"match": "any"}, {}):
            found = within.recall(base_text(number), 10_000, **way)  # type: ignore[arg-type]
            for k in (1, 3):
                assert other.recall(base_text(number), k, **way) == found[:k]  # type: ignore[arg-type]
                page = other.recall(base_text(number), k, offset=2, rerank=lambda _, them: them[::-1], **way)  # type: ignore[arg-type]
                assert page == [*found[99::-1], *found[100:]][2 : 2 + k]

    @rule(**which, choice=choosing)
    def look_around(self, at: int, scope: dict[str, str], choice: int) -> None:
        within, id = self._within(at, scope), self._id(choice, scope)
        for submerged in (False, True):
            listed = within.memories(include_submerged=submerged)
            assert within.count(include_submerged=submerged) == len(listed)
            page = within.memories(include_submerged=submerged, after=id, limit=2)
            assert page == [memory for memory in listed if memory.memory_id > id][:2]
        visible = [memory for id, memory in self.world.memories.items() if self.world.visible(id, scope, self.clock())]
        assert set(within.scopes()) == {Scope(**memory.scope) for memory in visible if memory.depth}
        if not self.world.visible(id, scope, self.clock()):
            self._refused(lambda: within.memory(id), LookupError)
        else:
            assert within.memory(id) in listed
        if not self.world.visible(id, scope, None):
            return
        chain: list[int | None] = [id]
        while (older := self.world.memories[chain[-1]].predecessor) is not None:  # type: ignore[index]
            chain.append(older)
        assert [entry.memory_id for entry in within.blame(id)] == chain[::-1]
        events = within.log(id)
        assert events[-1].depth_after == approx(self.world.memories[id].base, rel=1e-9)
        told = [event for event in events if event.commitment is not None and event.operation != "commit"]
        assert len(told) == len(self.world.memories[id].texts)

    @rule(at=st.integers(0, 1), seals=st.booleans())
    def take_head(self, at: int, seals: bool) -> None:
        store = self.stores[at]
        if seals:
            store.seal(KEY)
        head = store.head()
        log = store.log()
        assert (head.size, head.root) == (store.last_seq(), log_root(log)) == (len(log), head.root)
        self.heads.append(head)
        for older in self.heads[-3:]:
            since = [f"since the head, events were logged: {head.size - older.size}"] if head.size > older.size else []
            assert self.stores[1 - at].audit(older) == since
            verifier.verify(older.to_json(), KEY.public.hex(), self.path, store.extension(older).to_json())

    @rule(at=st.integers(0, 1), chance=st.integers(0, 5))
    @precondition(lambda self: self.reader is None)
    def reset(self, at: int, chance: int) -> None:
        if chance:
            return
        self.stores[at].reset()
        self.world = World()
        for receipt in self.receipts:
            assert not self.stores[1 - at].verify(receipt)
        self.receipts, self.heads, self.seen_at = [], [], [None, None]
        self._search()
        self._moved()

    @rule(choice=choosing)
    @precondition(lambda self: self.receipts)
    def give_again(self, choice: int) -> None:
        receipt = self.receipts[choice % len(self.receipts)]
        latest = receipt is self.receipts[-1]
        self._given_again(receipt, receipt if latest else replace(receipt, keyed_hashes=()))
        self._verify(receipt)

    @invariant()
    def both_show_what_is_expected(self) -> None:
        if not hasattr(self, "folder"):
            return
        type(self).steps += 1
        expected = {
            id: (memory.texts[-1][1], approx(memory.depth, rel=1e-9), memory.expires_at, memory.scope)
            for id, memory in self.world.memories.items()
            if self.world.visible(id, {}, self.clock())
        }
        for store in self.stores:
            found = {
                memory.memory_id: (
                    memory.text,
                    memory.depth,
                    memory.expires_at,
                    {
                        name: value
                        for name in ("owner", "session", "source")
                        if (value := getattr(memory, name)) is not None
                    },
                )
                for memory in store.memories(include_submerged=True)
            }
            assert found == expected
