"""The contracts of a measured system: the paper's six-method Adapter, and the small Backend it can be composed on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory returned by a backend's own retrieval; a higher `score` means a better match."""

    id: str | int
    text: str
    score: float


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


class Backend(Protocol):
    """The native surface of a store; `delete` raises NotImplementedError if the store cannot delete."""

    def reset(self) -> None: ...

    def add(self, texts: Sequence[str]) -> None: ...

    def search(self, query: str, k: int) -> list[Hit]: ...

    def delete(self, id: str | int) -> None: ...

    def close(self) -> None: ...


@runtime_checkable
class GoldAware(Protocol):
    """A control that is told before each question what a perfect memory would hold; no measured system is."""

    def expect(self, gold: Sequence[str] | None) -> None:
        """Take note of the gold memories; None where the suite gives none."""


@runtime_checkable
class Partial(Protocol):
    """A system that declares which operations it does not offer."""

    not_offered: frozenset[str]


@runtime_checkable
class BulkDeletable(Protocol):
    """A store that deletes several memories in one call."""

    def delete_ids(self, ids: Sequence[str | int]) -> None: ...


@runtime_checkable
class Releasable(Protocol):
    """A store with a soft release of its own: out of recall, not erased."""

    def release_ids(self, ids: Sequence[str | int]) -> None: ...


@runtime_checkable
class Supersedable(Protocol):
    """A store with a supersession of its own: the old memory stays as history, out of recall."""

    def supersede_id(self, id: str | int, text: str) -> None: ...


@runtime_checkable
class Prefillable(Protocol):
    """A system that can restore the same many memories faster than by inscribing them for each case."""

    def reset_to(self, texts: Sequence[str]) -> None:
        """Leave the store as `reset` and inscribing `texts` would leave it."""


@runtime_checkable
class Scoped(Protocol):
    """A system with scopes: users, sessions, namespaces."""

    def enter(self, owners: Sequence[str]) -> None:
        """Let everything from here on be done by and for these owners, until others are entered.

        What several tell is the memory of each; a question and a mutation have one owner.

        Raises:
            NotImplementedError: where the system has no scopes, and this configuration composes none.
        """


@runtime_checkable
class Inspectable(Protocol):
    """A system whose storage can be read behind its API, to look for residue."""

    def stored_bytes(self) -> bytes:
        """Everything the system now holds in its files and databases, as raw bytes."""


@runtime_checkable
class Deployed(Protocol):
    """A system that can keep its store in a folder, as its users deploy it, for the erasure audit."""

    def open(self, folder: Path) -> None:
        """Use the store in this folder from here on; a new one where the folder is empty."""

    def shut(self) -> None:
        """Let go of the store, so that it can be copied, or opened by another process."""


@runtime_checkable
class Compactable(Protocol):
    """A system whose makers offer to compact its store."""

    def compact(self) -> None:
        """Do what they offer; raise whatever that raises."""


@runtime_checkable
class Readable(Protocol):
    """A system with reads besides its search: `get`, `list`, `history`, `export`, `graph`, `summary`."""

    def reads(self, id: str | int) -> Mapping[str, str]:
        """What each read that the API has gives after the memory with this id was erased."""


@runtime_checkable
class Reversible(Protocol):
    """A system with a way back: an undo, or a view of the past."""

    def past(self, query: str, k: int) -> list[str]:
        """The texts of the k best memories for `query` in each state that it leads to."""


@runtime_checkable
class Working(Protocol):
    """A system with work of its own in the background."""

    def work(self) -> None:
        """Do that work now."""
