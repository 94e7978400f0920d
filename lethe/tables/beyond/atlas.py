"""The tables of the atlas: memories that promise to forget, and what was recorded of them."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from forgeteval.run.facts import MEASURES
from lethe import schemas
from lethe.parquet import Row
from lethe.study.atlas import AtlasSystem
from lethe.study.erasure import CLAIM, ERROR, FALSE, GONE, LOST, NA, TRUE, UNCHECKED
from lethe.study.setup import Setup
from lethe.study.steps.score_atlas import LONG
from lethe.study.steps.score_atlas import LOST as NOT_WRITTEN
from lethe.tables import cells
from lethe.tables.registry import table
from lethe.tables.sources import Source, record, rows_if
from lethe.tables.table import Cell, Table, numbers

_NOTHING = "nothing is recorded (docs/atlas.md)"
_PASSES = (("adversarial", "Adversarial"), ("held_out", "Held-out"), ("twins", "Twins"))
LEFT = (("A3", "At once"), ("A4", "Compacted"), ("A5", "Restarted"))
SENTENCE, WORD = ("sentence",), ("text", "token")
"""The places of the audit that tell whether a sentence is left, or its random word."""
THE_SENTENCE, A_WORD, NO_TRACE = "the sentence", "its random word", "nothing"
_AFTER = {"A3": "after its deletion", "A4": "after its compaction", "A5": "after a restart"}
_DOES = {
    "leak": "of what it was to forget is there",
    "collateral": "of what had to stay is gone",
    "stale": "of what it replaced is there",
    NOT_WRITTEN: "of what it was told is lost on writing",
}
_HEADER = (
    "System",
    *(title for _, title in _PASSES),
    "Lost",
    *(measure.capitalize() for measure in MEASURES),
    *(f"{measure.capitalize()}, long" for measure in MEASURES),
    "Recorded",
)
_GROUPS = (
    "",
    *["Passed (%)"] * len(_PASSES),
    *["Facts, adversarial (%)"] * (1 + len(MEASURES)),
    *["Facts, long histories (%)"] * len(MEASURES),
    "",
)
_ERASURE_HEADER = (
    "System",
    *(f"{title}: sentence" for _, title in LEFT),
    *(f"{title}: word" for _, title in LEFT),
    "True",
    "False",
    "Unchecked",
)
_ERASURE_GROUPS = (
    "",
    *["Sentence left in files"] * len(LEFT),
    *["Word left in files"] * len(LEFT),
    *["What it claims of its erasure"] * 3,
)


def _recorded(table: schemas.Table) -> Source:
    return rows_if(table, lambda setup: setup.atlas)


@table("atlas", inputs=(_recorded(schemas.ATLAS_SCORES), _recorded(schemas.ATLAS_FACTS), record))
def atlas_table(scores: Sequence[Row], facts: Sequence[Row], setup: Setup) -> Table:
    """Each recorded configuration of the atlas: passes, and what became of each fact.

    Args:
        scores: rows of `lethe.schemas.ATLAS_SCORES`.
        facts: rows of `lethe.schemas.ATLAS_FACTS`.
    """
    passed = {(row["system"], row["suite"]): row for row in scores}
    rates = {(row["system"], row["suite"], row["measure"]): row for row in facts}
    main = setup.adversarial_suite

    def line(name: str, label: str, system: AtlasSystem) -> list[Cell]:
        return [
            cells.label(f"{label} {system.version}"),
            *(_passes(passed.get((name, suite))) for suite, _ in _PASSES),
            *(_rate(rates.get((name, main, measure))) for measure in (NOT_WRITTEN, *MEASURES)),
            *(_rate(rates.get((name, LONG, measure))) for measure in MEASURES),
            cells.text(system.day),
        ]

    shown = [line(*each) for each in recorded_systems(setup)]
    return Table(
        "atlas",
        "The atlas: memories that promise to forget, run on the day in the last column and recorded. N/A and errors "
        "count against a pass. Lost: of the facts told, those that do not come back by their own text before any "
        "mutation. Leak, collateral and stale as in the table of states, and as in that of the long histories.",
        _HEADER,
        [shown] if shown else [[cells.not_run_row(_NOTHING, len(_HEADER))]],
        list(_notes(setup.atlas, passed)),
        wide=True,
        long=True,
        kinds=("label", *numbers(len(_HEADER) - 2), "label"),
        groups=_GROUPS,
    )


@table(
    "atlas_promises",
    inputs=(_recorded(schemas.ATLAS_FACTS), _recorded(schemas.ATLAS_ERASURE), record),
    latex=False,
)
def atlas_promises_table(facts: Sequence[Row], erasure: Sequence[Row], setup: Setup) -> Table:
    """What each recorded configuration of the atlas promises, and what it does, in words.

    Args:
        facts: rows of `lethe.schemas.ATLAS_FACTS`.
        erasure: rows of `lethe.schemas.ATLAS_ERASURE`.
    """
    rates = {(row["system"], row["measure"]): row["rate"] for row in facts if row["suite"] == setup.adversarial_suite}

    def line(name: str, label: str, system: AtlasSystem) -> list[Cell]:
        own = [row for row in erasure if row["system"] == name]
        does = (f"{100 * rates[name, each]:.0f} % {said}" for each, said in _DOES.items() if (name, each) in rates)
        kept = {title: left_over(own, level) for level, title in _AFTER.items()}
        stays = (f"{title} {what}" for title, what in kept.items() if what)
        return [
            cells.label(f"{label} {system.version}"),
            cells.text(system.promise),
            cells.text("; ".join(does)),
            cells.text("; ".join(stays)),
            cells.text("yes" if system.reviewed else "no"),
        ]

    header = ("System", "It promises", "It does", "In its files", "Read by a second")
    shown = [line(*each) for each in recorded_systems(setup)]
    return Table(
        "atlas_promises",
        "The atlas: what each system promises on forgetting, and what it does. Rates of the adversarial suite, as in "
        "the table before. A page of each, with cases, is in docs/atlas.",
        header,
        [shown] if shown else [[cells.not_run_row(_NOTHING, len(header))]],
        wide=True,
        long=True,
    )


@table("atlas_erasure", inputs=(_recorded(schemas.ATLAS_ERASURE), record))
def atlas_erasure_table(erasure: Sequence[Row], setup: Setup) -> Table:
    """What each recorded configuration of the atlas leaves in its files of what it erased, and what it says about that.

    Args:
        erasure: rows of `lethe.schemas.ATLAS_ERASURE`.
    """

    def line(name: str, label: str, system: AtlasSystem) -> list[Cell]:
        own = [row for row in erasure if row["system"] == name]
        return [
            cells.label(f"{label} {system.version}"),
            *(_left(own, level, places) for places in (SENTENCE, WORD) for level, _ in LEFT),
            *_claims(own),
        ]

    shown = [line(*each) for each in recorded_systems(setup)]
    return Table(
        "atlas_erasure",
        "The atlas, erasure audit: of the cases, those in which the sentence of a purged memory, or its random word "
        "alone, is still in the system's files: after its strongest deletion, after its own compaction, and after a "
        "restart. Not seen: it has no files, or even before the purge no trace was found in them, as where they are "
        "encrypted. Claims: what the system says itself of an erasure (a certificate, a receipt, a proof), against "
        "what is there.",
        _ERASURE_HEADER,
        [shown] if shown else [[cells.not_run_row(_NOTHING, len(_ERASURE_HEADER))]],
        wide=True,
        long=True,
        kinds=("label", *numbers(len(_ERASURE_HEADER) - 1)),
        groups=_ERASURE_GROUPS,
    )


def recorded_systems(setup: Setup) -> Iterator[tuple[str, str, AtlasSystem]]:
    """Name, label and system of each configuration of the atlas that is recorded."""
    for system in setup.atlas.values():
        if system.day:
            yield from ((name, label, system) for name, label in system.labels.items())


def left_in_files(own: Iterable[Row], level: str, places: Sequence[str]) -> tuple[int, int] | None:
    """In how many cases something is left at a level, at whichever place it is in most, of how many that could tell.

    None where none could.

    Args:
        own: rows of `lethe.schemas.ATLAS_ERASURE` of one configuration.
    """
    told = Counter[str]()
    left = Counter[str]()
    for row in own:
        if row["level"] == level and row["place"] in places and row["verdict"] not in (NA, ERROR, LOST):
            told[row["place"]] += row["cases"]
            left[row["place"]] += row["cases"] * (row["verdict"] != GONE)
    return (max(left.values()), max(told.values())) if told else None


def left_over(own: Sequence[Row], level: str) -> str:
    """What is left at a level in any case, in words; empty where nobody could tell.

    Args:
        own: rows of `lethe.schemas.ATLAS_ERASURE` of one configuration.
    """
    sentence, word = (left_in_files(own, level, places) for places in (SENTENCE, WORD))
    if sentence and sentence[0]:
        return THE_SENTENCE
    return "" if word is None else A_WORD if word[0] else NO_TRACE


def _passes(score: Row | None) -> Cell:
    return cells.not_run("not recorded") if score is None else cells.passes_of(score["passed"], score["cases"])


def _rate(row: Row | None) -> Cell:
    return (
        cells.not_run("not recorded")
        if row is None
        else cells.share(row["rate"], row["low"], row["high"], row["facts"])
    )


def _left(own: Sequence[Row], level: str, places: Sequence[str]) -> Cell:
    found = left_in_files(own, level, places)
    if found:
        return cells.fraction(*found)
    lacking = any((row["level"], row["place"], row["verdict"]) == (level, "compaction", NA) for row in own)
    return cells.not_run("no compaction" if lacking else "not seen")


def _claims(own: Iterable[Row]) -> list[Cell]:
    claimed = Counter[str]()
    for row in own:
        if row["place"] == CLAIM:
            claimed[row["verdict"]] += row["cases"]
    if not claimed:
        return [cells.not_run("it claims nothing"), cells.DASH, cells.DASH]
    return [cells.count(claimed[verdict]) for verdict in (TRUE, FALSE, UNCHECKED)]


def _notes(atlas: Mapping[str, AtlasSystem], passed: Collection[tuple[str, str]]) -> Iterator[str]:
    groups = {
        "Nothing is recorded": [name for name, system in atlas.items() if not system.day],
        "Adapters that nobody has read but who wrote them": [
            name for name, system in atlas.items() if system.day and not system.reviewed
        ],
    }
    yield from (f"{said}: {', '.join(names)}." for said, names in groups.items() if names)
    for name, system in atlas.items():
        others = {
            suite: "recorded on other cases"
            for suite in system.suites
            if not any((configuration, suite) in passed for configuration in system.labels)
        }
        for suite, reason in {**system.not_shown, **others}.items():
            yield f"{name}, on {suite}: not shown: {reason}."
