"""All labelled decisions as the matcher sees them, and the weights learned from them."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from forgeteval.cases.case import Case
from lethe.matcher.decision.meant import Vectors
from lethe.matcher.training.clauses import Cut, cuts, learned_clauses
from lethe.matcher.training.decisions import decisions
from lethe.matcher.training.learn import Example, examples, learned


@dataclass(frozen=True)
class Seen:
    """The decisions of all batches, and the memories of several clauses in them."""

    examples: list[Example]
    cuts: list[Cut]

    @classmethod
    def of(cls, batches: Iterable[tuple[str, float, list[Case]]], embed: Vectors) -> "Seen":
        """Args:
        batches: as `material.batches` yields them.
        embed: texts to unit vectors.
        """
        seen = cls([], [])
        for name, weight, cases in batches:
            found = [decision for case in cases for decision in decisions(case)]
            seen.examples.extend(examples(name, found, embed, weight))
            seen.cuts.extend(cuts(name, found, embed, weight))
        return seen

    def weights(self, without: Collection[str] = ()) -> dict[str, Any]:
        """The weights of all decisions as JSON, learned without some batches."""
        left = [one for one in self.examples if one.batch not in without]
        return {**learned(left), "outdated": learned_clauses([one for one in self.cuts if one.batch not in without])}
