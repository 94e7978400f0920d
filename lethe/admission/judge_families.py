"""Judge and hook must not be of one model family (paper, section "Adversarial layer", Stage 2)."""

from collections.abc import Iterable, Mapping
from typing import Any

from lethe.errors import LetheError

Models = Mapping[str, Mapping[str, Any]]
"""The entries of config/models.yaml by name."""


def check_families(models: Models, hooked: Iterable[str], judges: Iterable[str], allow_same_family: bool) -> None:
    """Check the configured judges against the models that plan mutations.

    Raises:
        LetheError: where a judge is not configured, or is of a hooked model's family and that is not allowed.
    """
    planners = list(hooked)
    for judge in judges:
        if judge not in models:
            known = ", ".join(models) or "no model"
            raise LetheError(f"config: llm.judges: unknown name {judge!r}; config/models.yaml knows {known}")
        for planner in planners:
            if not allow_same_family and same_family(models[judge]["family"], models[planner]["family"]):
                raise LetheError(
                    f"config: llm.judges: {judge} is of the family {models[judge]['family']!r}, as is the hooked model "
                    f"{planner}; take a judge of another family or set llm.allow_same_family"
                )


def same_family(first: str, second: str) -> bool:
    """True where two families are one; capitals and white space around them do not count."""
    return first.strip().casefold() == second.strip().casefold()
