"""How judges agree: with Stage 1, which admitted every written case, and with one another."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from forgeteval.errors import UserError
from lethe.parquet import Row
from lethe.study.remarks import MOST_BROKEN


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
    def unjudged(self) -> int:
        return self.unusable + self.errors

    @property
    def cases(self) -> int:
        return self.judged + self.unjudged

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


@dataclass(frozen=True, slots=True)
class Unjudged:
    """A judge of which more than `MOST_BROKEN` of the judgements on a suite are no verdict."""

    suite: str
    label: str
    counts: Tally

    def __str__(self) -> str:
        found = self.counts
        share = f"{found.unjudged} of {found.cases} judgements are no verdict, more than a tenth"
        kinds = f"{found.unusable} without a usable answer, {found.errors} without any"
        return f"{self.label} on {self.suite}: {share} ({kinds}); its numbers say little of it."


def unjudged_among(rows: Iterable[Row], labels: Mapping[str, str] | None = None) -> Iterator[Unjudged]:
    """Those among rows of `lethe.schemas.JUDGEMENTS`; a judge without a label is called by its name."""
    for (judge, suite), counts in tallies(rows, lambda row: row["suite"]).items():
        if counts.unjudged > MOST_BROKEN * counts.cases:
            yield Unjudged(suite, (labels or {}).get(judge, judge), counts)


def require_judgements(rows: Iterable[Row]) -> None:
    """Raise UserError, naming the first, where no judgement of a judge on a suite is a verdict."""
    by_judge: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        by_judge.setdefault((row["judge"], row["suite"]), []).append(row)
    for (judge, suite), judged in by_judge.items():
        if tally(judged).judged:
            continue
        errors = [row["error"] for row in judged if row["verdict"] == "error"]
        first = f", the first of {len(errors)} errors: {errors[0]}" if errors else ""
        raise UserError(
            f"judge {judge}: none of {len(judged)} judgements on {suite} is a verdict{first}; the tables say so, and "
            f"results/logs/judging/{suite}/{judge}.log says why; correct models.{judge}, remove "
            f"results/judging/{suite}/{judge}.parquet and run it again"
        )
