"""The Planner protocol: the three decisions of a mutation-time hook (paper, section on the LLM hook).

Nothing but the standard library is imported here: a planner also runs in the environments of third-party systems.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Replace:
    """The whole memory is out of date: the new fact takes its place."""

    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """Part of the memory is out of date: `text`, the new fact and what stays of the memory, takes its place."""

    text: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Matches:
    """The candidates that are meant, as positions in the sequence that was shown; may be empty."""

    indices: tuple[int, ...]
    reason: str | None = None
    edits: tuple[tuple[int, str], ...] = ()
    """Candidates of which only a part is meant: their position and the text that stays. None is in `indices`."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The candidate that a superseding fact is about, as its position in the sequence that was shown."""

    index: int
    reason: str | None = None
    repeated: tuple[int, ...] = ()
    """Candidates that say the new fact already: they go, too, since it is written anew. `index` is none of them."""


@dataclass(frozen=True, slots=True)
class Unsure:
    """No usable decision, and why: the deterministic policy runs, as it does for None."""

    reason: str


class Planner(Protocol):
    """Decides what a mutation means.

    None and Unsure are no usable decision: the caller falls back to its deterministic policy.
    """

    def supersede(self, memory: str, query: str, new_fact: str) -> Replace | Edit | Unsure | None:
        """What becomes of `memory`, the best match for `query`, now that `new_fact` holds."""

    def purge_match(self, target: str, candidates: Sequence[str]) -> Matches | Unsure | None:
        """The candidates about the very thing that `target` names, in whatever form it is written."""

    def release_match(self, target: str, candidates: Sequence[str]) -> Matches | Unsure | None:
        """The candidates that `target` describes."""


@runtime_checkable
class ChoosesMemory(Protocol):
    """A planner that picks the superseded memory itself, instead of being shown only the best match."""

    def choose(
        self, query: str, new_fact: str, candidates: Sequence[str], written_for: Sequence[str] = ()
    ) -> Choice | Unsure:
        """The candidate that `new_fact` takes the place of, in part or whole.

        Args:
            candidates: memories, best match first.
            written_for: for each candidate, the queries of the supersessions that led to it, the last one first, one on
                each line; "" where none did. May be empty, where nothing is known of any.
        """

    def supersede(
        self, memory: str, query: str, new_fact: str, written: Sequence[str] | None = None
    ) -> Replace | Edit | Unsure | None:
        """As `Planner.supersede`.

        Args:
            written: query and new fact of the supersession that wrote `memory`, then the queries of those before it.
        """


class PlannerUnavailable(RuntimeError):
    """The planner never answered: the trial is an error, never a fallback."""
