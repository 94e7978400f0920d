"""The tables of the atlas: passes, rates and what is left, of what is recorded."""

from dataclasses import replace

import numpy as np

from lethe.study.atlas import AtlasSystem
from lethe.tables.beyond.atlas import atlas_erasure_table, atlas_promises_table, atlas_table
from lethe.tables.figures.atlas import draw_atlas
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
    setup = replace(invented_setup(), atlas={"shelf": SYSTEM, "other": replace(SYSTEM, day="", suites=[])})
    scores = [{"system": "shelf", "suite": "held_out", "cases": 300, "passed": 150}]
    made = atlas_table(scores, [rate(suite, "leak", 0.5), rate(suite, "lost", 0.2), rate("long", "leak", 0.4)], setup)
    row = shown(made)
    assert (row["System"], row["Held-out"], row["Recorded"]) == ("Shelf 1.0", "150/300 (50)", "2026-11-27")
    assert [row[name][:2] for name in ("Lost", "Leak", "Leak, long")] == ["20", "50", "40"]
    assert [note.rpartition(": ")[2] for note in made.notes] == ["other.", "shelf.", "recorded on other cases."]
    assert made.notes[2].startswith("shelf, on adversarial: not shown")


def test_sentence_and_word_and_what_it_claims_stand_apart() -> None:
    erasure = [
        *(left("A3", "text", "present"), left("A3", "sentence", "gone"), left("A3", "token", "gone")),
        *(left("A5", "text", "gone"), left("A5", "sentence", "gone"), left("A5", "vector", "present")),
        *(left("A3", "claim", "false"), left("A4", "compaction", "N/A")),
    ]
    made = atlas_erasure_table(erasure, replace(invented_setup(), atlas={"shelf": SYSTEM}))
    row = shown(made)
    assert (row["At once: sentence"], row["At once: word"]) == ("0/2", "2/2")
    assert (row["Restarted: word"], row["Compacted: word"]) == ("0/2", "no compaction")
    assert (row["True"], row["False"], row["Unchecked"]) == ("0", "2", "0")
    none = atlas_erasure_table(erasure[:3], replace(invented_setup(), atlas={"shelf": SYSTEM}))
    assert (shown(none)["True"], shown(none)["Restarted: word"]) == ("it claims nothing", "not seen")


def test_a_promise_stands_beside_what_is_done() -> None:
    setup = replace(invented_setup(), atlas={"shelf": SYSTEM})
    facts = [rate(setup.adversarial_suite, "leak", 0.5), rate(setup.adversarial_suite, "lost", 0.25)]
    erasure = [left("A3", "text", "present"), left("A3", "sentence", "gone"), left("A5", "text", "gone")]
    row = shown(atlas_promises_table(facts, erasure, setup))
    assert (row["It promises"], row["Read by a second"]) == ("Gone.", "no")
    assert row["It does"] == "50 % of what it was to forget is there; 25 % of what it was told is lost on writing"
    assert row["In its files"] == "after its deletion its random word; after a restart nothing"


def test_the_figure_has_a_mark_for_each_system_by_what_is_left() -> None:
    setup = replace(invented_setup(), atlas={"shelf": SYSTEM})
    facts = [rate(setup.adversarial_suite, name, share) for name, share in (("leak", 0.5), ("collateral", 0.2))]
    for erasure, marker in (([left("A3", "sentence", "present")], "X"), ([left("A3", "text", "gone")], "o"), ([], "s")):
        [axes] = draw_atlas(facts, erasure, setup).axes
        marks = [(line.get_marker(), np.array(line.get_xydata()).tolist()) for line in axes.lines]
        assert (marker, [[50, 20]]) in marks
        assert [text.get_text() for text in axes.texts] == ["Shelf"]
    [axes] = draw_atlas([], [], invented_setup()).axes
    assert [text.get_text() for text in axes.texts] == ["nothing is recorded"]


def test_nothing_recorded_is_said() -> None:
    setup = invented_setup(atlas={})
    for table in (atlas_table([], [], setup), atlas_erasure_table([], setup), atlas_promises_table([], [], setup)):
        [[row]] = table.sections
        assert "nothing is recorded" in str(row)
