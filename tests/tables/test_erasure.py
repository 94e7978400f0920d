"""The tables and the figure of the erasure audit."""

from typing import Any

from lethe.study.erasure import SHOWN
from lethe.study.setup import Erasure
from lethe.tables.beyond.erasure import erasure_table, erasure_traces_table, in_words
from lethe.tables.figures.erasure import draw_erasure
from tests.support.tables import configurations, setup, texts

ENTRIES = configurations(
    {
        "lethe": {"label": "Lethe", "regime": "deterministic"},
        "chroma": {"label": "Chroma", "regime": "vec-only"},
        "letta": {"label": "Letta", "regime": "vec-only"},
    }
)
STORES = {"lethe": [(10, 3), (1000, 3)], "chroma": [(10, 3)]}
AUDITED = Erasure(STORES, {"chroma": 10}, {"letta": "not run: heavy"})
SETUP = setup(ENTRIES, erasure=AUDITED)


def score(system: str, rows: int, level: str, **cases: int) -> list[dict[str, Any]]:
    key = {"system": system, "model": "", "rows": rows, "level": level}
    return [{**key, "verdict": verdict.replace("_", " "), "cases": count} for verdict, count in cases.items()]


SCORES = [
    *(row for rows in (10, 1000) for level in SHOWN for row in score("lethe", rows, level, gone=3)),
    *score("chroma", 10, "A0", gone=3),
    *score("chroma", 10, "A1", gone=2, present=1),
    *score("chroma", 10, "A2", error=3),
    *score("chroma", 10, "A3", **{"N/A": 3}),
    *score("chroma", 10, "A4", compaction_failed=3),
]
TRACES = [
    {"system": "chroma", "model": "", "rows": 10, "level": "A3", "place": "text", "trace": "a: UTF-8", "cases": 3},
    {"system": "chroma", "model": "", "rows": 10, "level": "A2", "place": "list", "trace": "", "cases": 3},
]


def test_each_size_has_its_section_and_the_worst_verdict_its_cases() -> None:
    table = erasure_table(SCORES, SETUP)
    assert texts(table) == [
        [
            ["Lethe", "10", *["gone 3/3"] * 8],
            ["Chroma", "10", "gone 3/3", "present 1/3", "error 3/3", "N/A", "compaction failed 3/3", "–", "–", "–"],
        ],
        [["Lethe", "1000", *["gone 3/3"] * 8]],
    ]
    assert "Chroma: with at most 10 memories, since it takes too long with more." in table.notes
    assert any("Letta" in note and "not run: heavy" in note for note in table.notes)


def test_the_caption_says_whether_all_have_as_many_cases() -> None:
    assert in_words(AUDITED) == "3 cases"
    assert in_words(Erasure({"lethe": [(10, 3), (1000, 2)]}, {}, {})) == "up to 3 cases"


def test_where_traces_were_found() -> None:
    assert texts(erasure_traces_table(TRACES, SETUP)) == [[["Chroma", "10", "A3", "text", "a: UTF-8", "3"]]]


def test_an_audit_that_is_switched_off_says_so() -> None:
    off = setup(ENTRIES, erasure=Erasure({}, {}, {"lethe": "not run: left out by run.workloads"}))
    for table in (erasure_table([], off), erasure_traces_table([], off)):
        assert texts(table)[0][0][0] == "not run: left out by run.workloads"


def test_the_figure_shows_each_system_in_its_largest_store() -> None:
    axes = draw_erasure(SCORES, SETUP).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["Lethe (1000)", "Chroma (10)"]
    shown = [text.get_text() for text in axes.texts]
    assert shown[:8] == ["gone"] * 8
    assert shown[8:13] == ["gone", "present\n1/3", "error", "N/A", "comp.\nfailed"]
