"""What the matcher passes of authors it has not learned from: python -m benchmarks.leave_authors_out EMBEDDER

For each author of suites/development: passes of his cases by weights learned from everybody else, beside those of the
store alone; then the same for the house's own suite; all authors by kind of evidence left out, and by number of other
authors learned from; last, of the memories of authors left out, how many go of those given each probability.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from lethe.cases.case import CATEGORIES, Case
from lethe.embedding.embedder import CachedEmbedder, Embedder, FastEmbedder
from lethe.planners.matcher import EVIDENCE_KINDS
from lethe.planners.matcher.decision.meant import meant
from lethe.planners.matcher.decision.trees import Floats
from lethe.planners.matcher.decision.weights import Weights
from lethe.planners.matcher.planner import Matcher
from lethe.planners.matcher.training.material import WEIGHT, batches
from lethe.planners.matcher.training.seen import Seen
from lethe.systems.hooked import HookedAdapter
from lethe.systems.lethe_store import LetheAdapter
from lethe.systems.protocol import Adapter
from tests.support.bench import run_trial

Batch = tuple[str, float, list[Case]]


def passes(adapter: Adapter, cases: Iterable[Case]) -> "Counter[str]":
    """Passes by category."""
    return Counter(case.category for case in cases if run_trial(adapter, case).verdict == "pass")


class Bench:
    """All batches, what is learned from them, and how the cases of one fare."""

    def __init__(self, found: list[Batch], embedder: Embedder) -> None:
        self.found, self.embedder = found, embedder
        self.seen = Seen.of(found, self.vectors)
        self.authors = [name for name, weight, _ in found if weight == WEIGHT]
        self._learned: dict[frozenset[str], Weights] = {}

    def vectors(self, texts: Sequence[str]) -> Floats:
        return self.embedder.embed(list(texts)).astype("float64")

    def cases(self, batch: str) -> list[Case]:
        return next(cases for name, _, cases in self.found if name == batch)

    def learned(self, *without: str) -> Weights:
        """The weights learned without some batches."""
        key = frozenset(without)
        if key not in self._learned:
            self._learned[key] = Weights.from_json(self.seen.weights(key))
        return self._learned[key]

    def passes(self, batch: str, weights: Weights, off: frozenset[str] = frozenset()) -> "Counter[str]":
        matcher = Matcher(self.embedder, off, weights)
        return passes(HookedAdapter(LetheAdapter(self.embedder), matcher), self.cases(batch))

    def alone(self, batch: str) -> "Counter[str]":
        return passes(LetheAdapter(self.embedder), self.cases(batch))


def print_authors(bench: Bench) -> None:
    by_category: Counter[str] = Counter()
    alone_by_category: Counter[str] = Counter()
    of_category = Counter(case.category for author in bench.authors for case in bench.cases(author))
    print(f"{'left out':14} {'matcher':>10} {'store alone':>12}")
    for batch in [*bench.authors, "adversarial"]:
        found, alone, size = bench.passes(batch, bench.learned(batch)), bench.alone(batch), len(bench.cases(batch))
        print(
            f"{batch:14} {found.total():4}/{size:<4} {found.total() / size:5.0%} {alone.total():5}/{size}", flush=True
        )
        if batch in bench.authors:
            by_category += found
            alone_by_category += alone
    print(f"\n{'authors':26} {'matcher':>10} {'store alone':>12}")
    for category in CATEGORIES:
        if size := of_category[category]:
            print(f"{category:26} {by_category[category]:4}/{size:<5} {alone_by_category[category]:6}/{size}")
    print(f"{'all':26} {by_category.total():4}/{of_category.total():<5} {alone_by_category.total():6}")


def print_curve(bench: Bench) -> None:
    print("\nother authors learned from: passes of all authors")
    for many in (0, 3):
        total = 0
        for place, author in enumerate(bench.authors):
            others = bench.authors[place + 1 :] + bench.authors[:place]
            total += bench.passes(author, bench.learned(author, *others[many:])).total()
        print(f"{many:3} {total}", flush=True)


def print_ablation(bench: Bench) -> None:
    print("\nleft out of the evidence: passes of all authors, each left out")
    for kind in (None, *EVIDENCE_KINDS):
        off = frozenset([kind] if kind else [])
        total = sum(bench.passes(author, bench.learned(author), off).total() for author in bench.authors)
        print(f"{kind or 'none':12} {total}", flush=True)


def print_calibration(bench: Bench) -> None:
    given: list[float] = []
    went: list[float] = []
    for author in bench.authors:
        for one in bench.seen.examples:
            decision = one.decision
            if one.batch == author and one.is_whole and decision.operation != "supersede":
                purge = decision.operation == "purge"
                found = meant(decision.query, decision.memories, bench.vectors, bench.learned(author), purge=purge)
                given += found.final.tolist()
                went += one.labels.tolist()
    print("\nprobability given: memories, and the share of them that are meant")
    likely, labels = np.array(given), np.array(went)
    for low in np.arange(0, 1, 0.1):
        inside = (likely >= low) & (likely < low + 0.1)
        print(f"{low:.1f} to {low + 0.1:.1f} {inside.sum():6} {labels[inside].mean():5.2f}")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("embedder", type=Path, help="folder of a prepared embedder")
    model = FastEmbedder(arguments.parse_args().embedder, threads=1)
    found = list(batches(Path("suites")))
    texts = list(dict.fromkeys(text for _, _, cases in found for case in cases for text in case.texts()))
    bench = Bench(found, CachedEmbedder(dict(zip(texts, model.embed(texts), strict=True)), model))
    print_authors(bench)
    print_ablation(bench)
    print_calibration(bench)
    print_curve(bench)


if __name__ == "__main__":
    main()
