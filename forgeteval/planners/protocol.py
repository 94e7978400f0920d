"""What a planner is asked and what it may answer: the three decisions of a mutation-time hook (paper, section on the
LLM hook).

A planner answers each mutation with one of four things: these memories; these in part, with what stays of them; none of
them; or not sure. A planner of ten lines:

    >>> class Words:
    ...     def supersede(self, query, new_fact, candidates):
    ...         return self.purge(query, candidates)
    ...
    ...     def release(self, query, candidates):
    ...         return self.purge(query, candidates)
    ...
    ...     def purge(self, query, candidates):
    ...         held = [at for at, memory in enumerate(candidates) if query.lower() in memory.text.lower()]
    ...         return Meant(tuple(held), reason=f"holds {query!r}") if held else Unsure("nothing holds it")
    >>> Words().purge("locker 12", [Candidate("Ines has locker 12"), Candidate("Locker 21 is free")]).whole
    (0,)

`forgeteval.stores.hook.HookedAdapter(store, Words())` carries out what it decides.

Nothing but the standard library is imported here: a planner also runs in the environments of third-party systems.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, Protocol, SupportsIndex

from forgeteval.errors import UserError

CANDIDATES = 20
"""How many memories a planner is shown."""


@dataclass(frozen=True, slots=True)
class Shown:
    """How many of a store's best matches a planner is shown.

    Attributes:
        supersede: at a supersession, by its query.
        new_fact: at a supersession, those by the new fact that are not among the former, after them.
        forget: at a release or purge.
    """

    supersede: int = CANDIDATES
    new_fact: int = 0
    forget: int = CANDIDATES


SHOWN = Shown()
"""What a planner is shown that does not say."""


@dataclass(frozen=True, slots=True)
class Supersession:
    """An earlier supersession that led to a memory."""

    query: str
    new_fact: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that is shown.

    Attributes:
        text: of the memory.
        written: the supersessions that led to it, the last one first; none where it was stored as it is.
    """

    text: str
    written: tuple[Supersession, ...] = ()


@dataclass(frozen=True, slots=True)
class Meant:
    """The candidates that are meant, by position in the sequence that was shown; `Meant()` says: none of them.

    What is meant whole goes; of what is meant in part, the text that stays takes its place. A superseding fact is
    stored once, as a memory of its own, unless it is `restated`. If none is meant, nothing goes, and a superseding fact
    is stored beside. Of "Ines has locker 12 and a bicycle", the first memory shown, a purge of "Ines's locker" means:

        >>> meant = Meant(parts=((0, "Ines has a bicycle"),), reason="locker 12 is Ines's")

    Attributes:
        whole: those that are meant whole.
        parts: those that are meant in part, and what stays of each.
        reason: why these.
        extent: why whole or in part; of a supersession, whose reasons are told apart.
        restated: the texts of `parts` state the superseding fact, so that it is not stored again.
        duplicates: those that state the superseding fact already; they go, too, since it is stored anew.

    Raises:
        TypeError: where a position is no integer, of Python or NumPy, or a truth value.
        ValueError: where a candidate is named twice, or the fact is restated in no part.
    """

    whole: tuple[int, ...] = ()
    parts: tuple[tuple[int, str], ...] = ()
    reason: str | None = None
    extent: str | None = None
    restated: bool = False
    duplicates: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "whole", _positions(self.whole))
        object.__setattr__(self, "parts", tuple((index(at), stays) for at, stays in self.parts))
        object.__setattr__(self, "duplicates", _positions(self.duplicates))
        if len(set(self.named)) < len(self.named):
            raise ValueError(f"a memory is meant twice: whole, in part or as a duplicate, of {list(self.named)}")
        if self.restated and not self.parts:
            raise ValueError("the new fact is restated, but in no part")

    @property
    def superseded(self) -> tuple[int, ...]:
        """The positions of those that are meant whole or in part."""
        return (*self.whole, *(at for at, _ in self.parts))

    @property
    def named(self) -> tuple[int, ...]:
        """Every position."""
        return (*self.superseded, *self.duplicates)


@dataclass(frozen=True, slots=True)
class Unsure:
    """No decision: the store's own policy runs, or the caller is asked.

    Attributes:
        reason: why there is none.
        candidates: positions of those that the planner hesitates between; may be empty.
    """

    reason: str
    candidates: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.reason, str):
            raise TypeError(f"the reason of an Unsure is a text, not {self.reason!r:.60}")
        object.__setattr__(self, "candidates", _positions(self.candidates))


def _positions(given: Iterable[SupportsIndex]) -> tuple[int, ...]:
    named = tuple(given)
    if any(isinstance(at, bool) for at in named):
        raise TypeError("True and False are no positions: name the candidates that are meant, as in (0, 2)")
    return tuple(map(index, named))


Decision = Meant | Unsure


class Planner(Protocol):
    """Decides which of a store's memories a mutation means.

    Each method is shown at least one candidate, the store's best match for `query` first. A planner may have an
    attribute `is_shown`, a `Shown`, which says how many.
    """

    def supersede(self, query: str, new_fact: str, candidates: Sequence[Candidate]) -> Decision:
        """The memories that `new_fact` takes the place of, in whole or in part, asked for by `query`."""

    def release(self, query: str, candidates: Sequence[Candidate]) -> Decision:
        """The memories that `query` describes, which leave recall."""

    def purge(self, query: str, candidates: Sequence[Candidate]) -> Decision:
        """The memories about the very thing that `query` names, in whatever form it is written, which are erased."""


class PlannerUnavailable(RuntimeError):
    """The planner never answered, or with no decision: the trial is an error, never a fallback."""


def check_decision(planner: Planner, operation: str, decision: object, shown: int) -> None:
    """Raise PlannerUnavailable for what is not a decision on so many memories."""
    named = f"{type(planner).__name__}.{operation}"
    match decision:
        case Meant():
            positions = decision.named
        case Unsure(candidates=positions):
            pass
        case _:
            raise PlannerUnavailable(f"{named}: {decision!r:.80} is not a decision: answer Meant or Unsure")
    beyond = [at for at in positions if not 0 <= at < shown]
    if beyond:
        raise PlannerUnavailable(f"{named}: no candidate {beyond[0]}: there are 0 to {shown - 1}")
    if operation != "supersede" and isinstance(decision, Meant) and (decision.restated or decision.duplicates):
        raise PlannerUnavailable(f"{named}: restated and duplicates are for a supersession alone")


def shown_to(planner: Planner) -> Shown:
    """How many memories a planner is shown.

    Raises:
        UserError: where it does not say so by whole numbers, or would be asked about no memory.
    """
    shown: Any = getattr(planner, "is_shown", SHOWN)
    if isinstance(shown, Shown):
        counts = shown.supersede, shown.forget, shown.new_fact
        if all(type(count) is int for count in counts) and min(counts[:2]) > 0 <= shown.new_fact:
            return shown
    wanted = "give a Shown of whole numbers, supersede and forget from 1 on"
    raise UserError(f"hook: {type(planner).__name__}.is_shown is {shown!r:.80}; {wanted}")
