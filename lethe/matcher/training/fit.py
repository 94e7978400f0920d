"""Boosted trees fitted to labelled rows, as the JSON that `decision.trees` reads."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from lethe.matcher.decision.trees import Floats

SETTINGS = {
    "max_iter": 100,
    "learning_rate": 0.1,
    "max_leaf_nodes": 8,
    "min_samples_leaf": 20,
    "l2_regularization": 1.0,
    "early_stopping": False,
    "random_state": 0,
}


def fit(columns: Sequence[str], rows: Floats, labels: Floats, weights: Floats, **settings: Any) -> dict[str, Any]:
    """Trees for rows × columns with labels 0 and 1; `weights` says how much each row counts."""
    known = np.where(np.isnan(rows).all(axis=0), 0.0, rows)  # the library cannot bin a column without values
    model = HistGradientBoostingClassifier(**SETTINGS | settings).fit(known, labels, sample_weight=weights)
    trees = [_tree(predictors[0].nodes) for predictors in model._predictors]
    return {
        "columns": list(columns),
        "base": round(float(model._baseline_prediction.item()), 6),
        "depth": max(int(predictors[0].nodes["depth"].max()) for predictors in model._predictors),
        "trees": trees,
    }


def _tree(nodes: Any) -> dict[str, list[Any]]:
    own = np.arange(len(nodes))
    is_leaf = nodes["is_leaf"].astype(bool)
    left, right = (np.where(is_leaf, own, nodes[side]) for side in ("left", "right"))
    value = np.where(is_leaf, nodes["value"], 0.0)
    for node in own[::-1]:  # children come after their parent
        if not is_leaf[node]:
            both = [left[node], right[node]]
            value[node] = np.average(value[both], weights=nodes["count"][both])
    return {
        "column": np.where(is_leaf, 0, nodes["feature_idx"]).astype(int).tolist(),
        "threshold": [round(float(at), 6) for at in np.where(is_leaf, 0.0, nodes["num_threshold"])],
        "left": left.astype(int).tolist(),
        "right": right.astype(int).tolist(),
        "missing_left": nodes["missing_go_to_left"].astype(int).tolist(),
        "value": [round(float(at), 6) for at in value],
    }
