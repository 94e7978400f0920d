"""The nine edits at rest of `agent-memory-integrity`, run from the index's package: the table of docs/store.md."""

from pathlib import Path
from typing import get_args

import pytest

pytest.importorskip("agmi", reason="agent-memory-integrity is of the extras (make env-all)")

from agmi.attacks.at_rest import AT_REST_ATTACKS_WITH_SNAPSHOT, MetadataTamperAttack
from agmi.check import LABELS

from tests.support.integrity import Asked, Attacker, Label, LetheAtRest

PAGE = Path(__file__).parents[2] / "docs" / "store.md"


def verdict(attack: type, attacker: Attacker, asked: Asked, label: Label = "source") -> str:
    result = attack().run(LetheAtRest(attacker, asked, label))
    assert result.guard is None and result.error is None, (result.guard, result.error)
    if not result.detected:
        return "accepted"
    return "rejected" if asked == "read with the key" else "reported"


def test_the_table_of_the_page_is_what_the_suite_finds() -> None:
    columns = [(attacker, asked) for asked in get_args(Asked) for attacker in get_args(Attacker)]
    lines = [
        "| edit | " + " | ".join(f"{asked}: {attacker}" for attacker, asked in columns) + " |",
        "|---" * (len(columns) + 1) + "|",
    ]
    for attack in AT_REST_ATTACKS_WITH_SNAPSHOT:
        verdicts = [verdict(attack, attacker, asked) for attacker, asked in columns]
        lines.append(f"| {LABELS[attack.name]} | " + " | ".join(verdicts) + " |")
    labels: tuple[Label, ...] = ("actor", "reason")
    for label in labels:
        verdicts = [verdict(MetadataTamperAttack, attacker, asked, label) for attacker, asked in columns]
        lines.append(f"| {LABELS[MetadataTamperAttack.name]}: {label} | " + " | ".join(verdicts) + " |")
    table = "\n".join(lines)
    assert table in PAGE.read_text(encoding="utf-8"), f"docs/store.md has another table than this run:\n{table}"
