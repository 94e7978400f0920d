"""Check that no judge shares its model family with a hook (paper, section "Adversarial layer", Stage 2)."""

from collections.abc import Iterable, Mapping
from typing import Any

from lethe.errors import LetheError

Models = Mapping[str, Mapping[str, Any]]
"""Entries of config/models.yaml by name."""


def check_families(models: Models, hooked: Iterable[str], judges: Iterable[str], allow_same_family: bool) -> None:
    """Check the configured judges against the models that plan mutations.

    Raises:
        LetheError: if a judge is not configured, or shares a hooked model's family and that is not allowed.
    """
    planners = list(hooked)
    for judge in judges:
        if judge not in models:
            known = ", ".join(models) or "no model"
            raise LetheError(f"config: llm.judges: unknown name {judge!r}; config/models.yaml has {known}")
        for planner in planners:
            if not allow_same_family and same_model_family(models[judge]["family"], models[planner]["family"]):
                raise LetheError(
                    f"config: llm.judges: {judge} is of the model family {models[judge]['family']!r}, like the hooked "
                    f"model {planner}; choose a judge of another model family or set llm.allow_same_family"
                )


def same_model_family(first: str, second: str) -> bool:
    """Whether two model families are the same, ignoring capitals and surrounding white space."""
    return first.strip().casefold() == second.strip().casefold()
