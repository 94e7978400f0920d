"""What floor of similarity tells requests for what is stored from others: `python benchmarks/store_floor.py RESULTS`.

RESULTS is the folder of a run. The first mutation of each case is asked of its own case's facts, where what it names is
stored, and of another case's, where it is not; a twin asks its own facts for what is nearly stored. Printed for the
vectors of the run (all-MiniLM-L6-v2) and for the default embedder of a store.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from forgeteval.cases.case import Case
from lethe.embedding.vectors import read_vectors
from lethe.store.embedders import DEFAULT, named
from lethe.stored.cases import read_suite

SUITES = ("adversarial", "held_out", "twins")
FLOORS = (0.33, 0.35, 0.37, 0.38, 0.4, 0.42, 0.44, 0.46)


def by_embedder(file: Path, cases: Sequence[Case]) -> Iterator[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    """Names of embedders, with the vectors that they give the queries and the facts of cases."""
    recorded = read_vectors(file)
    yield "all-MiniLM-L6-v2", recorded, recorded
    static = named(DEFAULT)
    queries = [case.mutations[0].query for case in cases]
    facts = [fact for case in cases for fact in case.setup_facts]
    given = (
        dict(zip(queries, static.queries(queries), strict=True)),
        dict(zip(facts, static.documents(facts), strict=True)),
    )
    yield DEFAULT, *given


def main(results: Path) -> None:
    """Print, for each suite, embedder and floor, the shares of requests that some memory meets."""
    chance = np.random.default_rng(0)
    print("suite", "embedder", "floor", "own case", "another case", sep="\t")
    for suite in SUITES:
        cases = read_suite(results / "suites" / suite / "cases.parquet")
        others = (np.arange(len(cases)) + chance.integers(1, len(cases), len(cases))) % len(cases)
        for name, queries, facts in by_embedder(results / "embeddings" / f"{suite}.parquet", cases):
            nearest = [
                [
                    max(1 - np.linalg.norm(queries[case.mutations[0].query] - facts[fact]) / 2 for fact in told)
                    for told in (case.setup_facts, cases[other].setup_facts)
                ]
                for case, other in zip(cases, others, strict=True)
            ]
            for floor in FLOORS:
                own, another = (np.array(nearest) >= floor).mean(axis=0)
                print(suite, name, floor, f"{own:.3f}", f"{another:.3f}", sep="\t")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
