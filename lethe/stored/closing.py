"""What is said of a file of trials with a chat model once it is there: errors, and decisions that fell back."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from forgeteval.planners.llm.reading import MORE_TOKENS
from lethe.parquet import Row


def closing_lines(path: Path, trials: Sequence[Row], live: bool, recorded: tuple[int, int] = (0, 0)) -> Iterator[str]:
    """Lines with the remedy where trials broke, and where the store decided in the model's place; and one where some
    answers were recorded ones, and others not.

    Args:
        live: whether the model may be asked again.
        recorded: how many of the answers to these trials were recorded ones, and how many there are.
    """
    errors = [trial["error"] for trial in trials if trial["verdict"] == "error"]
    if errors:
        remedy = f"; to run them again: rm {path} and the same command" if live else ""
        yield f"{path}: {len(errors)} of {len(trials)} trials are errors, the first: {errors[0]}{remedy}"
    if fell := fell_back(trials):
        yield f"{path}: {fell}"
    if 0 < recorded[0] < recorded[1]:
        yield f"{path}: {recorded[0]} of {recorded[1]} answers were recorded, the others asked of the model here"


def usage_lines(path: Path, unreported: int, cut_off: int, live: bool) -> Iterator[str]:
    """Lines where answers of a model came without their tokens, and, with the remedy, where they reached their limit.

    Args:
        live: whether the model may be asked again.
    """
    if unreported:
        most = "which count as none; their price, where there is one, is the most that they may cost"
        yield f"{path}: {unreported} answers of the model came without their tokens, {most}"
    if cut_off and live:
        yield f"{path}: {cut_off} answers of the model were cut off (finish_reason length); {MORE_TOKENS}"


def fell_back(trials: Sequence[Row]) -> str:
    """How many decisions fell back to the store's own policy; empty for none."""
    decisions = sum(len(trial["decisions"]) for trial in trials)
    fallbacks = sum(trial["llm_fallbacks"] for trial in trials)
    if not fallbacks:
        return ""
    said = "; this is the store alone, no result of the model" if fallbacks == decisions else ""
    return f"{fallbacks} of {decisions} decisions fell back to the store's own policy{said}"
