"""Running one case on one adapter: the trial record."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeVar

from lethe.cases.case import Case
from lethe.cases.scorers import score, substring_contains
from lethe.systems.protocol import Adapter, CaseAware, Inspectable, Partial, Prefillable

Verdict = Literal["pass", "fail", "na", "error"]
T = TypeVar("T")


@dataclass(slots=True)
class Trial:
    """What one system did on one case, once. The columns are described in `lethe.schemas.TRIALS`."""

    suite: str
    system: str
    model: str
    repetition: int
    case_id: str
    verdict: Verdict = "error"
    missing: list[str] = field(default_factory=list)
    leaked: list[str] = field(default_factory=list)
    recalled: list[str] = field(default_factory=list)
    probed_verdict: Verdict | None = None
    residue: int | None = None
    inscribe_ms: float = 0.0
    mutate_ms: float = 0.0
    recall_ms: float = 0.0
    llm_calls: int = 0
    llm_fallbacks: int = 0
    matcher_fallbacks: int = 0
    decisions: list[str] = field(default_factory=list)
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    error: str | None = None

    def to_row(self) -> dict[str, Any]:
        return asdict(self)


def run_trial(adapter: Adapter, case: Case, trial: Trial, k: int, haystack: Sequence[str] = ()) -> Trial:
    """Fill in `trial` by running `case` on `adapter`, recalling `k` rows.

    The unrelated rows of `haystack` stand in the store before the case's own facts; inscribing them is not timed.

    An operation the system cannot express makes it `na`, without being run where that is known beforehand; whatever
    else the system raises makes it `error`.
    """
    not_offered = adapter.not_offered if isinstance(adapter, Partial) else frozenset()
    needed = sorted({mutation.op for mutation in case.mutations} & not_offered)
    if needed:
        trial.verdict, trial.error = "na", f"not offered: {', '.join(needed)}"
        return trial
    try:
        _run(adapter, case, trial, k, haystack)
    except NotImplementedError as reason:
        trial.verdict, trial.error = "na", str(reason) or "not offered"
    except Exception as reason:  # noqa: BLE001 - whatever a measured system raises is its verdict
        trial.verdict = "error"
        trial.error = f"{type(reason).__name__}: {' '.join(str(reason).split())}"[:500]
    trial.error = None if trial.error is None else _storable(trial.error)
    trial.recalled = [_storable(text) for text in trial.recalled]
    return trial


def _run(adapter: Adapter, case: Case, trial: Trial, k: int, haystack: Sequence[str]) -> None:
    if isinstance(adapter, CaseAware):
        adapter.prepare(case)
    _reset_to(adapter, haystack)
    trial.inscribe_ms, _ = _timed(lambda: adapter.inscribe(case.setup_facts))
    trial.mutate_ms, _ = _timed(lambda: _mutate(adapter, case))
    trial.recall_ms, trial.recalled = _timed(lambda: adapter.recall_texts(case.final_query, k))

    scored = score(trial.recalled, case.must_contain, case.must_not_contain, substring_contains)
    trial.missing, trial.leaked = list(scored.missing), list(scored.leaked)
    trial.verdict = "pass" if scored.passed else "fail"
    reached = any(_reaches(adapter, forbidden, k) for forbidden in case.must_not_contain)
    trial.probed_verdict = "pass" if scored.passed and not reached else "fail"
    if isinstance(adapter, Inspectable):
        stored = adapter.stored_bytes().decode("utf-8", errors="replace").lower()
        trial.residue = sum(forbidden.lower() in stored for forbidden in case.must_not_contain)


def _reset_to(adapter: Adapter, haystack: Sequence[str]) -> None:
    if haystack and isinstance(adapter, Prefillable):
        adapter.reset_to(haystack)
        return
    adapter.reset()
    if haystack:
        adapter.inscribe(haystack)


def _storable(text: str) -> str:
    """The text with lone surrogates, which no file can hold as UTF-8, replaced."""
    return text.encode("utf-8", errors="replace").decode("utf-8")


def _mutate(adapter: Adapter, case: Case) -> None:
    for mutation in case.mutations:
        apply_mutation(adapter, mutation.op, mutation.query, mutation.text)


def apply_mutation(adapter: Adapter, op: str, query: str, text: str | None) -> None:
    """Call the adapter's method for one mutation; `text` is the new fact of a supersede."""
    if op == "supersede":
        if text is None:
            raise ValueError("supersede needs the new fact")
        adapter.supersede(query, text)
    elif op == "release":
        adapter.release(query)
    else:
        adapter.purge(query)


def _reaches(adapter: Adapter, forbidden: str, k: int) -> bool:
    """Does asking for a forbidden string directly bring it back?"""
    return any(substring_contains(text, forbidden) for text in adapter.recall_texts(forbidden, k))


def _timed(call: Callable[[], T]) -> tuple[float, T]:
    start = time.perf_counter()
    result = call()
    return (time.perf_counter() - start) * 1000, result
