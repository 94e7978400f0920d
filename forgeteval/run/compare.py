"""Whether one store is better than another, on the same cases."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from forgeteval.cases.interchange import said_otherwise
from forgeteval.errors import UserError
from forgeteval.run.results import Results
from forgeteval.scoring.paired import bootstrap_differences, mcnemar_exact

_COMPARABLE = ("k", "embedder", "case_timeout_s")
"""Settings that a comparison names where they differ, beside the policies; the titles tell a hook."""
_LEVEL = 0.05
_RESAMPLES, _SEED = 10_000, 42


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two results on the same cases, case by case.

    Attributes:
        first, second: names of the stores, with those of their hooks.
        both, first_only, second_only, neither: ids of the cases that are passed by both, by one alone, by none.
        low, high: 95 % interval of the difference of pass rates, first minus second, cases resampled together.
        p: of McNemar's exact test.
        differing: the settings that differ, those of the first before those of the second: `("k 10", "k 3")`.
        left_out: how many cases only one of both ran.
    """

    first: str
    second: str
    both: tuple[str, ...]
    first_only: tuple[str, ...]
    second_only: tuple[str, ...]
    neither: tuple[str, ...]
    low: float
    high: float
    p: float
    differing: tuple[str, ...] = ()
    left_out: int = 0

    @property
    def cases(self) -> int:
        """How many cases are compared."""
        return len(self.both) + len(self.first_only) + len(self.second_only) + len(self.neither)

    @property
    def difference(self) -> float:
        """Pass rate of the first minus that of the second, a fraction."""
        return (len(self.first_only) - len(self.second_only)) / self.cases

    @property
    def is_better(self) -> bool | None:
        """Whether the first is better: True, False (the second is), or None where the cases cannot tell them apart at
        the level of 5 %."""
        if self.p >= _LEVEL:
            return None
        return len(self.first_only) > len(self.second_only)

    def __str__(self) -> str:
        counted = f"{len(self.first_only)} cases are passed by {self.first} alone, {len(self.second_only)} by "
        difference = f"difference {self.difference:+.1%} [{self.low:+.1%}, {self.high:+.1%}], p = {self.p:.3g}"
        note = f" They ran with other settings: {', '.join(self.differing)}." if self.differing else ""
        note += f" Cases that only one of both ran are left out: {self.left_out}." if self.left_out else ""
        return f"{self._verdict()}: {counted}{self.second} alone, of {self.cases}; {difference}.{note}"

    def _verdict(self) -> str:
        better = self.is_better
        if better is None:
            return f"These cases do not tell {self.first} and {self.second} apart"
        return f"{self.first} is {'better' if better else 'worse'} than {self.second}"


def compare(first: Results, second: Results) -> Comparison:
    """Whether the first store is better than the second on the cases that both ran, paired.

    N/A and errors count as not passed. Settings that differ, such as k, are named.

    >>> from forgeteval import evaluate
    >>> from forgeteval.stores.controls import Null, Verbatim
    >>> found = compare(evaluate(Verbatim, suite="twins"), evaluate(Null, suite="twins"))
    >>> found.is_better, len(found.first_only), len(found.second_only)
    (True, 150, 0)

    Raises:
        UserError: where they are of different suites, or of cases that say something else.
    """
    for given in (first, second):
        if not isinstance(given, Results):
            raise UserError(f"compare: takes two Results, not {type(given).__name__}; Results.load reads a file")
    if first.suite.sha256 != second.suite.sha256:
        names = f"{first.suite.name} ({first.suite.sha256[:12]}) and {second.suite.name} ({second.suite.sha256[:12]})"
        raise UserError(f"these are results on different cases, {names}; run both on the same suite")
    otherwise = said_otherwise(first.cases, second.cases)
    if otherwise:
        raise UserError(
            f"these results are on different cases: {len(otherwise)} say something else in the second, such as "
            f"{otherwise[0]!r:.80}; run both on the same suite"
        )
    other = {trial.case_id: trial.verdict == "pass" for trial in second.trials}
    passed = {trial.case_id: trial.verdict == "pass" for trial in first.trials if trial.case_id in other}
    if not passed:
        raise UserError("these results have no case in common; run both on the same cases")
    groups: dict[tuple[bool, bool], list[str]] = {}
    for case_id, passes in passed.items():
        groups.setdefault((passes, other[case_id]), []).append(case_id)
    shares = {
        "first": np.array([float(passes) for passes in passed.values()]),
        "second": np.array([float(other[case_id]) for case_id in passed]),
    }
    low, high = bootstrap_differences(shares, _RESAMPLES, _SEED)["first", "second"]
    both, first_only, second_only, neither = (
        tuple(groups.get(key, ())) for key in ((True, True), (True, False), (False, True), (False, False))
    )
    p = mcnemar_exact(len(first_only), len(second_only))
    differ, left_out = differing(first.settings, second.settings), len(first.trials) + len(other) - 2 * len(passed)
    titles = first.title, second.title
    return Comparison(*titles, both, first_only, second_only, neither, low, high, p, differ, left_out)


def differing(first: Mapping[str, Any], second: Mapping[str, Any], *also: str) -> tuple[str, ...]:
    """The settings of two runs that differ, those of the first before those of the second.

    Args:
        also: further settings that are compared, such as the hook where nothing else tells it.
    """
    hooked = None not in (first.get("hook"), second.get("hook"))
    one, other = (_compared(settings, hooked, *also) for settings in (first, second))
    names = [name for name in one | other if one.get(name) != other.get(name)]
    return tuple(f"{name} {settings.get(name)}" for settings in (one, other) for name in names)


def _compared(settings: Mapping[str, Any], hooked: bool, *also: str) -> dict[str, Any]:
    """The settings of a run that a comparison names, and each of its policies."""
    policies = settings.get("policies")
    found = {name: settings.get(name) for name in (*_COMPARABLE, *also, *(["unsure"] if hooked else []))}
    return found | (policies if isinstance(policies, dict) else {})
