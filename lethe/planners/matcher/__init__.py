"""The matcher: a Planner without a chat model (docs/matcher.md)."""

EVIDENCE_KINDS: tuple[str, ...] = ("identity", "names", "links", "scope", "choice", "clauses")
"""The kinds of evidence that a decision may rest on."""
