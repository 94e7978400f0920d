"""Columns: the evidence of each decision is what its weights were learned from."""

import numpy as np
import pytest

from lethe.matcher import EVIDENCE_KINDS
from lethe.matcher.decision.choice import Mutation, Operation, View
from lethe.matcher.decision.columns import kind_of
from lethe.matcher.decision.weights import shipped

MEMORIES = ("Ana's badge is HB-204", "The piano is tuned in May", "Émile sings")


def view(operation: Operation, query: str, memories: tuple[str, ...] = MEMORIES, new_fact: str = "") -> View:
    return View.of(Mutation(operation, query, new_fact, memories, ("",) * len(memories)), None)


def test_each_decision_has_the_columns_of_its_weights_in_their_order() -> None:
    weights = shipped()
    purge, fact = view("purge", "HB-204"), view("supersede", "Ana's badge", new_fact="Ana's badge is HB-315")
    assert purge.names == weights.asked.columns
    assert fact.names == weights.superseded.columns
    for one in (purge, fact):
        assert tuple(sorted(one.beside(np.full(3, 0.4), np.zeros(3, dtype=bool)))) == weights.sure.columns


@pytest.mark.parametrize("memories", [("x",), ("", "?!"), ("🙂", "the")])
def test_odd_texts_give_finite_or_missing_evidence(memories: tuple[str, ...]) -> None:
    for request in ("", "the", "🙂", "1"):
        rows = view("release", request, memories).rows()
        assert rows.shape[0] == len(memories)
        assert not np.isinf(rows).any()


def test_a_kind_left_out_has_no_values_and_the_others_keep_theirs() -> None:
    found = view("purge", "HB-204")
    whole, part = found.rows(), found.rows(frozenset(["identifiers"]))
    of_kind = np.array([kind_of(name) == "identifiers" for name in found.names])
    assert np.isnan(part[:, of_kind]).all()
    assert np.array_equal(part[:, ~of_kind], whole[:, ~of_kind], equal_nan=True)


def test_every_kind_has_columns() -> None:
    weights = shipped()
    found = {kind_of(name) for trees in (weights.asked, weights.superseded, weights.sure) for name in trees.columns}
    assert found - {None} == set(EVIDENCE_KINDS)


def test_a_new_fact_takes_the_place_of_one_memory_at_most() -> None:
    found = view("supersede", "Ana's badge", new_fact="Ana's badge is HB-315")
    assert found.chosen(np.array([0.7, 0.8, 0.2])).tolist() == [False, True, False]
    assert found.chosen(np.array([0.1, 0.2, 0.2])).tolist() == [False] * 3


def test_a_look_alike_is_not_chosen_however_likely() -> None:
    found = view("purge", "HB-205")
    assert found.chosen(np.array([0.9, 0.9, 0.1])).tolist() == [False, True, False]
