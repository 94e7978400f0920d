"""What tests of the adapters for agents need: their packages, and files in which to look for what was erased."""

import os
from pathlib import Path
from types import ModuleType

import pytest


def package(name: str) -> ModuleType | None:
    """The package of an extra, without which a test module is skipped; in continuous integration it must be there."""
    if os.environ.get("CI") == "true":
        return None
    return pytest.importorskip(name, reason="needs the extra agents (make env-all)")  # type: ignore[no-any-return]


def held(path: Path, *needles: str) -> list[str]:
    """Which of these stand in the file of a store or beside it, as UTF-8 or UTF-16, in any case."""
    content = b"".join(each.read_bytes() for each in path.parent.glob(f"{path.name}*")).lower()
    forms = {needle: [needle.lower().encode(coding) for coding in ("utf-8", "utf-16-le")] for needle in needles}
    return [needle for needle, of_needle in forms.items() if any(form in content for form in of_needle)]
