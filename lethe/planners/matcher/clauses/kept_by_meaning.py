"""Which of the parts that may stay of a memory do stay beside a new fact, weighed by what they mean.

No form tells that "starts at two" goes out of date with "works in a bread factory", and "keeps bees" does not. What
tells is the similarity of their words, without names, to the new fact and to the query, compared with that of the
outdated part. A new fact that makes two statements leaves less of a memory than one that makes a single one.
"""

import re
from collections.abc import Mapping, Sequence

from lethe.planners.matcher.choice.value_kinds import kinds
from lethe.planners.matcher.clauses.nearness import nearness, without_introduction
from lethe.planners.matcher.clauses.part import Part, is_statement
from lethe.planners.matcher.clauses.splitting import split
from lethe.planners.matcher.text.similarity import Similarity
from lethe.planners.matcher.text.syntax import is_denial

_FORM = {
    "kind of value": 1.2,
    "statements of the fact": -1.6,
    "participle": -1.2,
    "own unit": 0.9,
    "possession": 1.3,
    "pronoun": -1.1,
    "own subject": 1.0,
    "fragment": -1.0,
    "two things asked": -1.2,
    "turned or ended": -1.2,
    "constant": 1.6,
}
"""The weights of what needs no embedder."""
WEIGHTS = {"nearer to the fact": -3.2, "nearer to the query": -2.5, **_FORM}
"""The weights of all features: round numbers near those of a logistic regression over the parts that form alone would
keep in the cases developed on (docs/matcher.md)."""
_CLEAR = 0.0
"""Weighed form from which a part stays without being compared: of 114 such parts in the cases developed on, similarity
would have overturned 2."""
_PARTICIPLE = re.compile(r"\w+(?:ed|ing|en)\b")
_POSSESSION = re.compile(r"(?:his|her|their|its)\b", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:it|them|ones?)\b", re.IGNORECASE)
_ENDED = re.compile(
    r"\b(?:no (?:more|longer)|g[ai]ven? up|stopped|quit|retired|sold|called off|is over|cancelled|instead|"
    r"without|never)\b",
    re.IGNORECASE,
)
_MOST = 2
"""The most statements of a new fact that are counted."""


def staying(
    parts: Sequence[Part],
    target: Part,
    opening: str,
    asked: str,
    fact: str,
    similarity: Similarity,
) -> list[Part]:
    """Those of `parts` that stay when `fact` takes the place of `target`.

    Args:
        parts: the parts that may stay.
        target: the outdated part.
        opening: what the memory is about.
        asked, fact: the cleaned query and new fact.
    """
    by_form = _by_form(parts, target, asked, fact)
    unclear = [part for part, memory in zip(parts, by_form, strict=True) if _weighed(memory, _FORM) < _CLEAR]
    if not unclear:
        return list(parts)
    values = features(unclear, target, opening, asked, fact, similarity)
    gone = [part for part, memory in zip(unclear, values, strict=True) if _weighed(memory, WEIGHTS) <= 0]
    return [part for part in parts if part not in gone]


def _weighed(values: Sequence[float], weights: Mapping[str, float]) -> float:
    return sum(weight * value for weight, value in zip(weights.values(), values, strict=True))


def features(
    parts: Sequence[Part],
    target: Part,
    opening: str,
    asked: str,
    fact: str,
    similarity: Similarity,
) -> list[tuple[float, ...]]:
    """The value of each feature of WEIGHTS, for each part; arguments as for `staying`."""
    (query_to_old, fact_to_old), *near = nearness([target, *parts], opening, asked, fact, similarity)
    return [
        (to_fact - fact_to_old, to_query - query_to_old, *form)
        for (to_query, to_fact), form in zip(near, _by_form(parts, target, asked, fact), strict=True)
    ]


def _by_form(parts: Sequence[Part], target: Part, asked: str, fact: str) -> list[tuple[float, ...]]:
    """The value of each feature of _FORM, for each part."""
    statements = min(len(split(fact)), _MOST)
    kind = _kinds(target.said)
    is_turned = is_denial(fact) != is_denial(target.said) or _ENDED.search(fact) is not None
    return [
        (
            float(bool(_kinds(part.said) & kind)),
            statements,
            float(bool(_PARTICIPLE.match(without_introduction(part)))),
            float(part.kind == "unit"),
            float(bool(_POSSESSION.match(without_introduction(part)))),
            float(bool(_PRONOUN.search(without_introduction(part)))),
            float(not part.head),
            float(not is_statement(part)),
            float(" and " in asked),
            float(is_turned),
            1.0,
        )
        for part in parts
    ]


def _kinds(text: str) -> frozenset[str]:
    return kinds(text, frozenset()) - {"name"}
