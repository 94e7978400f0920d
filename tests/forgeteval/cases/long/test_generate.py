"""Long histories: the same for a seed, within the bounds, and true at every checkpoint."""

from collections import Counter
from pathlib import Path

import pytest

from forgeteval.cases.history import Operation
from forgeteval.cases.long.generate import FACTS, MUTATIONS, LongHistory, generate_histories, generate_history
from forgeteval.cases.long.material import Material, read_material
from forgeteval.cases.long.questions import KINDS, Asked
from forgeteval.errors import UserError
from forgeteval.scoring.scorers import identifier_contains
from lethe.parquet import read_rows, write_rows
from lethe.schemas import LONG_EVENTS
from lethe.stored.histories import event_rows, long_from_rows
from tests.support.paths import ROOT

FOLDER = ROOT / "suites/long"
KS = (5, 10)


@pytest.fixture(scope="module")
def material() -> Material:
    return read_material(FOLDER)


@pytest.fixture(scope="module")
def histories(material: Material) -> list[LongHistory]:
    return generate_histories(material, 42, 6, KS)


def operations(history: LongHistory) -> list[tuple[str, Operation]]:
    return [(one.why, one.event) for one in history.events if isinstance(one.event, Operation)]


def asked(history: LongHistory) -> list[Asked]:
    return [one.event for one in history.events if isinstance(one.event, Asked)]


def test_a_history_is_the_same_however_many_there_are(material: Material, histories: list[LongHistory]) -> None:
    assert generate_history(material, 42, 3, KS) == histories[3]
    assert generate_history(material, 43, 3, KS) != histories[3]


def test_facts_mutations_and_questions_are_as_many_as_promised(histories: list[LongHistory]) -> None:
    for history in histories:
        whys = Counter(one.why for one in history.events)
        assert FACTS.start <= whys["told"] < FACTS.stop
        mutations = sum(count for why, count in whys.items() if why not in ("told", "asked", "feed_again"))
        mutations += whys["feed_again"] // 7
        assert MUTATIONS.start <= mutations < MUTATIONS.stop
        assert whys["asked"] == 5 * 8 * len(KS)
    days = [one.day for one in histories[0].events]
    assert days == sorted(days)


def test_every_kind_of_mutation_and_question_occurs(histories: list[LongHistory]) -> None:
    whys = {one.why for history in histories for one in history.events}
    kinds = {"supersede", "restate", "release", "release_all", "purge", "purge_all", "relearn", "feed_again"}
    assert whys == kinds | {"told", "asked"}
    assert {one.kind for history in histories for one in asked(history)} == set(KINDS)


def test_no_value_is_said_in_a_memory_of_something_else(histories: list[LongHistory]) -> None:
    for history in histories[:3]:
        texts = {one.text for _, one in operations(history) if one.text is not None}
        for question in asked(history):
            for anchor in question.question.anchors or ():
                (value,) = anchor.any_of
                about = {text for text in texts if identifier_contains(text, value)}
                assert anchor.text in about
                assert len(about) <= 3, f"{value}: told, told again, restated"


def test_what_is_current_is_in_no_memory_that_went(histories: list[LongHistory]) -> None:
    for history in histories:
        for question in asked(history):
            values = {role: set[str]() for role in ("current", "replaced")}
            for role, anchor in zip(question.roles, question.question.anchors or (), strict=True):
                values.setdefault(role, set()).update(anchor.any_of)
            assert not values["current"] & values["replaced"]


def test_ages_are_counted_from_the_newest_that_went(histories: list[LongHistory]) -> None:
    for history in histories:
        for question in asked(history):
            gone = any(role != "current" for role in question.roles)
            assert (question.since_mutations is not None) is gone
            assert question.since_mutations is None or 0 <= question.since_mutations <= question.mutations


def test_events_survive_parquet(histories: list[LongHistory], tmp_path: Path) -> None:
    write_rows(tmp_path / "events.parquet", LONG_EVENTS, event_rows(histories[:2]), "test")
    assert long_from_rows(read_rows(tmp_path / "events.parquet", LONG_EVENTS)) == histories[:2]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            "{who}'s dentist is {value}.",
            "{who}'s dentist.",
            "attributes.dentist.said: {who}'s dentist.: needs the slots",
        ),
        ("value: doctor", "value: doctors", "unknown name 'doctors'"),
        ("kinds:", "kind:", "'kinds'"),
        ("share: 0.62", "share: many", "could not convert string to float"),
    ],
)
def test_faulty_material_is_named(old: str, new: str, problem: str, tmp_path: Path) -> None:
    text = (FOLDER / "material.yaml").read_text(encoding="utf-8")
    (tmp_path / "material.yaml").write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UserError) as error:
        read_material(tmp_path)
    assert "material.yaml: not the material of long histories" in str(error.value) and problem in str(error.value)


def test_missing_material_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"material.yaml: cannot be read .* check `long.folder`"):
        read_material(tmp_path)


def test_too_few_values_are_an_error(material: Material) -> None:
    words = {**material.words, "drug": material.words["drug"][:1], "milligrams": material.words["milligrams"][:2]}
    poor = Material(
        material.kinds, material.attributes, material.incidents, material.requests, material.patterns, words
    )
    with pytest.raises(UserError, match="too few values for one history"):
        generate_history(poor, 42, 0, KS)
