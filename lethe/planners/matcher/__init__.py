"""The matcher: a Planner without a chat model (docs/matcher.md)."""

from lethe.planners.matcher.planner import EVIDENCE_KINDS, Matcher

__all__ = ["EVIDENCE_KINDS", "Matcher"]
