"""A small job as a rule of the workflow describes it: one configuration on a few files, in a folder of a test."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from forgeteval.cases.case import Case
from forgeteval.cases.erasure.case import ErasureCase
from forgeteval.cases.erasure.generate import case_rows, generate_cases, read_material
from forgeteval.cases.history import History, Operation, Question
from forgeteval.cases.long.generate import LongEvent, LongHistory
from forgeteval.cases.long.questions import Asked
from lethe.config.configurations import PIPELINE, Configuration
from lethe.crosseval.records import operation_rows, question_rows
from lethe.embedding.embedder import EmbedderDescription
from lethe.jobs.work import BenchmarkWork, ErasureWork, LongWork, SuiteWork, Work, as_parameter
from lethe.parquet import write_rows
from lethe.schemas import CROSSEVAL_OPERATIONS, CROSSEVAL_QUESTIONS, ERASURE_CASES, LONG_EVENTS, VECTORS, Table
from lethe.stored.cases import write_suite
from lethe.stored.histories import event_rows
from tests.support.bench import DIM, HashEmbedder, make_case
from tests.support.config import put, shipped
from tests.support.paths import ROOT

PRODUCER = "code"
CODE = ["whole", "recall"]
TEXTS = "vectors.parquet"
HAYSTACK = "haystack.parquet"
BARGES = [f"Alice rides past barge {number}" for number in range(6)]
ERASED: list[ErasureCase] = generate_cases(read_material(ROOT / "suites" / "erasure"), 5, 2)
BENCHMARK = [
    History(
        name,
        (
            Operation("inscribe", None, f"A pear lies in the {name} drawer.", "row-0"),
            Operation("inscribe", None, "A plum lies there too.", "row-1"),
            Question("q", "part", "Which fruit?", "all", required=(name,)),
        ),
    )
    for name in ("short", "tall")
]
_ASKED = Question("q1", "long", "Where is Bob?", k=5)
LONG = [
    LongHistory(
        "h0",
        (
            LongEvent("2024-01-08", "told", Operation("inscribe", None, "Bob is in Bern.")),
            LongEvent("2024-01-09", "moved", Operation("supersede", "Bob", "Bob is in Basel.")),
            LongEvent("2024-01-10", "asked", Asked(_ASKED, "changed", (), 0, 1, 1, 1)),
        ),
    )
]


def cases_of(suite: str, *more_facts: str) -> list[Case]:
    """Two cases of each of two categories; the first one of each has more facts."""
    told = "Alice rides a tandem"
    cases = [
        make_case(f"{category}{number}", [told, *(() if number else more_facts)], "who", ["tandem"])
        for number in range(2)
        for category in ("a", "b")
    ]
    return [replace(case, suite=suite, category=case.case_id[0]) for case in cases]


def suite_work(suite: str, **more: Any) -> SuiteWork:
    return SuiteWork(**{"vectors": [TEXTS], "cases": f"{suite}.parquet", "trials": f"trials/{suite}.parquet", **more})


BENCHMARK_WORK = BenchmarkWork(
    vectors=[TEXTS],
    benchmark="memora",
    operations="operations.parquet",
    questions="questions.parquet",
    answers="answers.parquet",
    histories="histories.parquet",
)
LONG_WORK = LongWork(vectors=[TEXTS], events="events.parquet", answers="long.parquet", replays="replays.parquet")
ERASURE_WORK = ErasureWork(
    vectors=[TEXTS], cases="erased.parquet", haystack=HAYSTACK, records="records.parquet", number=1, memories=4
)


class Named(SimpleNamespace):
    """The named input files or parameters of a job, as Snakemake has them."""

    def get(self, name: str, default: Any = None) -> Any:
        return getattr(self, name, default)

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


class SmallRun:
    """The files that small jobs read, in a folder, and what a script is told of such a job."""

    def __init__(self, folder: Path, suites: Mapping[str, Sequence[Case]] | None = None) -> None:
        self.folder = folder
        self.output = folder / "out"
        self._environments = folder / "environments"
        self._write_inputs(suites or {})

    def _write_inputs(self, suites: Mapping[str, Sequence[Case]]) -> None:
        for name, cases in suites.items():
            write_suite(self.path(f"{name}.parquet"), cases, PRODUCER)
        self._write("operations.parquet", CROSSEVAL_OPERATIONS, operation_rows("memora", BENCHMARK))
        self._write("questions.parquet", CROSSEVAL_QUESTIONS, question_rows("memora", BENCHMARK))
        self._write("events.parquet", LONG_EVENTS, event_rows(LONG))
        self._write("erased.parquet", ERASURE_CASES, case_rows(ERASED))
        histories = [*BENCHMARK, *(one.to_history() for one in (*LONG, *ERASED))]
        texts = [text for history in histories for text in history.texts()]
        texts += [text for cases in suites.values() for case in cases for text in case.texts()]
        self._write(TEXTS, VECTORS, _vectors(texts))
        self._write(HAYSTACK, VECTORS, _vectors(BARGES))
        folder = self._environments / "embedder"
        folder.mkdir(parents=True, exist_ok=True)
        EmbedderDescription("hash", "nowhere", DIM, 128, "0" * 64).write(folder)

    def _write(self, name: str, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
        write_rows(self.path(name), table, rows, PRODUCER)

    def path(self, name: str) -> Path:
        """Where a file stands that works read or write."""
        return self.output / name

    @property
    def kept(self) -> Path:
        return self.output / "results/trials/sut.trials"

    @property
    def files(self) -> dict[str, Path]:
        """Every file of the folder by its name there."""
        return {str(path.relative_to(self.output)): path for path in self.output.rglob("*.parquet")}

    def snakemake(self, works: Sequence[Work], backend: str = "Obedient", kept: str = "", **more: Any) -> Any:
        """What Snakemake tells a script of this job; `more` replaces parameters of its run."""
        read = dict.fromkeys(path for work in works for path in (*work.vectors, *work.reads))
        backend = backend if ":" in backend else f"tests.support.misbehaving:{backend}"
        run = {
            "system": asdict(Configuration("sut", backend=backend, environment=PIPELINE)),
            "works": [as_parameter(work) for work in works],
            "code": CODE,
            "answering": {},
            "lender": "",
            **more,
        }
        parameters = {
            "runs": {kept or str(self.kept.relative_to(self.output)): run},
            "environments": str(self._environments),
            "fingerprint": PRODUCER,
        }
        config = put(shipped(), "output_dir", str(self.output))
        return SimpleNamespace(
            input=Named(
                files=[str(self.path(path)) for path in read],
                embedder=str(self._environments / "embedder" / "embedder.json"),
            ),
            output=[str(self.path(path)) for work in works for path in work.writes],
            params=Named(**parameters),
            log=[str(self.folder / "logs" / "run.log")],
            config=put(config, "environments_dir", str(self._environments)),
        )


def _vectors(texts: Iterable[str]) -> list[dict[str, Any]]:
    distinct = list(dict.fromkeys(texts))
    vectors = HashEmbedder().embed(distinct)
    return [{"text": text, "vector": vector.tolist()} for text, vector in zip(distinct, vectors, strict=True)]
