"""The matcher: the three decisions of a Planner by deterministic rules, no model but, if given, the embedder."""

from lethe.planners.matcher.planner import EVIDENCE_KINDS, Matcher

__all__ = ["EVIDENCE_KINDS", "Matcher"]
