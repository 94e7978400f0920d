"""The tables of the atlas: passes, rates and what is left, of what is recorded."""

from dataclasses import replace

from lethe.study.atlas import AtlasSystem
from lethe.tables.beyond.atlas import atlas_erasure_table, atlas_table
from lethe.tables.table import Table
from tests.support.findings import invented_setup

SYSTEM = AtlasSystem("shelf", "1.0", {"shelf": "Shelf"}, "Gone.", "2026-11-27", ["adversarial"], {}, False)


def left(level: str, place: str, verdict: str) -> dict[str, object]:
    return {"system": "shelf", "rows": 10, "level": level, "place": place, "verdict": verdict, "cases": 2}


def rate(suite: str, measure: str, share: float) -> dict[str, object]:
    interval = {"low": share - 0.1, "high": share + 0.1}
    return {"system": "shelf", "suite": suite, "measure": measure, "facts": 100, "rate": share, **interval}


def shown(table: Table) -> dict[str, str]:
    [[row]] = table.sections
    return dict(zip(table.header, [cell.text for cell in row], strict=True))


def test_a_recorded_system_has_a_row_and_one_that_is_not_a_note() -> None:
    suite = invented_setup().adversarial_suite
    setup = replace(invented_setup(), atlas={"shelf": SYSTEM, "other": replace(SYSTEM, day="")})
    scores = [{"system": "shelf", "suite": "held_out", "cases": 300, "passed": 150}]
    made = atlas_table(scores, [rate(suite, "leak", 0.5), rate(suite, "lost", 0.2), rate("long", "leak", 0.4)], setup)
    row = shown(made)
    assert (row["System"], row["Held-out"], row["Recorded"]) == ("Shelf 1.0", "150/300 (50)", "2026-11-27")
    assert [row[name][:2] for name in ("Lost", "Leak", "Leak, long")] == ["20", "50", "40"]
    assert [note.partition(":")[0] for note in made.notes] == ["shelf", "other"]


def test_sentence_and_word_and_what_it_claims_stand_apart() -> None:
    erasure = [
        *(left("A3", "text", "present"), left("A3", "sentence", "gone"), left("A3", "token", "gone")),
        *(left("A5", "text", "gone"), left("A5", "sentence", "gone"), left("A5", "vector", "present")),
        left("A3", "claim", "false"),
    ]
    made = atlas_erasure_table(erasure, replace(invented_setup(), atlas={"shelf": SYSTEM}))
    row = shown(made)
    assert (row["At once: sentence"], row["At once: word"]) == ("0/2", "2/2")
    assert (row["Restarted: word"], row["Compacted: word"]) == ("0/2", "no compaction")
    assert (row["True"], row["False"], row["Unchecked"]) == ("0", "2", "0")
    none = atlas_erasure_table(erasure[:3], replace(invented_setup(), atlas={"shelf": SYSTEM}))
    assert shown(none)["True"] == "it claims nothing"


def test_nothing_recorded_is_said() -> None:
    for table in (atlas_table([], [], invented_setup()), atlas_erasure_table([], invented_setup())):
        [[row]] = table.sections
        assert "nothing is recorded" in str(row)
