"""What a hybrid recall finds beside its halves: `python benchmarks/store_recall.py results`.

Share of what answers a question among the first 5 and 10 recalled, in per cent: of the evidence turns of LoCoMo, of
the facts that a question of Letta's is about, of the values that Memora asks for; for FactConsolidation, of the
questions with a gold answer. Weight and width of `lethe.store.recall` were chosen by the rows marked as for choosing:
the weight whose worst difference to the better half is not below 0, and whose differences add up to the most.
`results` is the folder of a finished run with all conversations of LoCoMo.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from forgeteval.cases.history import History
from lethe.crosseval.records import read_histories
from lethe.embedding.vectors import read_vectors
from lethe.store import Store, recall
from lethe.stored.cases import read_suite

Asked = tuple[Store, str, list[set[int]]]
"""A store, a question, and for each thing asked for the memories that hold it."""
ANY_ANSWER = "factcons"


class Known:
    """Texts by the vectors of a finished run."""

    def __init__(self, files: list[Path]) -> None:
        self._vectors = {text: vector for file in files for text, vector in read_vectors(file).items()}

    def store(self) -> Store:
        return Store(embed=lambda texts: np.stack([self._vectors[text] for text in texts]), dim=384)


def of_benchmark(results: Path, name: str, wanted: Callable[[History], bool]) -> Iterator[Asked]:
    folder = results / "crosseval_data" / name
    known = Known([folder / "vectors.parquet"])
    for history in read_histories(folder / "operations.parquet", folder / "questions.parquet"):
        if not wanted(history):
            continue
        store, names = known.store(), dict[int, str | None]()
        for operation in history.operations:
            if operation.op == "inscribe":
                names[store.inscribe(operation.text or "")] = operation.row_id
            elif operation.op == "supersede":
                store.supersede_matching(operation.query or "", operation.text or "", floor=None)
            else:
                store.purge_matching(operation.query or "", floor=None)
        texts = {memory.memory_id: memory.text.casefold() for memory in store.memories()}
        for question in history.questions:
            if question.criterion == "rows":
                held = [{id for id, row in names.items() if row == gold} for gold in question.gold_rows]
            else:
                held = [{id for id, text in texts.items() if value.casefold() in text} for value in question.required]
            if name == ANY_ANSWER:
                held = [set().union(*held)]
            if any(held):
                yield store, question.text, [one for one in held if one]


def of_letta(results: Path) -> Iterator[Asked]:
    known = Known([results / "embeddings/letta_core_memory.parquet"])
    for case in read_suite(results / "suites/letta_core_memory/cases.parquet"):
        store = known.store()
        ids = dict(zip(case.setup_facts, store.inscribe_many(case.setup_facts), strict=True))
        held = [{ids[fact]} for fact in case.must_not_contain if fact in ids]
        if held:
            yield store, case.final_query, held


def found(asked: list[Asked], **options: Any) -> tuple[float, float]:
    """Per cent found among the first 5 and 10."""
    shares = []
    for store, question, held in asked:
        ids = [memory.memory_id for memory in store.recall(question, 10, **options)]
        shares.append([np.mean([bool(one & set(ids[:k])) for one in held]) for k in (5, 10)])
    five, ten = 100 * np.mean(shares, axis=0)
    return float(five), float(ten)


def main(results: Path) -> None:
    conversations = [history.name for history in read_histories(*_files(results, "locomo"))]
    data = {
        "FactConsolidation to 32K (for choosing)": of_benchmark(results, "factcons", lambda h: h.name in ("6k", "32k")),
        "Memora (for choosing)": of_benchmark(results, "memora", lambda history: True),
        "LoCoMo, first five (for choosing)": of_benchmark(results, "locomo", lambda h: h.name in conversations[:5]),
        "LoCoMo, other five": of_benchmark(results, "locomo", lambda h: h.name in conversations[5:]),
        "Letta's questions": of_letta(results),
    }
    columns = ("vectors", "words", *(f"hybrid, weight {weight}" for weight in (0.05, recall.WEIGHT_OF_WORDS, 0.15)))
    print(f"| questions | N | {' | '.join(columns)} |\n|---|{'---|' * (len(columns) + 1)}")
    for name, asking in data.items():
        asked = list(asking)
        rows = [found(asked, mode=mode) for mode in ("vector", "lexical")]
        chosen = recall.WEIGHT_OF_WORDS
        for recall.WEIGHT_OF_WORDS in (0.05, chosen, 0.15):
            rows.append(found(asked))
        recall.WEIGHT_OF_WORDS = chosen
        print(f"| {name} | {len(asked):,} | {' | '.join(f'{five:.1f}, {ten:.1f}' for five, ten in rows)} |", flush=True)


def _files(results: Path, name: str) -> tuple[Path, Path]:
    folder = results / "crosseval_data" / name
    return folder / "operations.parquet", folder / "questions.parquet"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
