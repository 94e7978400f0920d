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
    "checks": "Near-duplicates",
    "judges": "Judges of the written cases",
    "judge_labels": "Judges on the paper's sample",
    "handed_in": "Handed in",
}
"""The heading of each module's tables."""
