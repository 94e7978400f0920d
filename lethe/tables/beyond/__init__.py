"""The tables of what this project adds to the paper: a part for each module, in this order."""

PARTS = {
    "suites": "This project's suites",
    "systems": "Every system, under both contracts",
    "states": "What became of each fact",
    "comparisons": "Systems side by side",
    "matcher": "The planner without a model",
    "model_size": "Hooks by the size of their model",
    "models": "What a chat model costs",
    "long": "Long histories",
    "erasure": "The erasure audit",
    "atlas": "The atlas",
    "embedders": "Embedders",
    "crosseval": "Benchmarks of other authors, all systems",
    "worth": "The published runs",
    "release": "What the release says of itself",
    "replicas": "Runs that were repeated",
    "appendices": "The paper's appendices",
    "scorer_audit": "The scorer audited",
    "checks": "Near-duplicates",
    "judges": "Judges of the written cases",
    "judge_labels": "Judges on the paper's sample",
    "agreement": "Annotators",
    "handed_in": "Handed in",
}
"""The heading of each module's tables."""
