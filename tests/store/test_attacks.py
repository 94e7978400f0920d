"""The attacks of `agent-memory-integrity` through a store's own API: the table of docs/store.md."""

from pathlib import Path

import pytest

pytest.importorskip("agmi", reason="agent-memory-integrity is of the extras (make env-all)")

from agmi.attacks.memory_specific import ALL_MEMORY_ATTACKS, IndirectPromptInjectionAttack, RetrievalHijackAttack

from tests.support.writing import READS, LetheByItsApi, Read

PAGE = Path(__file__).parents[2] / "docs" / "store.md"


def verdict(attack: type, read: Read, *, mutate: bool = False) -> str:
    result = attack(mutate=mutate).run(LetheByItsApi(read))
    assert result.error is None, result.error
    surfaced = [f"{channel} {sum(told)} of {len(told)}" for channel, told in result.channels.items() if any(told)]
    assert all(None not in told for told in result.channels.values())
    assert result.safe is not bool(surfaced)
    return ", ".join(surfaced) or "kept out"


def test_the_table_of_the_page_is_what_the_suite_finds() -> None:
    lines = ["| attack | " + " | ".join(READS) + " |", "|---" * (len(READS) + 1) + "|"]
    for attack in ALL_MEMORY_ATTACKS:
        lines.append(f"| {attack.name} | " + " | ".join(verdict(attack, read) for read in READS) + " |")
    table = "\n".join(lines)
    assert table in PAGE.read_text(encoding="utf-8"), f"docs/store.md has another table than this run:\n{table}"


def test_the_page_says_what_passes_when_it_is_reworded() -> None:
    assert verdict(RetrievalHijackAttack, READS[-1], mutate=True) == "agent-laundered 2 of 5"
    assert verdict(IndirectPromptInjectionAttack, READS[-1], mutate=True) == "kept out"
