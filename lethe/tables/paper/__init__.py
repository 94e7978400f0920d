"""What a reviewer of the paper reads: its nineteen tables on its cases, in its order; what stands for each number of
them; then what follows from its cases and its release without further runs."""

PARTS = {
    "nineteen": "The nineteen tables",
    "replication": "What was printed, and what was found",
    "worth": "The published runs",
    "replicas": "Runs that were repeated",
    "release": "What the release says of itself",
    "appendices": "The paper's appendices",
    "scorer_audit": "The scorer audited",
    "agreement": "Annotators",
}
"""The heading of each module's tables."""
