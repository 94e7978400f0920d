"""The table of the atlas: memories that promise to forget, recorded, and what came of it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from forgeteval.run.facts import MEASURES
from lethe import schemas
from lethe.parquet import Row
from lethe.study.atlas import AtlasSystem
from lethe.study.erasure import ERROR, GONE, LOST, NA
from lethe.study.setup import Setup
from lethe.tables import cells
from lethe.tables.registry import table
from lethe.tables.sources import Source, record, rows_if
from lethe.tables.table import Cell, Table, numbers

_NOTHING = "nothing is recorded (docs/atlas.md)"
_PASSES = (("adversarial", "Adversarial"), ("held_out", "Held-out"), ("twins", "Twins"))
_LEFT = (("A3", "At once"), ("A4", "Compacted"), ("A5", "Restarted"))
_TRACES = ("text", "token")
_HEADER = (
    "System",
    *(title for _, title in _PASSES),
    *(measure.capitalize() for measure in MEASURES),
    *(title for _, title in _LEFT),
    "Recorded",
)
_GROUPS = (
    "",
    *["Passed (%)"] * len(_PASSES),
    *["Facts, adversarial (%)"] * len(MEASURES),
    *["Left in files"] * len(_LEFT),
    "",
)


def _recorded(table: schemas.Table) -> Source:
    return rows_if(table, lambda setup: setup.atlas)


@table(
    "atlas",
    inputs=(
        _recorded(schemas.ATLAS_SCORES),
        _recorded(schemas.ATLAS_FACTS),
        _recorded(schemas.ATLAS_ERASURE),
        record,
    ),
)
def atlas_table(scores: Sequence[Row], facts: Sequence[Row], erasure: Sequence[Row], setup: Setup) -> Table:
    """Each recorded configuration of the atlas: passes, rates of facts, what is left of an erased memory.

    Args:
        scores: rows of `lethe.schemas.ATLAS_SCORES`.
        facts: rows of `lethe.schemas.ATLAS_FACTS`.
        erasure: rows of `lethe.schemas.ATLAS_ERASURE`.
    """
    passed = {(row["system"], row["suite"]): row for row in scores}
    rates = {(row["system"], row["suite"], row["measure"]): row for row in facts}

    def line(name: str, label: str, system: AtlasSystem) -> list[Cell]:
        return [
            cells.label(f"{label} {system.version}"),
            *(_passes(passed.get((name, suite))) for suite, _ in _PASSES),
            *(_rate(rates.get((name, setup.adversarial_suite, measure))) for measure in MEASURES),
            *(_left(erasure, name, level) for level, _ in _LEFT),
            cells.text(system.day),
        ]

    shown = [
        line(name, label, system)
        for system in setup.atlas.values()
        if system.day
        for name, label in system.labels.items()
    ]
    return Table(
        "atlas",
        "The atlas: memories that promise to forget, run on the day in the last column and recorded. N/A and errors "
        "count against a pass. Leak, collateral and stale as in the table of states. Left in files: of the cases of "
        "the erasure audit, those in which a random word of the purged memory is still found in the system's files, as "
        "text or in an index of words: at once, after its own compaction, and after a restart.",
        _HEADER,
        [shown] if shown else [[cells.not_run_row(_NOTHING, len(_HEADER))]],
        list(_notes(setup.atlas)),
        wide=True,
        long=True,
        kinds=("label", *numbers(len(_HEADER) - 2), "label"),
        groups=_GROUPS,
    )


def _passes(score: Row | None) -> Cell:
    return cells.not_run("not recorded") if score is None else cells.passes_of(score["passed"], score["cases"])


def _rate(row: Row | None) -> Cell:
    return (
        cells.not_run("no such fact")
        if row is None
        else cells.share(row["rate"], row["low"], row["high"], row["facts"])
    )


def _left(erasure: Iterable[Row], name: str, level: str) -> Cell:
    """Cases in which the word is left as text or in an index of words, whichever are more, of those that could tell."""
    own = [row for row in erasure if (row["system"], row["level"]) == (name, level)]
    told = [row for row in own if row["place"] in _TRACES and row["verdict"] not in (NA, ERROR, LOST)]
    if not told:
        return cells.not_run("it has no compaction, keeps no files, or lost the other memory")
    cases = max(sum(row["cases"] for row in told if row["place"] == place) for place in _TRACES)
    left = (sum(row["cases"] for row in told if row["place"] == place and row["verdict"] != GONE) for place in _TRACES)
    return cells.fraction(max(left), cases)


def _notes(atlas: Mapping[str, AtlasSystem]) -> Iterator[str]:
    for name, system in atlas.items():
        if not system.day:
            yield f"{name}: nothing is recorded."
        elif not system.reviewed:
            yield f"{name}: its adapter was not yet read by anybody who did not write it."
        for suite, reason in system.not_shown.items():
            yield f"{name}, on {suite}: not shown: {reason}."
