"""The tables about published runs: subsets, claims, readings of N/A, and configurations beside them."""

from pathlib import Path
from typing import Any

import pytest

from lethe.study.published import Published, read_published
from lethe.study.setup import Release, Suite
from lethe.tables.figures.pass_worth import draw_pass_worth
from lethe.tables.paper.worth import claims_table, na_readings_table, paired_released_table, pass_worth_table
from tests.support.paths import PUBLISHED
from tests.support.tables import configurations, rows_of, setup, texts

RUN = "lethe+llm (DeepSeek-V3, v0.5, substring)"
SETUP = setup(
    configurations(
        {
            "lethe": {"label": "Lethe", "regime": "deterministic"},
            "chroma": {"label": "Chroma", "regime": "vec-only", "extended": True},
        }
    ),
    suites={"published": Suite("Published", {}), "mine": Suite("Mine", {})},
    release=Release(None, {"adversarial": "published", "repaired": "fixed", "external": "outside"}),
)


@pytest.fixture(scope="module")
def paper() -> Published:
    return read_published(PUBLISHED)


def worth(origin: str, name: str, subset: str, passed: int, cases: int) -> dict[str, Any]:
    share = passed / cases
    return {
        "suite": "published", "origin": origin, "name": name, "scorer": "substring", "subset": subset, "passed": passed,
        "cases": cases, "rate": share, "wilson_low": max(0.0, share - 0.1), "wilson_high": min(1.0, share + 0.1),
    }  # fmt: skip


WORTH = [
    worth("published", RUN, "all", 9, 10),
    worth("published", RUN, "no control passes", 3, 4),
    worth("measured", "lethe", "all", 6, 10),
    worth("measured", "lethe", "no control passes", 0, 4),
]
CLAIM = {
    "suite": "published", "place": 0, "claim": "a claim", "section": "s", "first": RUN, "second": "lethe",
    "subset": "all", "cases": 10, "first_only": 4, "second_only": 1, "p_exact": 0.01, "difference": 0.3, "low": 0.1,
    "high": 0.5, "verdict": "stands",
}  # fmt: skip


def test_runs_stand_on_all_cases_and_on_those_that_no_control_passes() -> None:
    assert texts(pass_worth_table(WORTH, SETUP)) == [
        [["Published", RUN, "9/10 (90.0) [80.0, 100.0]", "3/4 (75.0) [65.0, 85.0]", "−15"]],
        [["Published", "Lethe", "6/10 (60.0) [50.0, 70.0]", "0/4 (0.0) [0.0, 10.0]", "−60"]],
    ]
    states = [row[2].state for section in pass_worth_table(WORTH, SETUP).sections for row in section]
    assert states == ["published", "measured"]


def test_claims_say_where_they_stand() -> None:
    gone = {**CLAIM, "subset": "no control passes", "cases": 0, "difference": None, "verdict": "no case left"}
    table = claims_table([CLAIM, gone], SETUP)
    assert table.header == ("Claim", "Published, all", "Published, no control passes")
    assert rows_of(table) == [["a claim", "stands: +30.0 [+10.0, +50.0], n=10", "no case left"]]


def test_configurations_stand_beside_published_runs_without_the_extended_ones() -> None:
    pair = {
        "suite": "published", "run": RUN, "cases": 10, "first_only": 1, "second_only": 4, "p_exact": 0.0004,
        "difference": -0.3, "low": -0.5, "high": -0.1, "kappa": None,
    }  # fmt: skip
    rows = [{**pair, "configuration": "lethe"}, {**pair, "configuration": "chroma"}]
    assert rows_of(paired_released_table(rows, SETUP)) == [
        ["Published", "Lethe", RUN, "10", "1", "4", "<0.001", "−30.0 [−50.0, −10.0]", "–"]
    ]


def test_readings_of_na_stand_beside_what_was_printed(paper: Published) -> None:
    def row(origin: str, name: str, reading: str, passed: int, cases: int) -> dict[str, Any]:
        fields = {"suite": "published", "origin": origin, "system": "a_mem", "name": name, "reading": reading}
        return {**fields, "passed": passed, "cases": cases}

    readings = ("N/A as failures", "N/A left out", "cases without a release", "canonicalisation categories")
    rows = [row("published", "amem (v0.5)", name, 5, 10 + place) for place, name in enumerate(readings)]
    rows += [row("measured", "lethe", name, 0, 0) for name in readings]
    assert rows_of(na_readings_table(rows, SETUP, paper)) == [
        ["Published", "amem (v0.5)", "5/10 (50)", "5/11 (45)", "5/12 (42)", "5/13 (38)", "219/310"],
        ["Published", "Lethe (measured here)", "–", "–", "–", "–", "219/310"],
    ]


def test_without_the_release_each_says_so(paper: Published) -> None:
    absent = setup(release=Release("not run: no data at x", {"adversarial": "a", "repaired": "b", "external": "c"}))
    tables = [pass_worth_table([], absent), claims_table([], absent), paired_released_table([], absent)]
    for table in (*tables, na_readings_table([], absent, paper)):
        assert rows_of(table)[0][0] == "not run: no data at x" and len(rows_of(table)) == 1
    not_run = setup(release=Release(None, absent.release.suites))
    assert rows_of(claims_table([], not_run))[0][0] == "not run: the published cases are not run"


def test_the_figure_shows_each_published_run_twice_or_the_reason(tmp_path: Path) -> None:
    figure = draw_pass_worth(WORTH, SETUP)
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["Lethe+LLM (DeepSeek-V3, v0.5, substring)"]
    assert axes.get_title(loc="left") == "Published"
    assert [text.get_text() for text in axes.texts] == ["n = 10 all", "n = 4 no control passes"]
    empty = draw_pass_worth([], setup(release=Release("not run: no data at x", {})))
    assert [text.get_text() for text in empty.axes[0].texts] == ["not run: no data at x"]
