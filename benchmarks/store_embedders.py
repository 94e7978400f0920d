"""What recall finds with the store's default embedder: `python benchmarks/store_embedders.py results`.

The data for choosing of `store_recall.py`, with the vectors of `lethe.store.word_vectors` and those of the finished run
(all-MiniLM-L6-v2): per cent found among the first 5 and 10. `results` is the folder of that run.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import store_recall

from lethe.crosseval.records import read_histories
from lethe.store import Store


class Default:
    """Stores with the default embedder, in place of the vectors of a run."""

    def __init__(self, files: list[Path]) -> None:
        pass

    def store(self) -> Store:
        return Store()


def data(results: Path) -> Iterator[tuple[str, list[store_recall.Asked]]]:
    conversations = [history.name for history in read_histories(*store_recall._files(results, "locomo"))][:5]
    for title, name, wanted in (
        ("FactConsolidation to 32K", "factcons", ("6k", "32k")),
        ("Memora", "memora", None),
        ("LoCoMo, first five", "locomo", conversations),
    ):
        yield (
            title,
            list(store_recall.of_benchmark(results, name, lambda h, chosen=wanted: not chosen or h.name in chosen)),
        )


def main(results: Path) -> None:
    print("| questions | N | words | default: vectors | default: hybrid | all-MiniLM-L6-v2: vectors | hybrid |")
    print("|---|---|---|---|---|---|---|")
    known, rows = store_recall.Known, dict[str, list[str]]()
    for kind in (Default, known):
        store_recall.Known = kind
        for title, asked in data(results):
            shown = [store_recall.found(asked, mode=mode) for mode in ("lexical", "vector", "hybrid")]
            cells = [f"{five:.1f}, {ten:.1f}" for five, ten in shown]
            rows[title] = [*rows[title], *cells[1:]] if title in rows else [f"{len(asked):,}", *cells]
    for title, cells in rows.items():
        print(f"| {title} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
