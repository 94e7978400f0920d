"""The extras of the workflow's environment (envs/extras), and whether they are installed here."""

from collections.abc import Mapping
from importlib.util import find_spec

from forgeteval.errors import UserError

MODULES: Mapping[str, str] = {
    "matcher": "rapidfuzz",
    "endpoints": "openai",
    "hub": "fastembed",
    "sheets": "openpyxl",
}
"""A module of each extra, which no other one has."""


def reason_lacking(extra: str) -> str:
    """Why what needs an extra does not run; empty where the extra is installed. Nothing is imported."""
    return "" if find_spec(MODULES[extra]) else lack(extra)


def lack(extra: str) -> str:
    """What is said where an extra is not installed."""
    return f"needs the extra {extra} (make env-all)"


def require(extra: str, what: str) -> None:
    """Raise UserError, about what needs the extra, where it is not installed."""
    if reason := reason_lacking(extra):
        raise UserError(f"{what}: {reason}")
