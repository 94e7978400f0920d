"""The contract of a measured store: the five methods of a backend, what a store may also offer, the paper's six.

Only the standard library is imported here.
"""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

_MUTATIONS = {"supersede", "release", "purge"}


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory that a store's own retrieval returns; a higher `score` means a better match."""

    id: str | int
    text: str
    score: float


CLAIMED = ("reads", "files")
"""Of what a claim may be."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a store says of what it has just erased: by a certificate, a receipt, a report, a proof.

    Attributes:
        gone: whether it says that nothing is left; False where it says that something is.
        of: where: in what its API answers (`reads`), or in what it has written (`files`).
        words: its own words, in short.
    """

    gone: bool
    of: Literal["reads", "files"]
    words: str


@dataclass(frozen=True, slots=True)
class Services:
    """The run's OpenAI-compatible server on loopback (`lethe.gateway`), for systems that call one themselves.

    Attributes:
        url: "http://127.0.0.1:PORT/v1", with /embeddings, /chat/completions and /models below it.
        token: its API key, valid in this run only.
        model: the chat model to name in requests; empty if the configuration has none, and then chat is refused.
    """

    url: str
    token: str
    model: str


class Adapter(Protocol):
    """The six-method control-plane algebra (paper, section "Adapter Protocol").

    A method that the system cannot express by any composition of its API raises NotImplementedError,
    which the runner records as the verdict `na`.
    """

    def reset(self) -> None:
        """Forget everything, so that the next case starts from an empty store."""

    def inscribe(self, texts: Sequence[str]) -> None:
        """Store facts in order, each as one memory."""

    def recall_texts(self, query: str, k: int) -> list[str]:
        """The texts of the k best memories for `query`, best first."""

    def supersede(self, query: str, text: str) -> None:
        """Replace the fact that `query` describes by `text`."""

    def release(self, query: str) -> None:
        """Remove what `query` describes from recall."""

    def purge(self, query: str) -> None:
        """Erase what `query` identifies."""

    def close(self) -> None:
        """Release files, processes and connections."""


class Backend:
    """A store by the methods that its API really has; policies compose the paper's mutations from them.

    `reset`, `add` and `search` are needed, and `delete` wherever anything is to be forgotten. The others are offers: a
    class overrides those that its store has. A class that does not derive from this one is as good, if it has the
    methods. `forgeteval.evaluate` shows a whole store.

    >>> class Shelf(Backend):
    ...     def delete(self, id):
    ...         self.texts.remove(id)
    >>> offers(Shelf(), "delete"), offers(Shelf(), "edit")
    (True, False)

    Attributes:
        not_offered: operations of the paper that this store does not have.
    """

    not_offered: frozenset[str] = frozenset()

    def reset(self) -> None:
        """Forget everything, so that the next case starts from an empty store."""
        raise NotImplementedError("it has no reset")

    def add(self, texts: Sequence[str]) -> None:
        """Store each text as one memory, in order."""
        raise NotImplementedError("it cannot add")

    def search(self, query: str, k: int) -> list[Hit]:
        """The k best memories by the store's own retrieval, best first."""
        raise NotImplementedError("it cannot search")

    def delete(self, id: str | int) -> None:
        """Delete one memory."""
        raise NotImplementedError("it cannot delete")

    def close(self) -> None:
        """Release files, processes and connections."""

    def edit(self, id: str | int, text: str) -> None:
        """Change a memory's text in place."""
        raise NotImplementedError("it cannot edit")

    def delete_ids(self, ids: Sequence[str | int]) -> None:
        """Delete several memories in one call."""
        for id in ids:
            self.delete(id)

    def release_ids(self, ids: Sequence[str | int]) -> None:
        """Take memories out of recall without erasing them: a soft release of the store's own."""
        raise NotImplementedError("it has no release of its own")

    def supersede_id(self, id: str | int, text: str) -> None:
        """Put `text` in the place of a memory that stays as history, out of recall."""
        raise NotImplementedError("it has no supersession of its own")

    def reset_to(self, texts: Sequence[str]) -> None:
        """Leave the store as `reset` and adding `texts` would leave it; for one that restores them faster."""
        self.reset()
        self.add(texts)

    def enter(self, owners: Sequence[str]) -> None:
        """Let everything from here on be done by and for these owners, until others are entered.

        What several tell is the memory of each; a question and a mutation have one owner. For a store with scopes:
        users, sessions, namespaces.
        """
        raise NotImplementedError("it has no scopes")

    def stored_bytes(self) -> bytes:
        """Everything that the store now holds in its files and databases, to look for residue behind its API."""
        raise NotImplementedError("its storage cannot be read")

    def open(self, folder: Path) -> None:
        """Keep the store in this folder from here on, as its users deploy it; a new one where the folder is empty."""
        raise NotImplementedError("it keeps nothing in a folder")

    def shut(self) -> None:
        """Let go of the store in the folder, so that it can be copied, or opened by another process."""
        raise NotImplementedError("it keeps nothing in a folder")

    def compact(self) -> None:
        """Do what the store's makers offer to compact it; raise whatever that raises."""
        raise NotImplementedError("its makers offer no compaction")

    def reads(self, id: str | int) -> Mapping[str, str]:
        """What each read besides the search gives after the memory was erased: `get`, `list`, `history`, `export`,
        `graph`, `summary`."""
        raise NotImplementedError("it has no other reads")

    def claim(self) -> Claim:
        """What the store says of the memory that was erased last, or of what it holds after its compaction."""
        raise NotImplementedError("it says nothing of what it has erased")

    def past(self, query: str, k: int) -> list[str]:
        """The texts of the k best memories in each state that a way back leads to: an undo, a view of the past."""
        raise NotImplementedError("it has no way back")

    def work(self) -> None:
        """Do now what the store otherwise does in the background."""
        raise NotImplementedError("it has no work in the background")

    def offers(self, name: str) -> bool:
        """Whether the store has this method; a wrapper answers for what it wraps."""
        return getattr(type(self), name, None) is not getattr(Backend, name, None)


def offers(store: object, name: str) -> bool:
    """Whether a store has a method of its own of this name, of whatever class it is."""
    if isinstance(store, Backend):
        return store.offers(name)
    return callable(getattr(store, name, None))


def not_offered(store: object) -> frozenset[str]:
    """The operations of the paper that a store says it does not have.

    Raises:
        TypeError: where it says something else.
    """
    said: Any = getattr(store, "not_offered", ())
    with contextlib.suppress(TypeError):
        if not isinstance(said, str) and (named := frozenset(said)) <= _MUTATIONS:
            return named
    raise TypeError(f"not_offered is {said!r:.80}; it is a set of {', '.join(sorted(_MUTATIONS))}")
