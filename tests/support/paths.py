"""Folders of the project that tests read."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = ROOT / ".environments"
BUILDING = ENVIRONMENTS / "being-built"
"""Locked by whoever builds in that folder."""
PUBLISHED = ROOT / "config" / "published.csv"
ADVERSARIAL = ROOT / "suites" / "adversarial"
HELD_OUT = ROOT / "suites" / "held_out"
