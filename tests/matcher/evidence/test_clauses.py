"""Clauses: where a memory is cut, and the text of what stays."""

import pytest

from lethe.matcher.evidence.clauses import clauses, staying


@pytest.mark.parametrize(
    ("memory", "out", "left"),
    [
        ("Ana lives in Rome. She has a dog.", {0}, "She has a dog."),
        ("Ana plays bass and drives a dented van.", {0}, "Ana drives a dented van."),
        ("Ana plays bass and drives a dented van.", {1}, "Ana plays bass."),
        ("The plant, which runs on two shifts, gets steel from Benda.", {1}, "The plant runs on two shifts."),
        (
            "The plant, which runs on two shifts, gets steel from Benda.",
            {0},
            "The plant gets steel from Benda.",
        ),
        ("Coach Sallow, whose badge is blue, trains the juniors.", {1}, "Coach Sallow's badge is blue."),
        ("Biscuit (microchip 985) is fed kibble.", {1}, "Biscuit (microchip 985)."),
        ("voice server: port 9987, max 40 slots", {0}, "Voice server: max 40 slots."),
        (
            "The day crew has the forklift, while the night crew reports to Esq.",
            {0},
            "The night crew reports to Esq.",
        ),
        ("name=Ana; city=Rome; phone=12", {1}, "Name=Ana. phone=12."),
        ("安娜住在罗马。她有一只狗。", {0}, "她有一只狗。"),
    ],
)
def test_what_stays_is_text_with_its_subject(memory: str, out: set[int], left: str) -> None:
    assert staying(memory, out) == left


@pytest.mark.parametrize("memory", ["Ana lives in Rome", "Bread and butter", "Dr. Vance is in", "x"])
def test_one_statement_is_not_cut(memory: str) -> None:
    assert len(clauses(memory)) == 1


def test_nothing_stays_when_all_goes() -> None:
    memory = "Ana lives in Rome. She has a dog."
    assert staying(memory, {0, 1}) == ""
