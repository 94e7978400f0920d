"""Long histories by a seed: dated facts, mutations between them, and questions at checkpoints."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from forgeteval.cases.draw import Draw
from forgeteval.cases.history import History, Operation
from forgeteval.cases.long.material import Material
from forgeteval.cases.long.mutations import Mutations
from forgeteval.cases.long.questions import Asked, Questions
from forgeteval.cases.long.world import people

FACTS = range(300, 2001)
MUTATIONS = range(20, 61)
CHECKPOINTS = 5
_FIRST_DAY = date(2024, 1, 8)
_BEFORE_MUTATIONS = 0.3
"""Share of the facts that are told before anything changes."""


@dataclass(frozen=True, slots=True)
class LongEvent:
    """One event of a long history.

    Attributes:
        day: ISO date.
        why: `told`, the kind of the mutation, or `asked`.
        event: an operation, or a question with what it is counted under.
    """

    day: str
    why: str
    event: Operation | Asked


@dataclass(frozen=True, slots=True)
class LongHistory:
    """A long history: its name, and its events in order."""

    name: str
    events: tuple[LongEvent, ...]

    def to_history(self) -> History:
        """The history as it is replayed."""
        events = (one.event for one in self.events)
        return History(self.name, tuple(one.question if isinstance(one, Asked) else one for one in events))


def generate_histories(material: Material, seed: int, count: int, ks: Sequence[int]) -> list[LongHistory]:
    """The first `count` histories of a seed; each is the same however many there are.

    Args:
        ks: numbers of memories that each question recalls.
    """
    return [generate_history(material, seed, number, ks) for number in range(count)]


def generate_history(material: Material, seed: int, number: int, ks: Sequence[int]) -> LongHistory:
    """One history; smaller ones are more frequent than larger ones."""
    draw, name = Draw(f"long/{seed}/{number}"), f"long-{number:03d}"
    facts = FACTS[min(draw.below(len(FACTS)), draw.below(len(FACTS)))]
    mutations = MUTATIONS[draw.below(len(MUTATIONS))]
    return LongHistory(name, tuple(_events(material, draw, name, facts, mutations, ks)))


def _events(
    material: Material, draw: Draw, name: str, facts: int, mutations: int, ks: Sequence[int]
) -> Iterator[LongEvent]:
    world, untold = people(material, draw, facts)
    happening, asking = Mutations(material, world), Questions(world)
    first = round(facts * _BEFORE_MUTATIONS)
    moments = sorted(first + draw.below(facts - first) for _ in range(mutations))
    checkpoints = {round(mutations * (number + 1) / CHECKPOINTS) for number in range(CHECKPOINTS)}
    day, events, mutated = _FIRST_DAY, 0, 0
    for position, fact in enumerate(untold, start=1):
        day += timedelta(days=draw.below(2))
        yield LongEvent(day.isoformat(), "told", Operation("inscribe", None, world.tell(fact, day.isoformat()).text))
        events += 1
        while mutated < mutations and moments[mutated] < position:
            kind, operations = happening.happen(day.isoformat(), (mutated, events))
            yield from (LongEvent(day.isoformat(), kind, operation) for operation in operations)
            mutated, events = mutated + 1, events + len(operations)
            if mutated in checkpoints:
                asked = asking.ask(f"{name}-m{mutated}", (mutated, events), ks)
                yield from (LongEvent(day.isoformat(), "asked", one) for one in asked)
