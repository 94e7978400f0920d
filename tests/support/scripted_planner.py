"""Planners and a backend whose behaviour a test decides."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from forgeteval.planners.chat import Contract
from forgeteval.planners.protocol import SHOWN, Candidate, Decision, Meant, Shown, Unsure
from forgeteval.stores.contract import Hit


def simplified(text: str) -> str:
    """Only letters and digits, to recognise an entity in other capitals and separators."""
    return "".join(filter(str.isalnum, text.lower()))


class ReadingPlanner:
    """Decides by its inputs: memories with the query in any case and punctuation match; a memory "A; B" is edited.

    It is shown the memory that a new fact supersedes.
    """

    is_shown = Shown(supersede=1)

    def supersede(self, query: str, new_fact: str, candidates: Sequence[Candidate]) -> Decision:
        if "undecided" in query:
            return Unsure("undecided")
        _, semicolon, rest = candidates[0].text.partition("; ")
        if not semicolon:
            return Meant((0,), reason="one clause")
        return Meant(parts=((0, f"{new_fact}; {rest}"),), reason="the second clause stays", restated=True)

    def release(self, query: str, candidates: Sequence[Candidate]) -> Decision:
        return self.purge(query, candidates)

    def purge(self, query: str, candidates: Sequence[Candidate]) -> Decision:
        wanted = simplified(query)
        found = tuple(at for at, memory in enumerate(candidates) if wanted in simplified(memory.text))
        return Meant(found, reason=f"holds {wanted}") if found else Unsure(f"nothing holds {wanted}")


class UncallablePlanner:
    """Fails the test that calls it."""

    def supersede(self, query: str, new_fact: str, candidates: Sequence[Candidate]) -> NoReturn:
        raise AssertionError("the planner was called")

    def release(self, query: str, candidates: Sequence[Candidate]) -> NoReturn:
        raise AssertionError("the planner was called")

    def purge(self, query: str, candidates: Sequence[Candidate]) -> NoReturn:
        raise AssertionError("the planner was called")


UNSURE = Unsure("fixed")


@dataclass
class FixedPlanner:
    """Gives one decision, or raises one error, to every question, and keeps what it was asked."""

    decision: Any = UNSURE
    error: Exception | None = None
    is_shown: Shown = SHOWN
    asked: list[tuple[str, ...]] = field(default_factory=list)
    shown: list[Candidate] = field(default_factory=list)
    """Of the last question."""

    def supersede(self, query: str, new_fact: str, candidates: Sequence[Candidate]) -> Any:
        return self._decide(candidates, "supersede", query, new_fact)

    def release(self, query: str, candidates: Sequence[Candidate]) -> Any:
        return self._decide(candidates, "release", query)

    def purge(self, query: str, candidates: Sequence[Candidate]) -> Any:
        return self._decide(candidates, "purge", query)

    def _decide(self, candidates: Sequence[Candidate], *question: str) -> Any:
        self.asked.append(question)
        self.shown = list(candidates)
        if self.error is not None:
            raise self.error
        return self.decision


def candidates(*texts: str) -> list[Candidate]:
    """Memories as a planner is shown them, which no supersession wrote."""
    return [Candidate(text) for text in texts]


class ListBackend:
    """A list; the memory that shares most words with the query comes first."""

    def __init__(self) -> None:
        self.memories: dict[int, str] = {}
        self.calls: list[str] = []
        self.next_id = 0

    def reset(self) -> None:
        self.memories = {}

    def add(self, texts: Sequence[str]) -> None:
        self.calls.append("add")
        for text in texts:
            self.memories[self.next_id] = text
            self.next_id += 1

    def search(self, query: str, k: int) -> list[Hit]:
        self.calls.append("search")
        words = set(query.lower().split())
        hits = [Hit(id, text, float(len(words & set(text.lower().split())))) for id, text in self.memories.items()]
        return sorted(hits, key=lambda hit: -hit.score)[:k]

    def delete(self, id: str | int) -> None:
        self.calls.append("delete")
        del self.memories[int(id)]

    def close(self) -> None:
        self.calls.append("close")


@dataclass
class Answers:
    """An `ask` that gives these answers in order and keeps what it was asked, under which contract."""

    answers: list[str | Exception]
    asked: list[tuple[str, str]] = field(default_factory=list)
    contracts: list[Contract | None] = field(default_factory=list)

    def __call__(self, purpose: str, prompt: str, contract: Contract | None = None) -> str:
        self.asked.append((purpose, prompt))
        self.contracts.append(contract)
        answer = self.answers[len(self.asked) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def purposes(self) -> list[str]:
        return [purpose for purpose, _ in self.asked]
