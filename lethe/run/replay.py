"""The worker's side of a cross-evaluation: replay a history on an adapter, then ask every question of its final state.

This module runs in the systems' own environments: nothing is imported here that they do not have.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Protocol, runtime_checkable

from lethe.systems.hooked import HookedAdapter
from lethe.systems.protocol import Adapter, Hit, Partial


@runtime_checkable
class Searchable(Protocol):
    """A system with a retrieval of its own besides the one that the paper's Adapter recalls with."""

    def search(self, query: str, k: int) -> list[Hit]: ...


def replay(adapter: Adapter, history: Mapping[str, Any], k: int) -> dict[str, Any]:
    """Replay `history` (see `History.to_message`) and recall `k` rows for each question.

    A mutation that the system cannot express is passed over, so that the old row stays, and counted. With `hybrid`,
    a system that has a search of its own is asked by that.

    Returns:
        `inscribed`, `mutated` and `not_expressed` (operations), `inscribe_ms`, `mutate_ms`, `fallbacks`, `error`
        (what broke the replay, else None) and `answers`: for each question that was asked `[question_id, texts, ms,
        error]`.
    """
    done: dict[str, Any] = {"inscribed": 0, "mutated": 0, "not_expressed": 0, "inscribe_ms": 0.0, "mutate_ms": 0.0}
    done |= {"fallbacks": 0, "error": None, "answers": []}
    try:
        adapter.reset()
        for op, steps in _runs(history["operations"]):
            _apply(adapter, op, steps, done)
    except Exception as reason:  # noqa: BLE001 - whatever a measured system raises is its result
        done["error"] = _describe(reason)
        return done
    if isinstance(adapter, HookedAdapter):
        done["fallbacks"] = adapter.fallbacks
    recall = _recall(adapter, history["hybrid"])
    done["answers"] = [_answer(recall, question_id, text, k) for question_id, text in history["questions"]]
    return done


def _runs(operations: Sequence[Sequence[Any]]) -> Iterator[tuple[str, list[Sequence[Any]]]]:
    """Rows that are inscribed one after the other together, so that a system may add them at once."""
    for op, steps in groupby(operations, key=lambda operation: operation[0]):
        yield op, list(steps)


def _apply(adapter: Adapter, op: str, steps: Sequence[Sequence[Any]], done: dict[str, Any]) -> None:
    start = time.perf_counter()
    if op == "inscribe":
        adapter.inscribe([text for _, _, text in steps])
        done["inscribed"] += len(steps)
        done["inscribe_ms"] += (time.perf_counter() - start) * 1000
        return
    for _, query, text in steps:
        expressed = _mutate(adapter, op, query, text)
        done["mutated" if expressed else "not_expressed"] += 1
    done["mutate_ms"] += (time.perf_counter() - start) * 1000


def _mutate(adapter: Adapter, op: str, query: str, text: str | None) -> bool:
    """Supersede or purge; False where the system cannot express it."""
    if isinstance(adapter, Partial) and op in adapter.not_offered:
        return False
    try:
        if text is None:
            adapter.purge(query)
        else:
            adapter.supersede(query, text)
    except NotImplementedError:
        return False
    return True


def _recall(adapter: Adapter, hybrid: bool) -> Callable[[str, int], list[str]]:
    if not hybrid or not isinstance(adapter, Searchable):
        return adapter.recall_texts
    searchable = adapter
    return lambda query, k: [hit.text for hit in searchable.search(query, k)]


def _answer(recall: Callable[[str, int], list[str]], question_id: str, text: str, k: int) -> list[Any]:
    start = time.perf_counter()
    try:
        recalled, error = [_storable(found) for found in recall(text, k)], None
    except Exception as reason:  # noqa: BLE001 - likewise
        recalled, error = [], _describe(reason)
    return [question_id, recalled, (time.perf_counter() - start) * 1000, error]


def _describe(reason: Exception) -> str:
    return _storable(f"{type(reason).__name__}: {' '.join(str(reason).split())}"[:500])


def _storable(text: str) -> str:
    """The text with lone surrogates, which no file can hold as UTF-8, replaced."""
    return text.encode("utf-8", errors="replace").decode("utf-8")
