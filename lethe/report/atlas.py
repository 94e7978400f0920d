"""The page of a system of the atlas: what it promises, what it did, what it leaves, and how that is repeated."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from forgeteval.cases.case import Case
from forgeteval.errors import printable
from forgeteval.files import read_file
from forgeteval.run.facts import MEASURES
from lethe.config.atlas import Entry, Recorded
from lethe.findings.markdown import TEMPLATES, Shown, first_wrong
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
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")
"""What acts on a terminal; a line's end alone is of the page."""
_LONGEST = 240
"""Signs of an error that are shown."""


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
    text = TEMPLATES.from_string(read_file(_PAGE).decode()).render(
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
    return _CONTROL.sub(lambda found: printable(found[0]), text)


_RATES = [(MAIN, LOST), *((MAIN, measure) for measure in MEASURES), *((LONG, measure) for measure in MEASURES)]


def _shown(cases: Sequence[Case], trials: Sequence[Row]) -> Iterator[Shown]:
    """The first case of each rate that the system fails, in the suite's order; of what was lost on writing too."""
    ran = {(row["suite"], row["case_id"]): row for row in trials}
    found = [first_wrong(measure, cases, ran) for measure in MEASURES]
    return filter(None, [*found, first_wrong("collateral", cases_as_told(cases), ran, LOST)])


def _traces(records: Iterable[Row]) -> Iterator[tuple[str, str, str, int]]:
    """What was found after what, as which kind, and in how many cases."""
    for row in trace_rows(records):
        if row["level"] in _AFTER and row["place"] != CLAIM:
            yield _AFTER[row["level"]], row["place"], row["trace"], row["cases"]
