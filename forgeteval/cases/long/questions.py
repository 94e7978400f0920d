"""The questions of a long history: eight at each checkpoint, of several kinds, each asked at every k."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from forgeteval.cases.history import Anchor, Question
from forgeteval.cases.long.world import Memory, World

Kind = Literal["changed", "before", "untouched", "bystander", "restored", "forgotten", "other_words", "fed_again"]
KINDS: tuple[str, ...] = get_args(Kind)
"""changed: what holds now after a supersede; before: what held earlier, which may be told; untouched: what nothing ever
changed; bystander: what stands next to something forgotten; restored: what holds again after it was restated or told
anew; forgotten, other_words: what was released or purged; fed_again: what had gone when its source was read again."""
Role = Literal["current", "replaced", "released", "purged", "past", "fed_again"]
"""Why a memory is asked for: it has to be there, it must not be for one of three reasons, or it may."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with what its answer is counted under.

    Attributes:
        roles: of each anchor of the question, why it is asked for.
        since_mutations, since_events: how long ago the memory that it is about was taken away; None where none was.
        mutations: how many there were before.
        stored: how many memories were told before.
    """

    question: Question
    kind: Kind
    roles: tuple[Role, ...]
    since_mutations: int | None
    since_events: int | None
    mutations: int
    stored: int


class Questions:
    """What may be asked of a world at a moment."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._targets: Mapping[Kind, Callable[[Memory], bool]] = {
            "changed": lambda memory: self._holds(memory) and self._has_replaced(memory),
            "before": lambda memory: memory.state == "replaced" and memory.gone,
            "untouched": lambda memory: self._holds(memory) and len(self._all(memory)) == 1,
            "bystander": lambda memory: self._holds(memory) and self._beside_a_gap(memory),
            "restored": lambda memory: self._holds(memory) and any(one.true_again for one in self._all(memory)),
            "forgotten": lambda memory: self._forgotten(memory),
            "other_words": lambda memory: self._forgotten(memory),
            "fed_again": lambda memory: memory.fed_again and memory.attribute is not None,
        }

    def ask(self, name: str, now: tuple[int, int], ks: Sequence[int]) -> Iterator[Asked]:
        """Eight questions, one of each kind that is possible, else another about what was forgotten or never changed.

        Args:
            name: what the names of the questions begin with.
            now: numbers of the mutations and events so far.
        """
        kinds: tuple[Kind, ...] = get_args(Kind)
        for number, kind in enumerate(kinds):
            for possible in (kind, *_INSTEAD):
                memory = self._world.some(self._targets[possible])
                if memory is not None:
                    yield from self._asked(f"{name}-{number}", possible, memory, now, ks)
                    break

    def _asked(self, name: str, kind: Kind, memory: Memory, now: tuple[int, int], ks: Sequence[int]) -> Iterator[Asked]:
        attribute = memory.attribute
        if attribute is None:
            return
        wordings = {"before": attribute.before, "other_words": attribute.other}.get(kind, attribute.asked)
        text = self._world.one(wordings).format(who=memory.who)
        concerned = list(self._concerned(kind, memory))
        gone = [one.gone_at for one, role in concerned if role != "current"]
        newest = max(gone, default=None)
        for k in ks:
            question = Question(
                f"{name}-k{k}",
                kind,
                text,
                k=k,
                gold_texts=tuple(one.text for one, role in concerned if role == "current"),
                anchors=tuple(Anchor(one.text, (one.value,)) for one, _ in concerned),
            )
            yield Asked(
                question,
                kind,
                tuple(role for _, role in concerned),
                None if newest is None else now[0] - newest[0],
                None if newest is None else now[1] - newest[1],
                now[0],
                len(self._world.memories),
            )

    def _concerned(self, kind: Kind, memory: Memory) -> Iterator[tuple[Memory, Role]]:
        if kind == "before":
            yield memory, "past"
        elif kind == "fed_again":
            yield memory, "fed_again"
        elif kind in ("forgotten", "other_words"):
            yield memory, "purged" if memory.state == "purged" else "released"
        else:
            yield memory, "current"
            for one in self._all(memory):
                if one.state == "replaced" and one.gone:
                    yield one, "replaced"

    def _all(self, memory: Memory) -> list[Memory]:
        return [] if memory.attribute is None else self._world.of(memory.who, memory.attribute)

    def _holds(self, memory: Memory) -> bool:
        return memory.state == "stays" and memory.attribute is not None

    def _has_replaced(self, memory: Memory) -> bool:
        return any(one.state == "replaced" and one.gone for one in self._all(memory))

    def _forgotten(self, memory: Memory) -> bool:
        return memory.gone and memory.state != "replaced" and memory.attribute is not None

    def _beside_a_gap(self, memory: Memory) -> bool:
        return any(one.who == memory.who and one.state in ("released", "purged") for one in self._world.memories)


_INSTEAD: tuple[Kind, ...] = ("forgotten", "untouched")
