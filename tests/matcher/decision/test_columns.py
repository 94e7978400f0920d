"""Columns: the evidence of each decision is what its weights were learned from."""

import numpy as np
import pytest

from lethe.matcher import EVIDENCE_KINDS
from lethe.matcher.decision.kinds import kind_of, table
from lethe.matcher.decision.link_columns import of_links
from lethe.matcher.decision.meant import first_columns, ties_of
from lethe.matcher.decision.outdated import clause_columns
from lethe.matcher.decision.superseded import superseded_columns
from lethe.matcher.decision.weights import shipped

MEMORIES = ["Ana's badge is HB-204", "The piano is tuned in May", "Émile sings"]


def test_each_decision_has_the_columns_of_its_weights_in_their_order() -> None:
    weights = shipped()
    first = first_columns("HB-204", MEMORIES, None, purge=True)
    beside = of_links(ties_of("HB-204", MEMORIES), np.full(3, 0.5), None)
    facts = superseded_columns("Ana's badge", "Ana's badge is HB-315", MEMORIES, [], None)
    pieces = clause_columns("Ana sings and Bo plays", "Bo's instrument", "Bo drums", None, None)
    assert tuple(sorted(first)) == weights.likely.columns
    assert (*sorted(beside), *sorted(first)) == weights.meant.columns
    assert tuple(sorted(facts)) == weights.superseded.columns
    assert tuple(sorted(pieces)) == weights.outdated.columns


@pytest.mark.parametrize("memories", [["x"], ["", "?!"], ["🙂", "the"]])
def test_odd_texts_give_finite_or_missing_evidence(memories: list[str]) -> None:
    for request in ("", "the", "🙂", "1"):
        rows = table(first_columns(request, memories, None, purge=False))
        assert rows.shape[0] == len(memories)
        assert not np.isinf(rows).any()


def test_a_kind_left_out_has_no_values_and_the_others_keep_theirs() -> None:
    columns = first_columns("HB-204", MEMORIES, None, purge=True)
    whole, part = table(columns), table(columns, frozenset(["identifiers"]))
    of_kind = np.array([kind_of(name) == "identifiers" for name in sorted(columns)])
    assert np.isnan(part[:, of_kind]).all()
    assert np.array_equal(part[:, ~of_kind], whole[:, ~of_kind], equal_nan=True)


def test_every_kind_has_columns_in_some_decision() -> None:
    weights = shipped()
    found = {kind_of(name) for trees in (weights.meant, weights.superseded, weights.outdated) for name in trees.columns}
    assert found - {None} == set(EVIDENCE_KINDS) - {"clauses"}
