"""Boosted trees: fitted, written as JSON, scored as their library scores them, and explained."""

import json

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from lethe.matcher.decision.trees import Floats, Trees, odds
from lethe.matcher.decision.weights import shipped
from lethe.matcher.training.fit import SETTINGS, fit

COLUMNS = ("length", "noise", "gaps")


@pytest.fixture(scope="module")
def rows() -> Floats:
    chance = np.random.default_rng(3)
    rows = chance.normal(size=(400, 3)).round(3)
    rows[chance.random(400) < 0.3, 2] = np.nan
    return rows


@pytest.fixture(scope="module")
def labels(rows: Floats) -> Floats:
    return ((rows[:, 0] > 0.2) | np.isnan(rows[:, 2])).astype(float)


@pytest.fixture(scope="module")
def trees(rows: Floats, labels: Floats) -> Trees:
    return Trees.from_json(json.loads(json.dumps(fit(COLUMNS, rows, labels, np.ones(400)))))


def test_scores_are_those_of_the_library(trees: Trees, rows: Floats, labels: Floats) -> None:
    model = HistGradientBoostingClassifier(**SETTINGS).fit(rows, labels, sample_weight=np.ones(400))
    assert np.abs(trees.scores(rows) - model.decision_function(rows)).max() < 1e-3


def test_what_each_column_gives_adds_up_to_the_score(trees: Trees, rows: Floats) -> None:
    moved = trees.contributions(rows)
    assert moved.shape == rows.shape
    means = np.array([tree[0] for tree in trees.value]).sum() + trees.base
    assert np.allclose(moved.sum(axis=1) + means, trees.scores(rows))


def test_an_explanation_names_what_moved_the_score_most(trees: Trees) -> None:
    told = trees.explain(np.array([2.0, 0.0, 1.0]))
    assert told.startswith(("length +", "gaps -"))
    assert "noise" not in told.split(", ")[0]


def test_odds_are_probabilities() -> None:
    assert odds([0.0]).tolist() == [0.5]
    assert 0 < odds([-30.0])[0] < odds([30.0])[0] < 1


def test_the_weights_that_ship_name_their_columns_once() -> None:
    weights = shipped()
    for trees in (weights.asked, weights.superseded, weights.sure, weights.absent):
        assert len(set(trees.columns)) == len(trees.columns)
        assert trees.column.max() < len(trees.columns)
    assert weights.sure.columns == weights.absent.columns
