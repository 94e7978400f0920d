"""Ties: what memories share that the request does not say."""

import numpy as np

from lethe.matcher.evidence.ties import ties

MEMORIES = [
    "Ana Rossi rents the boat shed",
    "Rossi pays on Fridays",
    "It is beside ticket 4711",
    "The boat shed leaks, ticket 4711",
    "阿娜 sings",
]


def test_a_memory_is_tied_to_others_and_never_to_itself() -> None:
    found = ties("Ana", MEMORIES)
    for tied in (found.name, found.word, found.code, found.type, found.phrase, found.beside):
        assert tied.shape == (5, 5)
        assert not tied.diagonal().any()
    assert not found.weight.diagonal().any()


def test_names_words_codes_and_phrases_tie() -> None:
    found = ties("Ana", MEMORIES)
    assert found.name[0, 1]
    assert found.word[0, 3]
    assert not found.word[0, 1]
    assert found.code[2, 3]
    assert found.phrase[0, 3]
    assert not found.phrase[0, 1]
    assert found.anaphor == [False, False, True, False, False]


def test_what_the_request_says_ties_nothing() -> None:
    assert not ties("Rossi", MEMORIES).name[0, 1]
    assert not ties("ticket 4711", MEMORIES).code.any()


def test_the_rest_of_a_name_ties_and_another_first_name_makes_a_rival() -> None:
    found = ties("Ana", [*MEMORIES, "Bo Rossi is away"])
    assert found.beside[1, 0]
    assert found.rival[1]
    assert not ties("Ana", MEMORIES).rival[1]
    assert (found.own_rival[1], found.own_rival[5]) == (False, True)


def test_names_in_other_forms_are_looked_for_in_anchors_alone() -> None:
    memories = ["Alexander Meier has the key", "Write to AlexanderMeier", "Tea is at four"]
    form, part = ties("key", memories).forms(np.array([True, False, False]))
    assert part[1, 0]
    assert not part[0].any()
    assert not form[2].any()
