"""The matcher: a Planner without a chat model (docs/matcher.md)."""

EVIDENCE_KINDS: tuple[str, ...] = (
    "words", "names", "identifiers", "times", "meaning", "links", "clauses",
)  # fmt: skip
"""The kinds of evidence that a decision may rest on."""
