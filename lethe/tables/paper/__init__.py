"""The nineteen tables of the paper, on the paper's cases, in its order; then what stands for each number of them."""

PARTS = {"nineteen": "The nineteen tables", "replication": "What was printed, and what was found"}
"""The heading of each module's tables."""
