"""The nineteen tables of the paper, on the paper's cases, in its order."""

PARTS = {"nineteen": "The nineteen tables"}
"""The heading of each module's tables."""
