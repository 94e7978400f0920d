"""The page of a system of the atlas: what it promises, what it did, what it leaves, and how that is repeated."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from forgeteval.cases.case import Case, Mutation
from forgeteval.files import read_file
from forgeteval.run.facts import MEASURES, wrong
from forgeteval.scoring.scorers import shows
from lethe.config.atlas import Entry, Recorded
from lethe.parquet import Row
from lethe.stored.cases import cases_as_told
from lethe.study.erasure import CLAIM, claim_rows, trace_rows
from lethe.study.steps.score_atlas import LONG, LOST
from lethe.tables.beyond.atlas import LEFT, SENTENCE, WORD, left_in_files

DATA_FILES = ("atlas.md.j2",)
_PAGE = Path(__file__).with_name(DATA_FILES[0])
MAIN = "adversarial"
"""The suite whose facts and cases are shown."""
_AFTER = {"A3": "its deletion", "A4": "its own compaction", "A5": "a restart"}
_OF_SQLITE = re.compile(r"\((table|index|full-text index|write-ahead log|free page)")
"""A trace in a file of SQLite."""
_LONGEST = 240
"""Signs of an error that are shown."""


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
    case: Case
    asked_to: Sequence[str]
    recalled: Sequence[str]
    facts: Sequence[tuple[str, str, bool]]


def atlas_page(
    name: str,
    entry: Entry,
    found: Recorded,
    cases: Mapping[str, Sequence[Case]],
    trials: Sequence[Row],
    records: Sequence[Row],
    counted: Mapping[str, Sequence[Row]],
    install: str,
    made_from: str,
) -> str:
    """The page as Markdown, for the first of the system's configurations.

    Args:
        cases: of each suite of the record.
        trials, records: what is kept: rows of `lethe.schemas.TRIALS` and `ERASURE_RECORDS`.
        counted: rows of `ATLAS_SCORES`, `ATLAS_FACTS` and `ATLAS_ERASURE`, by the names of the step `score_atlas`.
        install: the line of a shell that installs the version that was run.
        made_from: fingerprint of the entry and the record.
    """
    system = next(iter(entry.systems))
    own = {kind: [row for row in rows if row["system"] == system] for kind, rows in counted.items()}
    rates = {(row["suite"], row["measure"]): row for row in own["facts"]}
    ran = [row for row in trials if row["system"] == system]
    traces = list(_traces(row for row in records if row["system"] == system))
    return _TEMPLATES.from_string(read_file(_PAGE).decode()).render(
        name=name,
        system=system,
        label=entry.systems[system].label,
        entry=entry,
        found=found,
        scores=own["scores"],
        rates=[(suite, measure, rates.get((suite, measure))) for suite, measure in _RATES],
        other_cases=sorted(found.suites.keys() - {row["suite"] for row in own["scores"]}),
        shown=list(_shown(cases.get(MAIN, ()), ran)),
        left=[
            (_AFTER[level], left_in_files(own["erasure"], level, SENTENCE), left_in_files(own["erasure"], level, WORD))
            for level, _ in LEFT
        ],
        traces=traces,
        sqlite_seen=any(_OF_SQLITE.search(trace) for _, _, trace, _ in traces),
        claims=Counter(
            (_AFTER[row["level"]], row["verdict"], *(row["detail"] if len(row["detail"]) > 1 else ("", *row["detail"])))
            for row in claim_rows(records)
            if row["system"] == system
        ),
        broken=Counter(
            (row["suite"], row["verdict"], " ".join((row["error"] or "").split())[:_LONGEST])
            for row in ran
            if row["verdict"] in ("na", "error")
        ),
        install=install,
        made_from=made_from,
        others=list(entry.systems)[1:],
    )


_RATES = [(MAIN, LOST), *((MAIN, measure) for measure in MEASURES), *((LONG, measure) for measure in MEASURES)]


def _shown(cases: Sequence[Case], trials: Sequence[Row]) -> Iterator[Shown]:
    """The first case of each rate that the system fails, in the suite's order; of what was lost on writing too."""
    ran = {(row["suite"], row["case_id"]): row for row in trials}
    for measure in MEASURES:
        yield from _first(measure, measure, cases, ran)
    yield from _first(LOST, "collateral", cases_as_told(cases), ran)


def _first(shown_as: str, measure: str, cases: Sequence[Case], ran: Mapping[tuple[str, str], Row]) -> Iterator[Shown]:
    for case in cases:
        trial = ran.get((case.suite, case.case_id))
        states = [] if trial is None else wrong(case, trial["verdict"], trial["present"])[measure]
        if trial is not None and states:
            told = case.facts()
            recalled = trial["recalled"]
            facts = [(told[state.fact], state.any_of[0], shows(recalled, state.any_of)) for state in states]
            yield Shown(shown_as, case, [_in_words(each) for each in case.mutations], recalled, facts)
            return


def _in_words(mutation: Mutation) -> str:
    by = f" by “{mutation.text}”" if mutation.text is not None else ""
    return f"{mutation.op} “{mutation.query}”{by}"


def _traces(records: Iterable[Row]) -> Iterator[tuple[str, str, str, int]]:
    """What was found after what, as which kind, and in how many cases."""
    for row in trace_rows(records):
        if row["level"] in _AFTER and row["place"] != CLAIM:
            yield _AFTER[row["level"]], row["place"], row["trace"], row["cases"]


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


def _percent(row: Row) -> str:
    return f"{100 * row['rate']:.1f} % [{100 * row['low']:.1f}, {100 * row['high']:.1f}]"


_TEMPLATES = jinja2.Environment(
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
_TEMPLATES.filters.update(plain=_plain, cell=_cell, fenced=_fenced, quoted=_quoted, percent=_percent)
