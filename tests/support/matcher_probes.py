"""The probes of the matcher: requests and memories written for its tests (tests/planners/matcher/probes)."""

import json
from pathlib import Path
from typing import Any

import pytest

from lethe.planners.protocol import Matches

PROBES = Path(__file__).parents[1] / "planners" / "matcher" / "probes"
UNSOLVED = frozenset((PROBES / "unsolved.txt").read_text(encoding="utf-8").splitlines())
"""Names of probes that the matcher does not solve: docs/matcher.md says why."""


def probes(name: str) -> list[dict[str, Any]]:
    """The probes of a JSON Lines file."""
    return [json.loads(line) for line in (PROBES / name).read_text(encoding="utf-8").splitlines()]


def solved_or_known(name: str) -> pytest.MarkDecorator | tuple[()]:
    """A strict expected failure for the name of an unsolved probe; no mark for any other."""
    return pytest.mark.xfail(strict=True, reason="docs/matcher.md") if name in UNSOLVED else ()


def positions(decision: object) -> set[int]:
    """The positions that a purge or release matches; none for any other decision."""
    return set(decision.indices) if isinstance(decision, Matches) else set()
