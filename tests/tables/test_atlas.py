"""The table of the atlas: passes, rates and what is left, of what is recorded."""

from dataclasses import replace

from lethe.study.atlas import AtlasSystem
from lethe.tables.beyond.atlas import atlas_table
from tests.support.findings import invented_setup

SYSTEM = AtlasSystem("shelf", "1.0", {"shelf": "Shelf"}, "Gone.", "2026-11-27", ["adversarial"], {}, False)


def left(level: str, place: str, verdict: str) -> dict[str, object]:
    return {"system": "shelf", "rows": 10, "level": level, "place": place, "verdict": verdict, "cases": 2}


def test_a_recorded_system_has_a_row_and_one_that_is_not_a_note() -> None:
    suite = invented_setup().adversarial_suite
    setup = replace(invented_setup(), atlas={"shelf": SYSTEM, "other": replace(SYSTEM, day="")})
    scores = [{"system": "shelf", "suite": "held_out", "cases": 300, "passed": 150}]
    facts = [{"system": "shelf", "suite": suite, "measure": "leak", "facts": 100, "rate": 0.5, "low": 0.4, "high": 0.6}]
    erasure = [
        *(left("A3", "text", "present"), left("A3", "token", "gone")),
        *(left("A5", "text", "gone"), left("A5", "token", "gone"), left("A5", "vector", "present")),
    ]
    made = atlas_table(scores, facts, erasure, setup)
    [[row]] = made.sections
    shown = dict(zip(made.header, [cell.text for cell in row], strict=True))
    assert (shown["System"], shown["Held-out"], shown["Recorded"]) == ("Shelf 1.0", "150/300 (50)", "2026-11-27")
    assert shown["Leak"].startswith("50") and (shown["At once"], shown["Restarted"]) == ("2/2", "0/2")
    assert "no compaction" in str(row[made.header.index("Compacted")])
    assert [note.partition(":")[0] for note in made.notes] == ["shelf", "other"]


def test_nothing_recorded_is_said() -> None:
    [[row]] = atlas_table([], [], [], invented_setup()).sections
    assert "nothing is recorded" in str(row)
