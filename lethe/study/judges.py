"""How judges agree: with Stage 1, which admitted every written case, and with one another."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from forgeteval.errors import UserError
from lethe.parquet import Row


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
    """The tally of each (judge, part of the suite); `part` names the part of a row."""
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


def require_judgements(rows: Iterable[Row]) -> None:
    """Raise UserError, naming the first, where every judgement of a judge ended in an error."""
    by_judge: dict[str, list[Row]] = {}
    for row in rows:
        by_judge.setdefault(row["judge"], []).append(row)
    for judge, judged in by_judge.items():
        if all(row["verdict"] == "error" for row in judged):
            raise UserError(
                f"judge {judge}: every judgement is an error, the first: {judged[0]['error']}; the tables say so; "
                f"correct models.{judge}, remove results/judging/{judged[0]['suite']}/{judge}.parquet and run it again"
            )
