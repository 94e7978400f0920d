"""A reason against a case."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rejection:
    """One reason against a case: `reason` for programs, `detail` for people."""

    case_id: str
    reason: str
    detail: str
