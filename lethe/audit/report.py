"""The versions of everything that ran, as text."""

from collections.abc import Mapping
from typing import Any


def versions_text(versions: Mapping[str, Any]) -> str:
    """One line for the machine, the code and each environment; the packages are those of its lock."""
    if not versions:
        return "versions: not recorded"
    machine = versions["machine"]
    lines = [f"code {versions['code']}, Python {machine['python']} on {machine['platform']}"]
    for name, packages in versions["environments"].items():
        named = [package for package in packages if "==" in package]
        lines.append(f"{name}: {len(named)} packages: {', '.join(named)}")
    return "\n".join(lines)
