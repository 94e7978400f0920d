"""The matcher: a Planner without a chat model that acts where it is sure (docs/matcher.md)."""

EVIDENCE_KINDS: tuple[str, ...] = ("words", "names", "identifiers", "times", "meaning")
"""The kinds of evidence that a decision may rest on."""
