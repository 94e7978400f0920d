"""Planners and a backend whose behaviour a test decides."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from forgeteval.planners.chat import Contract
from forgeteval.planners.protocol import Edit, Matches, Replace
from forgeteval.stores.contract import Hit


def simplified(text: str) -> str:
    """Only letters and digits, to recognise an entity in other capitals and separators."""
    return "".join(filter(str.isalnum, text.lower()))


class ReadingPlanner:
    """Decides by its inputs: memories with the target in any case and punctuation match; a memory "A; B" is edited."""

    def supersede(
        self, memory: str, query: str, new_fact: str, written: Sequence[str] | None = None
    ) -> Replace | Edit | None:
        if "undecided" in query:
            return None
        _, semicolon, rest = memory.partition("; ")
        return Edit(f"{new_fact}; {rest}", "the second clause stays") if semicolon else Replace("one clause")

    def purge_match(self, target: str, candidates: Sequence[str]) -> Matches | None:
        wanted = simplified(target)
        found = tuple(index for index, text in enumerate(candidates) if wanted in simplified(text))
        return Matches(found, f"holds {wanted}") if found else None

    def release_match(self, target: str, candidates: Sequence[str]) -> Matches | None:
        return self.purge_match(target, candidates)


class UncallablePlanner:
    """Fails the test that calls it."""

    def supersede(self, memory: str, query: str, new_fact: str) -> NoReturn:
        raise AssertionError("the planner was called")

    def purge_match(self, target: str, candidates: Sequence[str]) -> NoReturn:
        raise AssertionError("the planner was called")

    def release_match(self, target: str, candidates: Sequence[str]) -> NoReturn:
        raise AssertionError("the planner was called")


@dataclass
class FixedPlanner:
    """Gives one decision, or raises one error, to every question."""

    decision: Any = None
    error: Exception | None = None
    asked: list[tuple[str, ...]] = field(default_factory=list)

    def supersede(self, memory: str, query: str, new_fact: str) -> Any:
        return self._decide("supersede", memory, query, new_fact)

    def purge_match(self, target: str, candidates: Sequence[str]) -> Any:
        return self._decide("purge_match", target, *candidates)

    def release_match(self, target: str, candidates: Sequence[str]) -> Any:
        return self._decide("release_match", target, *candidates)

    def _decide(self, *question: str) -> Any:
        self.asked.append(question)
        if self.error is not None:
            raise self.error
        return self.decision


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
