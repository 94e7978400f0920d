"""A badge: what shields.io/endpoint wants to read."""

import json

from forgeteval.run.results import Results

_COLORS = ((0.9, "brightgreen"), (0.75, "green"), (0.5, "yellowgreen"), (0.3, "yellow"), (0.15, "orange"))
"""From which pass rate on a badge has which colour."""


def badge_json(results: Results) -> str:
    """The score as JSON of shields.io's schema version 1."""
    return json.dumps(
        {
            "schemaVersion": 1,
            "label": "ForgetEval",
            "message": f"{results.passed} of {results.total}",
            "color": next((color for share, color in _COLORS if results.rate.share >= share), "red"),
        }
    )
