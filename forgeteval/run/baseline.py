"""A baseline: what a store came to before, so that only what got worse counts against it."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from forgeteval.cases.case import Case
from forgeteval.cases.interchange import said_otherwise
from forgeteval.errors import UserError
from forgeteval.files import write_text
from forgeteval.json_records import from_json, read_object
from forgeteval.run.results import Results
from forgeteval.run.trials import Verdict

BASELINE_VERSION = 1
"""Of the file; docs/results-json.md."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The verdicts of an earlier run.

    Attributes:
        suite, sha256: which cases; see `forgeteval.cases.library.Suite`.
        verdicts: by the case's id.
        k: of how many texts a recall was; None where its file does not say.
        cases: what they say, where it was read from results; its own file does not hold them.
    """

    suite: str
    sha256: str
    verdicts: Mapping[str, Verdict]
    k: int | None = field(default=None, compare=False)
    cases: tuple[Case, ...] = field(default=(), compare=False, repr=False)

    @classmethod
    def of(cls, results: Results) -> "Baseline":
        """The baseline that results give."""
        verdicts = {trial.case_id: trial.verdict for trial in results.trials}
        return cls(results.suite.name, results.suite.sha256, verdicts, results.settings.get("k"), results.cases)

    @classmethod
    def read(cls, path: str | Path) -> "Baseline":
        """The baseline of a file that `forgeteval run --write-baseline` or `--out` wrote.

        Raises:
            UserError: where it is neither.
        """
        file = Path(path)
        told = read_object(file, f"`forgeteval run STORE --write-baseline {file}` writes it")
        if "schema_version" in told:
            return cls.of(Results.load(file))
        version = told.pop("baseline_version", None)
        if version != BASELINE_VERSION or version is True:
            raise UserError(
                f"{file}: no baseline of version {BASELINE_VERSION}; `forgeteval run --write-baseline FILE` writes one"
            )
        try:
            if "cases" in told:
                raise KeyError("cases")
            return from_json(cls, told)
        except (KeyError, TypeError) as error:
            raise UserError(
                f"{file}: no baseline ({error!r:.200}); `forgeteval run --write-baseline FILE` writes one"
            ) from error

    def save(self, path: str | Path) -> None:
        """Write it with a case a line, so that a difference of two versions is read easily.

        Raises:
            UserError: where it cannot be written.
        """
        told = {
            "baseline_version": BASELINE_VERSION,
            "suite": self.suite,
            "sha256": self.sha256,
            "k": self.k,
            "verdicts": dict(self.verdicts),
        }
        write_text(Path(path), json.dumps(told, ensure_ascii=False, indent=1) + "\n")

    def check_suite(self, name: str, sha256: str, cases: Iterable[Case]) -> None:
        """Raise UserError where these are other cases than the baseline's."""
        if sha256 != self.sha256:
            raise UserError(
                f"the baseline is of other cases ({self.suite}, {self.sha256[:12]}) than these ({name}, "
                f"{sha256[:12]}); run on those, or write it anew with --write-baseline"
            )
        otherwise = said_otherwise(cases, self.cases)
        if otherwise:
            raise UserError(
                f"the baseline is of other cases: {len(otherwise)} say something else in {name}, such as "
                f"{otherwise[0]!r:.80}; run on those, or write it anew with --write-baseline"
            )

    def known(self, results: Results) -> int:
        """Of how many of these trials the baseline has the case."""
        return sum(trial.case_id in self.verdicts for trial in results.trials)

    def check_cases(self, results: Results) -> None:
        """Raise UserError where it has none of the cases that ran."""
        if results.trials and not self.known(results):
            raise UserError(
                f"the baseline has none of the {len(results.trials)} cases that ran; run its cases, or leave "
                "--baseline out and write one with --write-baseline"
            )

    def worse(self, results: Results) -> list[str]:
        """A line for each case that got worse: that was passed and no longer is, or in which the store now breaks.

        A case that the baseline does not have got no worse.

        Raises:
            UserError: where the results are of other cases.
        """
        self.check_suite(results.suite.name, results.suite.sha256, results.cases)
        return [
            f"{trial.case_id} was {before}, is {trial.verdict}"
            for trial in results.trials
            if (before := self.verdicts.get(trial.case_id)) is not None and got_worse(before, trial.verdict)
        ]

    def better(self, results: Results) -> int:
        """How many cases got better: passed and were not before, or the store broke in them and no longer does."""
        return sum(
            (before := self.verdicts.get(trial.case_id)) is not None and got_worse(trial.verdict, before)
            for trial in results.trials
        )

    def knows_errors(self, results: Results) -> bool:
        """Whether the store broke in each case before in which it breaks now."""
        return all(self.verdicts.get(trial.case_id) == "error" for _, trial in results.errors())


def got_worse(before: Verdict, now: Verdict) -> bool:
    """Whether a verdict is worse than an earlier one: a pass that is lost, or an error that is new.

    >>> got_worse("pass", "na"), got_worse("fail", "error"), got_worse("na", "fail")
    (True, True, False)
    """
    return before != now and (before == "pass" or now == "error")
