"""What floor of similarity tells requests for what is stored from others: `python benchmarks/store_floor.py RESULTS`.

RESULTS is the folder of a run. The first mutation of each case is asked of its own case's facts, where what it names is
stored, and of another case's, where it is not; a twin asks its own facts for what is nearly stored.
"""

import sys
from pathlib import Path

import numpy as np

from lethe.embedding.vectors import read_vectors
from lethe.stored.cases import read_suite

SUITES = ("adversarial", "held_out", "twins")
FLOORS = (0.33, 0.34, 0.35, 0.36, 0.37, 0.38, 0.4)


def main(results: Path) -> None:
    """Print, for each suite and floor, the shares of requests that some memory meets."""
    chance = np.random.default_rng(0)
    print("suite", "floor", "own case", "another case", sep="\t")
    for suite in SUITES:
        vectors = read_vectors(results / "embeddings" / f"{suite}.parquet")
        cases = read_suite(results / "suites" / suite / "cases.parquet")
        others = (np.arange(len(cases)) + chance.integers(1, len(cases), len(cases))) % len(cases)
        nearest = [
            [
                max(1 - np.linalg.norm(vectors[case.mutations[0].query] - vectors[fact]) / 2 for fact in facts)
                for facts in (case.setup_facts, cases[other].setup_facts)
            ]
            for case, other in zip(cases, others, strict=True)
        ]
        for floor in FLOORS:
            own, another = (np.array(nearest) >= floor).mean(axis=0)
            print(suite, floor, f"{own:.3f}", f"{another:.3f}", sep="\t")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
