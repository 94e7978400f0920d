"""Pages of Markdown from templates: texts from outside as plain text, rates in percent, and a case that went wrong."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from forgeteval.cases.case import Case, Mutation
from forgeteval.run.facts import wrong
from forgeteval.scoring.scorers import shows
from lethe.parquet import Row

DATA_FILES = ("case.md.j2",)
_CASE = Path(__file__).with_name(DATA_FILES[0])


@dataclass(frozen=True, slots=True)
class Shown:
    """A case that went wrong: what was told, asked and recalled.

    Attributes:
        measure: the rate that it counts against.
        asked_to: the mutations, in words.
        facts: those that count against the store, each with the wording that shows it or a part of it, and whether that
            was recalled.
    """

    measure: str
    case_id: str
    told: Sequence[str]
    asked_to: Sequence[str]
    query: str
    recalled: Sequence[str]
    facts: Sequence[tuple[str, str, bool]]


def first_wrong(
    measure: str, cases: Sequence[Case], trials: Mapping[tuple[str, str], Row], shown_as: str = ""
) -> Shown | None:
    """The first case that counts against a system under a rate, in the suite's order; None where there is none.

    Args:
        trials: rows of `lethe.schemas.TRIALS` of one system, by suite and case.
        shown_as: the rate as it is named there; `measure`, if empty.
    """
    for case in cases:
        trial = trials.get((case.suite, case.case_id))
        states = [] if trial is None else wrong(case, trial["verdict"], trial["present"])[measure]
        if trial is not None and states:
            inscribed, recalled = case.facts(), trial["recalled"]
            facts = [(inscribed[state.fact], state.any_of[0], shows(recalled, state.any_of)) for state in states]
            asked_to = [_in_words(mutation) for mutation in case.mutations]
            return Shown(
                shown_as or measure, case.case_id, case.setup_facts, asked_to, case.final_query, recalled, facts
            )
    return None


def _in_words(mutation: Mutation) -> str:
    by = f" by “{mutation.text}”" if mutation.text is not None else ""
    return f"{mutation.op} “{mutation.query}”{by}"


_CODE_OR_SIGN = re.compile(r"(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)|[\\<>&\[\]]")
_ESCAPED = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}


def _plain(text: str) -> str:
    """A text from outside on one line of Markdown: code stays code, and no link, image or HTML is one."""

    def escaped(found: re.Match[str]) -> str:
        return found[0] if found["ticks"] else _ESCAPED.get(found[0], f"\\{found[0]}")

    return _CODE_OR_SIGN.sub(escaped, " ".join(text.split()))


def _cell(text: str) -> str:
    """A text within a table of Markdown."""
    return _plain(text).replace("|", "\\|")


def _fenced(text: str) -> str:
    """A text of several lines from outside, as a block of code, which nothing in it ends."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}markdown\n{text.rstrip()}\n{fence}"


def _quoted(text: str) -> str:
    """A text of a case as code, on one line."""
    return f"`{' '.join(text.split()).replace('`', '′')}`"


def _percent(row: Mapping[str, float]) -> str:
    return f"{100 * row['rate']:.1f} % [{100 * row['low']:.1f}, {100 * row['high']:.1f}]"


TEMPLATES = jinja2.Environment(
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    loader=jinja2.DictLoader({DATA_FILES[0]: _CASE.read_text(encoding="utf-8")}),
)
TEMPLATES.filters.update(plain=_plain, cell=_cell, fenced=_fenced, quoted=_quoted, percent=_percent)
