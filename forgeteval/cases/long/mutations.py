"""The mutations of a long history: each changes the world and gives the operations that a user would call."""

from collections.abc import Callable, Mapping

from forgeteval.cases.history import Operation
from forgeteval.cases.long.material import Attribute, Material
from forgeteval.cases.long.world import Fact, Memory, World
from forgeteval.cases.states import State

_FED_TOGETHER = 6
"""Memories that still hold, beside one that does not, when a source is read again."""


class Mutations:
    """What may happen to what was told, at a moment of the history."""

    def __init__(self, material: Material, world: World) -> None:
        self._material, self._world = material, world
        self.kinds: Mapping[str, tuple[int, Callable[[str, tuple[int, int]], list[Operation]]]] = {
            "supersede": (40, self._supersede),
            "restate": (8, self._restate),
            "release": (16, lambda day, now: self._take("release", "released", now)),
            "release_all": (4, lambda day, now: self._take_all("release", "plan", "released", now)),
            "purge": (16, lambda day, now: self._take("purge", "purged", now)),
            "purge_all": (4, lambda day, now: self._take_all("purge", "person", "purged", now)),
            "relearn": (6, self._relearn),
            "feed_again": (6, self._feed_again),
        }
        """Kind of a mutation to its weight and what carries it out."""

    def happen(self, day: str, now: tuple[int, int]) -> tuple[str, list[Operation]]:
        """Some mutation that is possible now, with its operations.

        Args:
            now: numbers of the mutation and of the event.
        """
        while True:
            kind = self._world.one([kind for kind, (weight, _) in self.kinds.items() for _ in range(weight)])
            operations = self.kinds[kind][1](day, now)
            if operations:
                return kind, operations

    def _supersede(self, day: str, now: tuple[int, int]) -> list[Operation]:
        old = self._world.some(lambda memory: memory.state == "stays" and memory.attribute is not None)
        if old is None or old.attribute is None:
            return []
        value = self._world.values.draw(self._material.patterns[old.attribute.value])
        return self._replace(old, old.attribute, value, self._world.one(old.attribute.changed), day, now)

    def _restate(self, day: str, now: tuple[int, int]) -> list[Operation]:
        earlier = self._world.some(lambda memory: memory.state == "replaced" and memory.gone)
        if earlier is None or earlier.attribute is None:
            return []
        current = self._world.current(earlier.who, earlier.attribute)
        if current is None:
            return []
        said = self._world.one(earlier.attribute.again)
        operations = self._replace(current, earlier.attribute, earlier.value, said, day, now)
        earlier.true_again = True
        return operations

    def _replace(
        self, old: Memory, attribute: Attribute, value: str, said: str, day: str, now: tuple[int, int]
    ) -> list[Operation]:
        new = self._world.tell(Fact(old.who, attribute, value, said), day)
        old.state, old.gone_at = "replaced", now
        return [Operation("supersede", self._request("supersede", old), new.text)]

    def _take(self, op: str, state: State, now: tuple[int, int]) -> list[Operation]:
        memory = self._world.some(lambda memory: memory.state == "stays" and memory.attribute is not None)
        if memory is None or memory.attribute is None:
            return []
        earlier = [one for one in self._world.of(memory.who, memory.attribute) if one.state in ("stays", "replaced")]
        for one in earlier:
            one.state, one.gone_at = state, now
        return [Operation("release" if op == "release" else "purge", self._request(op, memory), None)]

    def _take_all(self, op: str, kind: str, state: State, now: tuple[int, int]) -> list[Operation]:
        memory = self._world.some(lambda memory: memory.state == "stays" and self._world.members[memory.who] == kind)
        if memory is None:
            return []
        for one in self._world.memories:
            if one.who == memory.who and one.state in ("stays", "replaced"):
                one.state, one.gone_at = state, now
        request = self._world.one(self._material.requests[f"{op}_all"]).format(who=memory.who)
        return [Operation("release" if op == "release" else "purge", request, None)]

    def _relearn(self, day: str, now: tuple[int, int]) -> list[Operation]:
        memory = self._world.some(lambda memory: memory.state == "purged" and memory.gone)
        if memory is None or memory.attribute is None or self._world.current(memory.who, memory.attribute) is not None:
            return []
        said = self._world.one(memory.attribute.said)
        new = self._world.tell(Fact(memory.who, memory.attribute, memory.value, said), day)
        memory.true_again = True
        return [Operation("inscribe", None, new.text)]

    def _feed_again(self, day: str, now: tuple[int, int]) -> list[Operation]:
        gone = self._world.some(lambda memory: memory.gone)
        live = [memory for memory in self._world.memories if memory.state == "stays"]
        if gone is None or len(live) < _FED_TOGETHER:
            return []
        gone.fed_again = True
        source = [gone, *self._world.draw.several(live, _FED_TOGETHER)]
        return [Operation("inscribe", None, memory.text) for memory in source]

    def _request(self, op: str, memory: Memory) -> str:
        if memory.attribute is None:
            raise ValueError("what happened once is not changed on its own")
        named = self._world.one(memory.attribute.named).format(who=memory.who)
        return self._world.one(self._material.requests[op]).format(named=named)
