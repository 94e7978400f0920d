"""Written cases as labelled decisions: at each mutation, the memories stored then and which of them it is about."""

from collections.abc import Sequence
from dataclasses import dataclass

from forgeteval.cases.case import Case, Mutation
from lethe.matcher.decision import choice
from lethe.matcher.evidence.words import clean, content

_LEAST_SHARED = 0.25
"""Share of words, counted both ways, from which a row of the end is what stays of a memory."""
_SHOWN = 20
"""Most memories that a planner is shown."""


@dataclass(frozen=True)
class Decision:
    """A mutation of a case, with what a perfect store makes of it.

    Attributes:
        operation: supersede, purge or release.
        query: what the mutation asks for.
        new_fact: "" unless something is superseded.
        memories: as stored before.
        written_for: for each memory, the queries of the supersessions that led to it, one on each line.
        meant: positions of the memories that the mutation is about.
        kept: what stays of those that are meant in part, by position.
    """

    case: str
    category: str
    operation: choice.Operation
    query: str
    new_fact: str
    memories: tuple[str, ...]
    written_for: tuple[str, ...]
    meant: frozenset[int]
    kept: dict[int, str]

    def showing(self, positions: Sequence[int]) -> choice.Mutation:
        """The mutation as it is asked where some of the memories are shown."""
        memories, written = ([texts[at] for at in positions] for texts in (self.memories, self.written_for))
        return choice.Mutation(self.operation, self.query, self.new_fact, tuple(memories), tuple(written))


def decisions(case: Case) -> list[Decision]:
    """The decisions of a case, in order; none where the case does not say what is stored at the end."""
    if case.gold_rows is None:
        return []
    state = _State(list(case.setup_facts), [""] * len(case.setup_facts), set(case.gold_rows), _rests(case))
    found = []
    for place, mutation in enumerate(case.mutations):
        meant = state.meant(mutation, case.mutations[place + 1 :], alone=len(case.mutations) == 1)
        kept = {at: state.rests[state.memories[at]] for at in meant if state.memories[at] in state.rests}
        found.append(
            Decision(
                case.case_id, case.category, mutation.op, mutation.query, mutation.text or "",
                tuple(state.memories), tuple(state.written), frozenset(meant), kept,
            )
        )  # fmt: skip
        state.apply(mutation, meant)
    return found


@dataclass
class _State:
    """What a perfect store holds: memories, the queries that led to each, those that stay, and what stays of others."""

    memories: list[str]
    written: list[str]
    staying: set[str]
    rests: dict[str, str]

    def meant(self, mutation: Mutation, later: Sequence[Mutation], *, alone: bool) -> list[int]:
        """The memories that go by this mutation, and not by a later one that they fit better."""
        going = [at for at, memory in enumerate(self.memories) if memory not in self.staying]
        is_fact = mutation.op == "supersede"
        rivals = [one for one in later if not (is_fact and one.op == "supersede")]  # one topic may change twice
        claim = {at: self.fit(mutation, at) - max((self.fit(one, at) for one in rivals), default=0.0) for at in going}
        if is_fact and not alone:
            return sorted(going, key=lambda at: -claim[at])[:1]
        return [at for at in going if not later or claim[at] >= 0]

    def fit(self, mutation: Mutation, at: int) -> float:
        """How much a memory has to do with a mutation."""
        asked = 2.0 * (mutation.query in self.written[at].split("\n"))
        memory = self.memories[at]
        return asked + _shared(mutation.query, memory) + 0.5 * _shared(mutation.text or "", memory)

    def apply(self, mutation: Mutation, meant: Sequence[int]) -> None:
        if mutation.op != "supersede":
            left = [at for at in range(len(self.memories)) if at not in meant]
            self.memories, self.written = ([texts[at] for at in left] for texts in (self.memories, self.written))
            return
        new_fact = mutation.text or ""
        if not meant:
            self.memories.append(new_fact)
            self.written.append(mutation.query)
            return
        at = max(meant, key=lambda at: self.fit(mutation, at))
        rest = self.rests.get(self.memories[at])
        if rest is not None:
            merged = f"{new_fact.rstrip(' .')}. {rest}"
            self.rests[merged] = rest
            if new_fact in self.staying:
                self.staying.add(merged)
            new_fact = merged
        self.memories[at] = new_fact
        self.written[at] = f"{mutation.query}\n{self.written[at]}".strip()


def shown(decision: Decision, similar: Sequence[float]) -> list[int]:
    """Positions of the memories that a store shows the planner: the most similar ones, the best first."""
    return sorted(range(len(decision.memories)), key=lambda at: -similar[at])[:_SHOWN]


def _rests(case: Case) -> dict[str, str]:
    """What stays of each memory of which only a part goes."""
    staying = set(case.gold_rows or ())
    said = {*case.setup_facts, *(mutation.text for mutation in case.mutations)}
    lost = [memory for memory in case.setup_facts if memory not in staying]
    rests: dict[str, str] = {}
    for row in case.gold_rows or ():
        if row in said or not lost:
            continue
        best = max(lost, key=lambda memory: _shared(row, memory) + _shared(memory, row))
        if _shared(row, best) + _shared(best, row) > _LEAST_SHARED:
            rests[best] = f"{rests[best]} {row}" if best in rests else row
    return rests


def _shared(one: str, other: str) -> float:
    """The share of a text's words that another one has."""
    words = set(content(clean(one)))
    return len(words & set(content(clean(other)))) / max(1, len(words))
