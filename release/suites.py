"""Our own suites, put into the package: python -m release.suites"""

from pathlib import Path
from typing import Any

import yaml

from forgeteval.cases.case import Case
from forgeteval.cases.errata import suite_version
from forgeteval.cases.interchange import cases_sha256
from forgeteval.cases.packaged import DATA_FILES, Packaged, write_packaged
from forgeteval.cases.suites import DISTRACTORS, build_suite
from forgeteval.errors import one_line_errors

_ROOT = Path(__file__).parents[1]
CONFIGURATION = _ROOT / "config" / "suites.yaml"
PACKAGED = _ROOT / "forgeteval" / "cases" / DATA_FILES[0]


def our_suites() -> list[tuple[Packaged, list[Case]]]:
    """The suites of the configuration that are generated or written for this project, in its order."""
    configured: dict[str, dict[str, Any]] = yaml.safe_load(CONFIGURATION.read_text(encoding="utf-8"))["suites"]
    return [
        _built(name, options) for name, options in configured.items() if options.keys() & {"cases_per_family", "folder"}
    ]


def _built(name: str, options: dict[str, Any]) -> tuple[Packaged, list[Case]]:
    placed = options | {key: str(_ROOT / options[key]) for key in ("folder", "twins_of") if key in options}
    cases = build_suite(name, placed)
    template = None
    if "cases_per_family" in options:
        template = {key: options[key] for key in ("seed", "cases_per_family")} | {"distractors": DISTRACTORS}
    return Packaged(name, options["label"], suite_version(placed), len(cases), cases_sha256(cases), template), cases


if __name__ == "__main__":
    with one_line_errors():
        write_packaged(PACKAGED, our_suites())
