"""What the matcher passes of authors it has not learned from: python -m benchmarks.leave_authors_out EMBEDDER

For each author of suites/development: passes of his cases, and pairs of a case and its twin, by weights learned from
everybody else, beside those of the store alone; the same for the house's own suite; all authors by number of other
authors learned from, and by kind of evidence left out; last, of the memories of authors left out, how many go of those
given each probability. Evidence is computed once: to leave somebody out is only to learn anew.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from forgeteval.cases.case import Case, in_known_order
from forgeteval.embed.embedder import CachedEmbedder, Embedder
from forgeteval.stores.contract import Adapter
from forgeteval.stores.hook import HookedAdapter
from lethe.embedding.embedder import FastEmbedder
from lethe.matcher import EVIDENCE_KINDS
from lethe.matcher.decision.meant import meant
from lethe.matcher.decision.trees import Floats
from lethe.matcher.decision.weights import Weights
from lethe.matcher.planner import Matcher
from lethe.matcher.training.material import WEIGHT, batches, cases_of
from lethe.matcher.training.seen import Seen
from lethe.systems.lethe_store import LetheAdapter
from tests.support.bench import run_trial

Batch = tuple[str, float, list[Case]]
GROUPS = 5
"""Parts of the authors in the curve; those of a part are left out together."""


def passed(adapter: Adapter, cases: Iterable[Case]) -> list[Case]:
    """The cases that pass."""
    return [case for case in cases if run_trial(adapter, case).verdict == "pass"]


class Bench:
    """All batches, what is learned from them, and how the cases of one fare."""

    def __init__(self, found: list[Batch], twins: dict[str, list[Case]], embedder: Embedder) -> None:
        self.cases = {name: cases for name, _, cases in found}
        self.twins, self.embedder = twins, embedder
        self.seen = Seen.of(found, self.vectors)
        self.authors = [name for name, weight, _ in found if weight == WEIGHT]
        self._learned: dict[frozenset[str], Weights] = {}

    def vectors(self, texts: Sequence[str]) -> Floats:
        return self.embedder.embed(list(texts)).astype("float64")

    def learned(self, *without: str) -> Weights:
        """The weights learned without some batches."""
        key = frozenset(without)
        if key not in self._learned:
            self._learned[key] = Weights.from_json(self.seen.weights(key))
        return self._learned[key]

    def store(self) -> Adapter:
        return LetheAdapter(self.embedder)

    def hooked(self, weights: Weights, off: frozenset[str] = frozenset()) -> Adapter:
        return HookedAdapter(self.store(), Matcher(self.embedder, off, weights))

    def pairs(self, adapter: Adapter, batch: str, passing: Iterable[Case]) -> int:
        """The twins of a batch that pass as well as the case they are twins of."""
        ids = {case.case_id for case in passing}
        return sum(twin.twin_of in ids for twin in passed(adapter, self.twins.get(batch, ())))


def print_authors(bench: Bench) -> None:
    by_category = {"matcher": Counter[str](), "store alone": Counter[str]()}
    print(f"{'left out':14} {'matcher':>14} {'store alone':>12}   pairs of twins: matcher, store alone")
    for batch in [*bench.authors, "adversarial"]:
        adapters = (bench.hooked(bench.learned(batch)), bench.store())
        passing = [passed(adapter, bench.cases[batch]) for adapter in adapters]
        pairs = [bench.pairs(adapter, batch, cases) for adapter, cases in zip(adapters, passing, strict=True)]
        (found, alone), size, twins = map(len, passing), len(bench.cases[batch]), len(bench.twins.get(batch, ()))
        told = f"{pairs[0]}/{twins}, {pairs[1]}/{twins}" if twins else ""
        print(f"{batch:14} {found:4}/{size:<4} {found / size:5.0%} {alone:7}/{size:<4}   {told}", flush=True)
        if batch in bench.authors:
            for own, cases in zip(by_category.values(), passing, strict=True):
                own.update(case.category for case in cases)
    of_category = Counter(case.category for author in bench.authors for case in bench.cases[author])
    print(f"\n{'authors':26} {'matcher':>10} {'store alone':>12}")
    for category in in_known_order(of_category):
        size = of_category[category]
        print(f"{category:26}", *(f"{own[category]:6}/{size:<5}" for own in by_category.values()))
    print(f"{'all':26}", *(f"{own.total():6}/{of_category.total():<5}" for own in by_category.values()))


def print_curve(bench: Bench) -> None:
    """Authors left out in groups, weights learned from the groups that follow each; last, each author alone."""
    print("\nother authors learned from: passes of all authors")
    groups = [bench.authors[start::GROUPS] for start in range(GROUPS)]
    for many in range(GROUPS):
        total = 0
        for place, group in enumerate(groups):
            following = [groups[(place + step) % GROUPS] for step in range(1, many + 1)]
            without = set(bench.authors).difference(*following)
            adapter = bench.hooked(bench.learned(*without))
            total += sum(len(passed(adapter, bench.cases[author])) for author in group)
        print(f"{many * len(groups[0]):3} {total}", flush=True)
    print(f"{len(bench.authors) - 1:3} {total_passes(bench)}", flush=True)


def total_passes(bench: Bench, off: frozenset[str] = frozenset()) -> int:
    """Passes of all authors, each left out."""
    return sum(len(passed(bench.hooked(bench.learned(author), off), bench.cases[author])) for author in bench.authors)


def print_ablation(bench: Bench) -> None:
    print("\nleft out of the evidence: passes of all authors, each left out")
    for kind in EVIDENCE_KINDS:
        print(f"{kind:12} {total_passes(bench, frozenset([kind]))}", flush=True)


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
    twins = {path.stem: list(cases_of(path)) for path in sorted(Path("suites/development_twins").glob("*.jsonl"))}
    every = [case for cases in (*(cases for _, _, cases in found), *twins.values()) for case in cases]
    texts = list(dict.fromkeys(text for case in every for text in case.texts()))
    bench = Bench(found, twins, CachedEmbedder(dict(zip(texts, model.embed(texts), strict=True)), model))
    print_authors(bench)
    print_curve(bench)
    print_ablation(bench)
    print_calibration(bench)


if __name__ == "__main__":
    main()
