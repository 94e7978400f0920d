"""The world that a long history tells of: who there is, what is told of them, and what has become of each memory."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from forgeteval.cases.draw import Draw
from forgeteval.cases.long.material import Attribute, Material, Values
from forgeteval.cases.states import GONE, State

_TOLD = 0.8
"""Share of the attributes of each that is told at all."""
_FACTS_EACH = 22
"""Facts told of each of those that memories are about, on average."""


@dataclass(slots=True)
class Memory:
    """One memory of a history.

    Attributes:
        attribute: None for what happened once.
        text: as it was stored, with its date.
        state: what became of it: `stays`, or what took it away.
        gone_at: number of the mutation, and of the event, that took it away.
        true_again: its value holds again, so that recalling it is not a fault.
        fed_again: its source was read again after it had gone.
    """

    who: str
    attribute: Attribute | None
    value: str
    text: str
    state: State = "stays"
    gone_at: tuple[int, int] = (0, 0)
    true_again: bool = False
    fed_again: bool = False

    @property
    def gone(self) -> bool:
        """Whether it was taken away and nothing brought it back."""
        return self.state in GONE and not self.true_again and not self.fed_again


@dataclass(slots=True)
class Fact:
    """Something that will be told: of whom, what, and how; `told` once it was."""

    who: str
    attribute: Attribute | None
    value: str
    said: str


@dataclass(slots=True)
class World:
    """Everybody that a history is about, and all of its memories in the order of their telling."""

    draw: Draw
    values: Values
    members: dict[str, str] = field(default_factory=dict)
    memories: list[Memory] = field(default_factory=list)

    def tell(self, fact: Fact, day: str) -> Memory:
        """A new memory of a fact."""
        text = f"{day}: {fact.said.format(who=fact.who, value=fact.value)}"
        self.memories.append(Memory(fact.who, fact.attribute, fact.value, text))
        return self.memories[-1]

    def one(self, pool: Sequence[str]) -> str:
        """A member of a pool."""
        return self.values.one(pool)

    def current(self, who: str, attribute: Attribute) -> Memory | None:
        """What holds of somebody; None where nothing is known."""
        return next((memory for memory in self.of(who, attribute) if memory.state == "stays"), None)

    def of(self, who: str, attribute: Attribute) -> list[Memory]:
        """All memories of one attribute of somebody, the newest first."""
        return [memory for memory in reversed(self.memories) if memory.who == who and memory.attribute is attribute]

    def some(self, wanted: Callable[[Memory], bool]) -> Memory | None:
        """A memory with a property, at random; None where there is none."""
        found = [memory for memory in self.memories if wanted(memory)]
        return found[self.draw.below(len(found))] if found else None


def people(material: Material, draw: Draw, facts: int) -> tuple[World, list[Fact]]:
    """A world of as many members as `facts` facts are about, and these facts in random order."""
    values = Values(material, draw)
    world = World(draw, values)
    for kind, (pattern, share) in material.kinds.items():
        for _ in range(max(2, round(facts * share / _FACTS_EACH))):
            world.members[values.draw(pattern)] = kind
    told = [
        Fact(who, attribute, values.draw(material.patterns[attribute.value]), values.one(attribute.said))
        for who, kind in world.members.items()
        for attribute in material.attributes[kind]
        if draw.below(100) < 100 * _TOLD
    ]
    names = list(world.members)
    while len(told) < facts:
        who = names[draw.below(len(names))]
        incidents = material.incidents[world.members[who]]
        incident = incidents[draw.below(len(incidents))]
        told.append(Fact(who, None, values.draw(material.patterns[incident.value]), incident.said))
    return world, draw.several(told, len(told))
