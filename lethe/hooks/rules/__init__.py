"""The rules hook: the three decisions of a Planner by deterministic rules, no model but, if given, the embedder."""

from lethe.hooks.rules.planner import RULE_FAMILIES, RulesPlanner

__all__ = ["RULE_FAMILIES", "RulesPlanner"]
