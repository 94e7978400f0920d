"""What the matcher does for authors it has not learned from: python -m benchmarks.leave_authors_out EMBEDDER

Each author of suites/development is left out with two others, and the house's suite alone, with its twins. By author:
cases passed and memories lost that had to stay, with the matcher, with the matcher where it may only ask, and by the
store alone; requests decided and of those decided rightly. Then the curve: share decided and precision by thresholds,
of requests whose target is stored, was removed, or is nearly stored. Evidence is computed once.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from forgeteval.cases.case import Case
from forgeteval.cases.reading import read_cases, read_twins
from forgeteval.embed.embedder import CachedEmbedder, Embedder
from forgeteval.stores.contract import Adapter
from forgeteval.stores.hook import HookedAdapter
from lethe.embedding.embedder import FastEmbedder
from lethe.matcher.decision.trees import Floats, Trees, odds
from lethe.matcher.decision.weights import Weights
from lethe.matcher.planner import ABSENT, SURE, Matcher
from lethe.matcher.training.learn import Example, choices, examples, learned, surety_rows
from lethe.matcher.training.material import WEIGHT, batches
from lethe.systems.lethe_store import LetheAdapter
from tests.support.bench import run_trial

GROUPS = 5
"""Parts of the authors; those of a part are left out together."""
THRESHOLDS = ((0.7, 0.7), (0.7, 0.85), (0.7, 0.9), (0.7, 0.95), (0.9, 0.95))
"""Those for acting and for leaving everything as it is."""


@dataclass(frozen=True)
class Decided:
    """What weights that have not seen an author decide of one of his requests.

    Attributes:
        of: the request.
        acts: some memory is likely meant.
        right: exactly the likely ones are.
        sure, absent: the probabilities that decide.
    """

    of: Example
    acts: bool
    right: bool
    sure: float
    absent: float

    def outcome(self, sure: float, absent: float) -> tuple[bool, bool]:
        """Whether it is decided at these thresholds, and rightly."""
        if self.acts and self.sure >= sure:
            return True, self.right
        return self.absent >= absent, not self.of.labels.any()


def decided(one: Example, weights: Weights) -> Decided:
    trees: dict[str, Trees] = {"asked": weights.asked, "superseded": weights.superseded}
    choice = next(choices(one, trees))
    rows = surety_rows([choice])
    sure, absent = (float(odds(trees.scores(rows))[0]) for trees in (weights.sure, weights.absent))
    return Decided(one, bool(choice.chosen.any()), choice.is_right, sure, absent)


def tried(adapter: Adapter, cases: Iterable[Case]) -> Counter[str]:
    """How many cases pass, memories had to stay, and of these are lost, as the substring scorer and states see it."""
    found: Counter[str] = Counter()
    for case in cases:
        trial = run_trial(adapter, case)
        found["passed"] += trial.verdict == "pass"
        found["whole"] += trial.verdict == "pass" and all(trial.present or (True,))
        stays = [text for text in case.gold_rows or () if text in case.setup_facts]
        there = set(adapter.recall_texts(" ".join(stays)[:400], 200))
        found["stayed"] += len(stays)
        found["lost"] += sum(text not in there for text in stays)
    return found


def print_author(
    name: str, cases: Sequence[Case], weights: Weights, embedder: Embedder, found: Sequence[Decided]
) -> None:
    store = LetheAdapter(embedder)
    rows = [
        tried(adapter, cases)
        for adapter in (
            HookedAdapter(store, Matcher(embedder, weights=weights)),
            HookedAdapter(store, Matcher(embedder, weights=weights), unsure="ask"),
            store,
        )
    ]
    told = " ".join(f"{row['passed']:4} {row['whole']:4} {row['lost'] / max(1, row['stayed']):6.1%}" for row in rows)
    outcomes = [one.outcome(SURE, ABSENT) for one in found if one.of.kind in ("stored", "absent")]
    right = [is_right for is_decided, is_right in outcomes if is_decided]
    print(f"{name:14} {len(cases):4} {told}  {len(right):4}/{len(outcomes):<4} {sum(right):4}", flush=True)


def print_curve(found: Sequence[Decided]) -> None:
    print("\nthresholds: share decided and precision, of each kind of request; of all")
    for thresholds in THRESHOLDS:
        told = []
        for kinds in (("stored",), ("removed",), ("near",), ("absent",), ("stored", "removed", "near", "absent")):
            outcomes = [one.outcome(*thresholds) for one in found if one.of.kind in kinds]
            right = [is_right for is_decided, is_right in outcomes if is_decided]
            told.append(f"{len(right) / max(1, len(outcomes)):5.1%} {np.mean(right) if right else np.nan:6.1%}")
        print(f"{thresholds}  {'   '.join(told)}", flush=True)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("embedder", type=Path, help="folder of a prepared embedder")
    model = FastEmbedder(arguments.parse_args().embedder, threads=1)
    found = list(batches(Path("suites")))
    twins = read_twins(Path("suites/twins"), "twins", read_cases(Path("suites/adversarial"), "adversarial"))
    every = [*(case for _, _, cases in found for case in cases), *twins]
    texts = list(dict.fromkeys(text for case in every for text in case.texts()))
    embedder = CachedEmbedder(dict(zip(texts, model.embed(texts), strict=True)), model)

    def vectors(asked: Sequence[str]) -> Floats:
        return embedder.embed(list(asked)).astype("float64")

    seen = list(examples(found, vectors))
    cases = {name: own for name, _, own in found}
    authors = [name for name, weight, _ in found if weight == WEIGHT]
    everything: list[Decided] = []
    print("with the matcher, where it asks, store alone: passed, and whole, lost of what stays; decided, rightly")
    for group in [*(authors[start::GROUPS] for start in range(GROUPS)), ["adversarial"]]:
        weights = Weights.from_json(learned(seen, group))
        for name in group:
            own = [decided(one, weights) for one in seen if one.batch == name]
            print_author(name, [case for case in cases[name] if not case.twin_of], weights, embedder, own)
            of_author = [case for case in cases[name] if case.twin_of] if name in authors else twins
            if of_author:
                print_author(f"{name}, twins", of_author, weights, embedder, [])
            everything += own if name in authors else []
    print_curve(everything)


if __name__ == "__main__":
    main()
