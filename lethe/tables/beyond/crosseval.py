"""The tables of the cross-evaluations: measured here, and below or next to that what the paper printed."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from lethe import schemas
from lethe.config.configurations import configuration_name
from lethe.crosseval.evidence import READINGS
from lethe.crosseval.locomo import FIRST_FIVE
from lethe.crosseval.memora import TASKS
from lethe.parquet import Row
from lethe.schemas import ALL, CROSSEVAL_EVIDENCE, CROSSEVAL_SCORES, CROSSEVAL_SIZES
from lethe.study import inputs
from lethe.study.evidence import HALVES, OWN
from lethe.study.inputs import PUBLISHED, Input, given, paths_of
from lethe.study.joining import SAID
from lethe.study.published import Published
from lethe.study.results import reason_lines
from lethe.study.setup import Benchmark, Setup
from lethe.tables import cells
from lethe.tables.registry import table
from lethe.tables.sources import Source
from lethe.tables.table import Cell, Rows, Table
from lethe.tables.words import words, words_within

_TYPES = (
    "knowledge-update",
    "multi-session",
    "single-session-assistant",
    "single-session-preference",
    "single-session-user",
    "temporal-reasoning",
)
Rest = Callable[[Row], list[Cell]]
_SHARES = (
    ("turns_at_5", "Turns, R@5"),
    ("turns_at_10", "Turns, R@10"),
    ("sessions_at_5", "Sessions, R@5"),
    ("sessions_at_10", "Sessions, R@10"),
)
_OTHER_DATA = "The data are not those that their authors released: their checksum is another."
_RATES = (("recall_at_1", "R@1"), ("recall_at_5", "R@5"), ("recall_at_10", "R@10"), ("ndcg_at_10", "NDCG@10"))


@dataclass(frozen=True, slots=True)
class CrossevalResults:
    """What a table is made of.

    Attributes:
        scores, sizes: rows of `lethe.schemas.CROSSEVAL_SCORES` and `CROSSEVAL_SIZES` of one benchmark; none where it
            was not run.
    """

    scores: Sequence[Row]
    benchmark: Benchmark
    setup: Setup
    published: Published
    sizes: Sequence[Row] = ()

    def score(self, name: str, cut: str = "overall", value: str = ALL) -> Row | None:
        """One score; None where the configuration did not run there."""
        wanted = (name, cut, value)
        return next((s for s in self.scores if (configuration_name(s), s["cut"], s["value"]) == wanted), None)

    def ran(self) -> list[str]:
        """The configurations that ran, controls last."""
        present = {configuration_name(score) for score in self.scores}
        found = [name for name in self.setup.configurations if name in present]
        return sorted(found, key=lambda name: self.setup.configurations[name].regime == "control")

    def overall(self) -> Iterable[tuple[str, Row]]:
        """The configurations that ran with their scores over all questions."""
        return ((name, score) for name in self.ran() if (score := self.score(name)) is not None)

    def label(self, name: str) -> str:
        """A configuration's name in the tables."""
        return self.setup.configurations[name].label

    def printed_label(self, system: str) -> str:
        """The name of a system that the paper printed."""
        return f"{self.label(system) if system in self.setup.configurations else words(system)} (published)"

    def values(self, cut: str) -> list[str]:
        """The parts by a cut, by name."""
        return sorted({score["value"] for score in self.scores if score["cut"] == cut})

    def notes(self) -> list[str]:
        """What the data are, why configurations did not run, and which of them broke or join memories in one text."""
        if self.benchmark.absent is not None:
            return []
        lines = _data_notes(self.sizes)
        lines += reason_lines({self.label(name): reason for name, reason in self.benchmark.not_run.items()})
        for name, score in self.overall():
            if score["errors"]:
                broke = f"{score['errors']} of {score['questions']} questions broke (error)"
                lines.append(f"{self.label(name)}: {broke}.")
            if score["joined"]:
                asked = f"{score['joined']} of {score['questions']} questions"
                lines.append(f"{self.label(name)}: {asked} were answered with texts that {SAID}.")
        return lines

    def sections(self, measured: list[list[Cell]], printed: list[list[Cell]], width: int) -> list[Rows]:
        """Measured rows, or one that says why there is none, then the published ones."""
        nothing = [cells.not_run_row(self.benchmark.absent or "not run: no row is chosen", width)]
        return [section for section in (measured or nothing, printed) if section]

    def by_part(self, table: str, parts: Sequence[str], columns: Sequence[str], rest: Rest, width: int) -> list[Rows]:
        """A row for each system: the questions passed by part, then what `rest` makes of its score over all questions.

        Args:
            parts: the parts that are measured.
            columns: the columns of the published table, in the place of the parts.
        """
        measured = [
            [
                cells.label(self.label(name)),
                *(_answered(self.score(name, "part", part)) for part in parts),
                *rest(score),
            ]
            for name, score in self.overall()
        ]
        blank = [cells.BLANK] * (width - 1 - len(columns))
        printed = [
            [cells.label(self.printed_label(row)), *(_printed(self, table, row, column) for column in columns), *blank]
            for row in self.published.rows(table)
        ]
        return self.sections(measured, printed, width)


def _rows(setup: Setup, benchmark: str, table: schemas.Table) -> Input:
    """Rows of a benchmark; none where it is not run."""
    return inputs.rows(table, benchmark=benchmark) if setup.benchmarks[benchmark].runs else given([])


def _data_notes(sizes: Sequence[Row]) -> list[str]:
    return [_OTHER_DATA] if any(row["released"] is False for row in sizes) else []


def _results(name: str) -> Source:
    def source(setup: Setup) -> Input:
        scores, sizes = (_rows(setup, name, table) for table in (CROSSEVAL_SCORES, CROSSEVAL_SIZES))
        return Input(
            paths_of([scores, PUBLISHED, sizes]),
            lambda files: CrossevalResults(
                scores.load(files), setup.benchmarks[name], setup, files.published(), sizes.load(files)
            ),
        )

    return source


@table("memora_systems", inputs=(_results("memora"),))
def memora_table(results: CrossevalResults) -> Table:
    """Memora by task (paper, Table "memora_xeval" and the by-task table of its appendix)."""
    header = (
        *("System", *(task.capitalize() for task in TASKS), "Total"),
        *("Recall (%)", "Forgetting (%)", "Not expressed", "Time (s)"),
    )

    def rest(overall: Row) -> list[Cell]:
        return [
            cells.partly_broken(cells.answered(overall["passed"], overall["questions"], overall["rate"]), overall),
            *(cells.percent(overall[name]) for name in ("recall_rate", "forgetting_rate")),
            cells.count(overall["not_expressed"]),
            cells.number(overall["wall_s"], 1),
        ]

    return Table(
        "memora_systems",
        "Memora, weekly: questions passed by task, measured here and published. A question is passed if every value "
        f"of its memory evidence (reading {words_within(results.setup.reading)}) is in the joined top k and no "
        "forgotten value is. "
        "Recall and forgetting are the mean shares of a question's values recalled and of its forgotten values not "
        "recalled, over the questions that have any. Not expressed: mutations that a system cannot express, which "
        "leave the old memory; the new one of an update is added.",
        header,
        results.by_part("memora", TASKS, (*TASKS, "total"), rest, len(header)),
        results.notes(),
        wide=True,
        groups=("", *["Questions passed"] * (len(TASKS) + 1), "", "", "", ""),
    )


@table("memora_readings", inputs=(_results("memora"),), latex=False)
def memora_readings_table(results: CrossevalResults) -> Table:
    """What Memora's totals turn on: the same recalls under each reading of the memory evidence's values."""
    header = ("System", *map(words, READINGS))
    measured = [
        [
            cells.label(results.label(name)),
            *(_answered(results.score(name, "reading", reading)) for reading in READINGS),
        ]
        for name in results.ran()
    ]
    return Table(
        "memora_readings",
        "Memora, weekly: questions passed by the reading of the memory evidence's values, measured here. "
        "Released: leaves under the keys value and item; named values: also under keys that end in value; "
        "every scalar: every string and number except session ids and dates. The null control shows how many questions "
        "ask for nothing back.",
        header,
        results.sections(measured, [], len(header)),
        results.notes(),
    )


@table("factcons_systems", inputs=(_results("factcons"),))
def factcons_table(results: CrossevalResults) -> Table:
    """FactConsolidation by bucket (paper, Table "factcons_xeval"); 64K and 262K are not in the paper."""
    table = "factconsolidation"
    buckets = sorted(results.values("part") or results.published.columns(table), key=_bucket_order)
    heads = [_bucket_head(bucket) for bucket in buckets]
    header = ("System", *(", ".join(head) for head in heads), "Time (s)")

    def rest(overall: Row) -> list[Cell]:
        return [cells.number(overall["wall_s"], 1)]

    return Table(
        "factcons_systems",
        "FactConsolidation (MemoryAgentBench): questions of which a gold answer is a substring of the joined top k, "
        "measured here and published. Time: wall time of all lengths run, without "
        f"embedding; {cells.DASH.text}: not run at that length.",
        header,
        results.by_part(table, buckets, buckets, rest, len(header)),
        results.notes(),
        wide=True,
        groups=("", *(hops for hops, _ in heads), ""),
    )


@table("longmemeval_systems", inputs=(_results("longmemeval"),))
def longmemeval_table(results: CrossevalResults) -> Table:
    """LongMemEval-S by question type (paper, Table "longmem")."""
    header = ("System", "Question type", "N", *(title for _, title in _RATES))
    types = results.values("part") or list(_TYPES)
    places = [*((kind, ("part", kind)) for kind in types), ("all", ("overall", ALL))]
    measured = [
        [cells.label(results.label(name)), cells.named(kind), *_ranks(results.score(name, *place))]
        for name in results.ran()
        for kind, place in places
    ]
    columns = ("n", *(title.lower() for _, title in _RATES))
    printed = [
        [
            cells.label("Lethe (published)"),
            cells.named(kind),
            *(cells.published_number(results.published.find("longmemeval", kind, column)) for column in columns),
        ]
        for kind in results.published.rows("longmemeval")
    ]
    return Table(
        "longmemeval_systems",
        "LongMemEval-S at session granularity, measured here and published: share of the questions with a gold "
        "session among the top k, and NDCG@10. A question whose haystack holds no gold session is left out.",
        header,
        results.sections(measured, printed, len(header)),
        results.notes(),
        wide=True,
    )


@dataclass(frozen=True, slots=True)
class EvidenceResults:
    """What the tables of LoCoMo are made of; no rows where it was not run.

    Attributes:
        evidence, sizes: rows of `lethe.schemas.CROSSEVAL_EVIDENCE` and `CROSSEVAL_SIZES`.
    """

    evidence: Sequence[Row]
    benchmark: Benchmark
    setup: Setup
    sizes: Sequence[Row] = ()

    def table(self, name: str, header: Sequence[str], categories: Callable[[str], bool]) -> Table:
        """A row for each half, system, mode of recall and category, the halves apart."""
        order = {name: place for place, name in enumerate(self.setup.configurations)}
        rows = sorted(
            (row for row in self.evidence if categories(row["category"])),
            key=lambda row: (order[configuration_name(row)], row["mode"] != OWN, row["mode"]),
        )
        sections = [[self._cells(row, len(header)) for row in rows if row["half"] == half] for half in HALVES]
        nothing = [[cells.not_run_row(self.benchmark.absent or "not run: no row is chosen", len(header))]]
        broke = [
            f"{self._label(row)}, {words(row['half'])}: {row['errors']} of {row['questions']} questions broke (error); "
            "they recall nothing."
            for row in self.evidence
            if row["errors"] and row["category"] == ALL
        ]
        shown = [section for section in sections if section]
        notes = [*self._conversations(), *_data_notes(self.sizes), *broke]
        return Table(name, _LOCOMO, header, shown or nothing, notes, wide=True)

    def _conversations(self) -> list[str]:
        """Which conversations of each half were run."""
        names = [row["history"] for row in self.sizes]
        own = [[name for name in names if (name in FIRST_FIVE) is first] for first in (True, False)]
        halves = [f"of the {half}, {', '.join(each)}" for half, each in zip(HALVES, own, strict=True) if each]
        return [f"Conversations that were run: {'; '.join(halves)}."] if halves else []

    def not_run(self, width: int) -> list[list[Cell]]:
        """A row for each system that did not run, which says why; none where the whole benchmark did not."""
        reasons = self.benchmark.not_run if self.evidence else {}
        labels = {self.setup.configurations[name].label: reason for name, reason in reasons.items()}
        return [
            [cells.label(label), cells.not_run(reason), *[cells.BLANK] * (width - 2)]
            for label, reason in labels.items()
        ]

    def _label(self, row: Row) -> str:
        label = self.setup.configurations[configuration_name(row)].label
        return label if row["mode"] == OWN else f"{label}, {words_within(row['mode'])}"

    def _cells(self, row: Row, width: int) -> list[Cell]:
        found = [
            cells.label(self._label(row)),
            cells.named(row["half"]),
            *([cells.named(row["category"])] if width > len(_SHARES) + 3 else []),
            cells.count(row["questions"]),
        ]
        return [*found, *(cells.number(100 * row[name], 1, row["questions"]) for name, _ in _SHARES)]


def _evidence(setup: Setup) -> Input:
    found, sizes = (_rows(setup, "locomo", table) for table in (CROSSEVAL_EVIDENCE, CROSSEVAL_SIZES))
    return Input(
        paths_of([found, sizes]),
        lambda files: EvidenceResults(found.load(files), setup.benchmarks["locomo"], setup, sizes.load(files)),
    )


_LOCOMO = (
    "LoCoMo: mean share, in per cent, of a question's evidence among the first 5 and 10 turns recalled, by turn and by "
    "the session of the turn. Every turn is a memory. Lethe's hybrid recall was chosen on the first five conversations "
    "and on no other; its halves, vector and lexical, are shown too."
)


@table("locomo_systems", inputs=(_evidence,))
def locomo_table(results: EvidenceResults) -> Table:
    """The evidence of LoCoMo's questions that each system recalls."""
    header = ("System", "Conversations", "N", *(title for _, title in _SHARES))
    found = results.table("locomo_systems", header, lambda category: category == ALL)
    left_out = results.not_run(len(header))
    return replace(found, sections=[*found.sections, *([left_out] if left_out else [])])


@table("locomo_categories", inputs=(_evidence,), latex=False)
def locomo_categories_table(results: EvidenceResults) -> Table:
    """The same by category of the question."""
    header = ("System", "Conversations", "Category", "N", *(title for _, title in _SHARES))
    return results.table("locomo_categories", header, lambda category: category != ALL)


def _ranks(score: Row | None) -> list[Cell]:
    if score is None:
        return [cells.DASH] * (1 + len(_RATES))
    asked = score["questions"] - score["na"]
    return [cells.count(asked), *(cells.number(score[column], 3, asked) for column, _ in _RATES)]


def _bucket_order(bucket: str) -> tuple[bool, int]:
    hops, _, length = bucket.partition("_")
    return hops != "sh", int(length.removesuffix("k"))


def _bucket_head(bucket: str) -> tuple[str, str]:
    hops, _, length = bucket.partition("_")
    return {"sh": "Single hop", "mh": "Several hops"}[hops], length.upper()


def _answered(score: Row | None) -> Cell:
    if score is None:
        return cells.DASH
    return cells.partly_broken(cells.answered(score["passed"], score["questions"]), score)


def _printed(results: CrossevalResults, table: str, row: str, column: str) -> Cell:
    return cells.published_fraction(results.published.find(table, row, column, "cases"))
