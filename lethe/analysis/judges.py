"""How judges agree: with Stage 1, which admitted every authored case, and with one another."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lethe.errors import LetheError

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tally:
    """How many cases a judge admitted and rejected, and on how many it gave no verdict."""

    admitted: int
    rejected: int
    unusable: int
    errors: int

    @property
    def judged(self) -> int:
        return self.admitted + self.rejected

    @property
    def agreement(self) -> float | None:
        """Share admitted of the cases with a verdict: agreement with Stage 1; None where there is none."""
        return self.admitted / self.judged if self.judged else None


def tally(rows: Iterable[Row]) -> Tally:
    """Count the verdicts of rows of `lethe.schemas.JUDGEMENTS`."""
    found = Counter(row["verdict"] for row in rows)
    return Tally(found["admit"], found["reject"], found["unusable"], found["error"])


def tallies(rows: Iterable[Row], part: Callable[[Row], str]) -> dict[tuple[str, str], Tally]:
    """(judge, part of the suite) to what the judge made of it; `part` names a row's part."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["judge"], part(row)), []).append(row)
    return {key: tally(group) for key, group in groups.items()}


def equal_verdicts(rows: Iterable[Row]) -> dict[tuple[str, str], tuple[int, int]]:
    """(judge, judge) to the number of cases with equal verdicts, and of cases on which both gave one."""
    verdicts: dict[str, dict[tuple[str, str], str]] = {}
    for row in rows:
        given = verdicts.setdefault(row["judge"], {})
        if row["verdict"] in ("admit", "reject"):
            given[row["suite"], row["case_id"]] = row["verdict"]
    matrix = {}
    for first, of_first in verdicts.items():
        for second, of_second in verdicts.items():
            both = of_first.keys() & of_second.keys()
            matrix[first, second] = sum(of_first[case] == of_second[case] for case in both), len(both)
    return matrix


def require_judgements(rows: Iterable[Mapping[str, Any]]) -> None:
    """Raise LetheError, naming the first, where every judgement of a judge ended in an error."""
    by_judge: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        by_judge.setdefault(row["judge"], []).append(row)
    for judge, judged in by_judge.items():
        if all(row["verdict"] == "error" for row in judged):
            raise LetheError(
                f"judge {judge}: every judgement is an error, the first: {judged[0]['error']}; the tables say so; "
                f"mend models.{judge} and remove results/judging/{judged[0]['suite']}/{judge}.parquet to run it again"
            )
