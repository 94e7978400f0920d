"""The tables of the cross-evaluations: measured here, and below or beside that what the paper printed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lethe.analysis.published import Published
from lethe.analysis.results import reason_lines
from lethe.config.configurations import configuration_name
from lethe.crosseval.evidence import READINGS
from lethe.crosseval.memora import TASKS
from lethe.schemas import ALL
from lethe.tables.cells import PaperTable

Score = Mapping[str, Any]

TABLES = {
    "memora": "memora",
    "memora_persona": "memora",
    "memora_readings": "memora",
    "factcons": "factcons",
    "longmemeval": "longmemeval",
}
"""Table name to the benchmark it shows."""
_TYPES = (
    "knowledge-update",
    "multi-session",
    "single-session-assistant",
    "single-session-preference",
    "single-session-user",
    "temporal-reasoning",
)
_RATES = (("recall_at_1", "R@1"), ("recall_at_5", "R@5"), ("recall_at_10", "R@10"), ("ndcg_at_10", "NDCG@10"))
_MINUS = "–"


@dataclass(frozen=True, slots=True)
class CrossevalResults:
    """What a table is made of.

    Attributes:
        scores: rows of `lethe.schemas.CROSSEVAL_SCORES` of one benchmark; none where it was not run.
        systems: the rows of the tables by name, in their order.
        not_run: row name to the reason it has no numbers.
        absent: why the whole benchmark was not run; None where it was.
        reading: the reading of Memora's evidence that the verdicts follow.
        published: what the paper printed.
    """

    scores: Sequence[Score]
    systems: Mapping[str, Mapping[str, Any]]
    not_run: Mapping[str, str]
    absent: str | None
    reading: str
    published: Published

    def score(self, system: str, cut: str = "overall", value: str = ALL) -> Score | None:
        """One score; None where the system did not run there."""
        wanted = (system, cut, value)
        return next((s for s in self.scores if (configuration_name(s), s["cut"], s["value"]) == wanted), None)

    def ran(self) -> list[str]:
        """The rows that ran, controls last."""
        present = {configuration_name(score) for score in self.scores}
        found = [name for name in self.systems if name in present]
        return sorted(found, key=lambda name: self.systems[name]["regime"] == "control")

    def label(self, system: str) -> str:
        """A row's name in the tables."""
        return str(self.systems[system]["label"])

    def printed_label(self, system: str) -> str:
        """The name of a row of what the paper printed."""
        return f"{self.label(system) if system in self.systems else system} (published)"

    def values(self, cut: str) -> list[str]:
        """The parts by a cut, by name."""
        return sorted({score["value"] for score in self.scores if score["cut"] == cut})

    def notes(self) -> list[str]:
        """Why rows did not run, and which of them broke."""
        if self.absent is not None:
            return []
        lines = reason_lines({self.label(name): reason for name, reason in self.not_run.items()})
        for name in self.ran():
            score = self.score(name)
            if score is not None and score["errors"]:
                broke = f"{score['errors']} of {score['questions']} questions broke (error)"
                lines.append(f"{self.label(name)}: {broke}.")
        return lines

    def sections(self, measured: list[list[str]], printed: list[list[str]], width: int) -> list[list[list[str]]]:
        """Measured rows, or one that says why there is none, then the published ones."""
        nothing = [[self.absent or "not run: no row is chosen", *[""] * (width - 1)]]
        return [section for section in (measured or nothing, printed) if section]


def crosseval_table(name: str, results: CrossevalResults) -> PaperTable:
    """The table `name` of `TABLES`."""
    builders: Mapping[str, Callable[[CrossevalResults], PaperTable]] = {
        "memora": memora_table,
        "memora_persona": memora_persona_table,
        "memora_readings": memora_readings_table,
        "factcons": factcons_table,
        "longmemeval": longmemeval_table,
    }
    return builders[name](results)


def memora_table(results: CrossevalResults) -> PaperTable:
    """Memora by task (paper, Table "memora_xeval" and the by-task table of its appendix)."""
    header = ("System", *(task.capitalize() for task in TASKS), "Total", "recall %", "forgetting %", "not expr.", "s")
    measured = []
    for name in results.ran():
        overall = results.score(name)
        assert overall is not None
        measured.append(
            [
                results.label(name),
                *(_count(results.score(name, "part", task)) for task in TASKS),
                _count(overall, percent=True),
                _percent(overall["recall_rate"]),
                _percent(overall["forgetting_rate"]),
                str(overall["not_expressed"]),
                f"{overall['wall_s']:.1f}",
            ]
        )
    printed = [
        [
            results.printed_label(row),
            *(_printed(results.published, "memora", row, task) for task in TASKS),
            _printed(results.published, "memora", row, "total"),
            *[""] * 4,
        ]
        for row in results.published.rows("memora")
    ]
    return PaperTable(
        "memora",
        "Memora, weekly: questions passed by task, measured here and published. A question is passed if every value "
        f"of its memory evidence (reading {results.reading}) is in the joined top k and no forgotten value is. Recall "
        "and forgetting are the mean shares of a question's values recalled and of its forgotten values not recalled, "
        "over the questions that have any. Not expr.: mutations that a system cannot express, which leave the old row.",
        header,
        results.sections(measured, printed, len(header)),
        results.notes(),
        wide=True,
    )


def memora_persona_table(results: CrossevalResults) -> PaperTable:
    """Memora by persona (paper, Table "memora_persona"), without the controls."""
    ran = [name for name in results.ran() if results.systems[name]["regime"] != "control"]
    printed = results.published.columns("memora_persona")
    header = ("Persona", *map(results.label, ran), *map(results.printed_label, printed))
    personas = results.values("history") or [row for row in results.published.rows("memora_persona") if row != "total"]

    def line(label: str, row: str, cut: str, value: str) -> list[str]:
        own = [_count(results.score(name, cut, value)) for name in ran]
        return [label, *own, *(_printed(results.published, "memora_persona", row, column) for column in printed)]

    rows = [line(persona, persona, "history", persona) for persona in personas]
    notes = results.notes() if results.absent is None else [f"Measured: {results.absent}."]
    return PaperTable(
        "memora_persona",
        f"Memora, weekly: questions passed by persona, measured here (reading {results.reading}) and published.",
        header,
        [rows, [line("Total", "total", "overall", ALL)]],
        notes,
        wide=True,
    )


def memora_readings_table(results: CrossevalResults) -> PaperTable:
    """What Memora's totals turn on: the same recalls under each reading of the memory evidence's values."""
    header = ("System", *READINGS)
    measured = [
        [results.label(name), *(_count(results.score(name, "reading", reading)) for reading in READINGS)]
        for name in results.ran()
    ]
    return PaperTable(
        "memora_readings",
        "Memora, weekly: questions passed by the reading of the memory evidence's values, measured here. value: leaves "
        "under the key value; value_item: also under item; named_values: also under keys that end in value; "
        "every_scalar: every string and number but session ids and dates. The null control shows how many questions "
        "ask for nothing back.",
        header,
        results.sections(measured, [], len(header)),
        results.notes(),
    )


def factcons_table(results: CrossevalResults) -> PaperTable:
    """FactConsolidation by bucket (paper, Table "factcons_xeval"); 64K and 262K are not in the paper."""
    buckets = sorted(results.values("part") or results.published.columns("factconsolidation"), key=_bucket_order)
    header = ("System", *buckets, "s")
    measured = []
    for name in results.ran():
        overall = results.score(name)
        assert overall is not None
        cells = [_count(results.score(name, "part", bucket)) for bucket in buckets]
        measured.append([results.label(name), *cells, f"{overall['wall_s']:.1f}"])
    printed = [
        [
            results.printed_label(row),
            *(_printed(results.published, "factconsolidation", row, bucket) for bucket in buckets),
            "",
        ]
        for row in results.published.rows("factconsolidation")
    ]
    return PaperTable(
        "factcons",
        "FactConsolidation (MemoryAgentBench): questions of which a gold answer is a substring of the joined top k, "
        "measured here and published. sh: single-hop, mh: multi-hop; s: wall time of all buckets run, without "
        f"embedding; {_MINUS}: not run at that length.",
        header,
        results.sections(measured, printed, len(header)),
        results.notes(),
        wide=True,
    )


def longmemeval_table(results: CrossevalResults) -> PaperTable:
    """LongMemEval-S by question type (paper, Table "longmem")."""
    header = ("System", "Question type", "N", *(title for _, title in _RATES))
    types = results.values("part") or list(_TYPES)
    measured = [
        [results.label(name), kind, *_rank_cells(results.score(name, *place))]
        for name in results.ran()
        for kind, place in _type_places(types)
    ]
    published = results.published
    printed = [
        ["Lethe (published)", kind, _number(published, kind, "n"), *(_number(published, kind, key) for key in _KEYS)]
        for kind in published.rows("longmemeval")
    ]
    return PaperTable(
        "longmemeval",
        "LongMemEval-S at session granularity, measured here and published: share of the questions with a gold "
        "session among the top k, and NDCG@10. A question whose haystack holds no gold session is left out.",
        header,
        results.sections(measured, printed, len(header)),
        results.notes(),
        wide=True,
    )


_KEYS = tuple(title.lower() for _, title in _RATES)


def _type_places(types: Iterable[str]) -> list[tuple[str, tuple[str, str]]]:
    return [*((kind, ("part", kind)) for kind in types), ("all", ("overall", ALL))]


def _rank_cells(score: Score | None) -> list[str]:
    if score is None:
        return [_MINUS] * (1 + len(_RATES))
    rates = (score[column] for column, _ in _RATES)
    return [str(score["questions"] - score["na"]), *(_MINUS if rate is None else f"{rate:.3f}" for rate in rates)]


def _bucket_order(bucket: str) -> tuple[int, bool]:
    hops, _, length = bucket.partition("_")
    return int(length.removesuffix("k")), hops != "sh"


def _count(score: Score | None, *, percent: bool = False) -> str:
    if score is None:
        return _MINUS
    share = f" ({100 * score['rate']:.1f}%)" if percent and score["rate"] is not None else ""
    return f"{score['passed']}/{score['questions']}{share}"


def _percent(rate: float | None) -> str:
    return _MINUS if rate is None else f"{100 * rate:.1f}"


def _printed(published: Published, table: str, row: str, column: str) -> str:
    number = published.find(table, row, column, "cases")
    return "" if number is None else f"{number.value}/{number.n}"


def _number(published: Published, row: str, column: str) -> str:
    number = published.find("longmemeval", row, column)
    return "" if number is None or number.value is None else str(number.value)
