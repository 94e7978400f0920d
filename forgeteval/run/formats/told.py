"""What is told of a trial in a line, or in full, whatever the store returned."""

from forgeteval.cases.case import Case
from forgeteval.errors import printable
from forgeteval.run.shown import case_lines
from forgeteval.run.trials import Trial


def why(trial: Trial) -> str:
    """Why a trial is not a pass, in one line.

    >>> why(Trial("adversarial", "Store", "", 0, "trap-01", "fail", missing=["Tartu"], leaked=["Ghent", "Gent"]))
    "missing 'Tartu'; leaked 'Ghent', 'Gent'"
    """
    parts = {"missing": trial.missing, "leaked": trial.leaked}
    said = "; ".join(f"{name} {', '.join(map(repr, texts))}" for name, texts in parts.items() if texts)
    return printable(trial.error or said or trial.verdict)


def in_full(case: Case, trial: Trial) -> str:
    """The lines of a case and what came of it, in which nothing acts on a terminal or a parser of XML."""
    return "\n".join(printable(line) for line in case_lines(case, trial))
