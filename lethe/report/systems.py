"""What each configuration is, in words, and what the erasure audit found of it."""

from collections.abc import Mapping, Sequence
from typing import Any

from forgeteval.cases.case import OPERATIONS
from lethe.config.configurations import Configuration
from lethe.report.words import WORDS
from lethe.study.setup import Setup
from lethe.tables.table import Table


def describe_systems(
    setup: Setup, tables: Mapping[str, Table], packages: Mapping[str, Sequence[str]]
) -> list[dict[str, Any]]:
    """One record of each configuration, in the order of the tables.

    Args:
        tables: by name; of `erasure`, if it is there, the rows that begin with a configuration's label are shown.
        packages: `NAME==VERSION` of what each environment of the run held.
    """
    return [
        {
            "name": name,
            "label": entry.label,
            "regime": entry.regime,
            "model": setup.models.get(entry.model, entry.model),
            "recorded": entry.model in setup.recorded,
            "told": "oracle" in (entry.backend, entry.hook),
            "mark": WORDS["marks"].get(entry.backend, ""),
            "caveat": setup.caveats.get(name, ""),
            "what": _what(entry, packages),
            "erasure": _erasure(entry.label, tables.get("erasure")),
        }
        for name, entry in setup.configurations.items()
    ]


def _what(entry: Configuration, packages: Mapping[str, Sequence[str]]) -> list[str]:
    lines = [WORDS["regimes"].get(entry.regime, f"Regime: {entry.regime}.")]
    if entry.not_run:
        return [*lines, f"It cannot be run: {entry.not_run}."]
    if entry.regime == "control" and not entry.hook:
        return [*lines, WORDS["controls"].get(entry.backend, "")]
    return [
        *lines,
        WORDS["backends"].get(entry.backend, ""),
        f"Backend {entry.backend}, in the environment {entry.environment}{_versions(entry.environment, packages)}.",
        *(f"{operation.capitalize()}: {_operation(entry, operation)}." for operation in OPERATIONS),
        WORDS["contracts"][entry.contract],
    ]


def _versions(environment: str, packages: Mapping[str, Sequence[str]]) -> str:
    """The packages that a system consists of, of those in its environment; empty where they are not known."""
    shown = WORDS["packages"].get(environment, ())
    installed = dict(package.lower().split("==", 1) for package in packages.get(environment, ()) if "==" in package)
    found = ", ".join(f"{name} {installed[name]}" for name in shown if name in installed)
    return f": {found}" if found else ""


def _operation(entry: Configuration, operation: str) -> str:
    if entry.hook:
        return str(WORDS["planners"].get(entry.hook, f"{entry.hook} decides which memories are meant"))
    if operation in entry.policies:
        policy = entry.policies[operation]
        return f"composed here, {WORDS['policies'].get(policy, policy)}"
    if entry.policies or entry.regime == "no deletion":
        return "not offered (N/A)"
    return "its own operation"


def _erasure(label: str, table: Table | None) -> list[list[list[str]]] | None:
    """Pairs of head and cell of each row of a configuration; None where the audit did not run on it."""
    if table is None:
        return None
    rows = [row for row in table.rows() if row and row[0].text == label]
    shown = [[[head, cell.text] for head, cell in zip(table.header, row, strict=True) if cell.text][1:] for row in rows]
    return shown or None
