from pathlib import Path

import pytest

from forgeteval.errors import UserError
from lethe import schemas
from lethe.findings.lines import Finding, _helps, _names, finding, findings
from lethe.findings.release import kept_numbers
from lethe.study.setup import Erasure, Long, Release
from tests.support.findings import invented_rows, invented_setup, numbers
from tests.support.paths import ROOT

TOLD = Path(__file__).with_name("lines.txt").read_text(encoding="utf-8")
SCORES = schemas.SCORES.path.format(suite="mine")


def told(found: list[Finding]) -> str:
    """Each claim on a line, and its details below it."""
    return "".join("\n- ".join((each.claim, *each.details)) + "\n" for each in found)


def test_the_findings_follow_from_the_rows() -> None:
    assert told(findings(numbers())) == TOLD


def test_a_claim_can_be_repeated() -> None:
    released = findings(kept_numbers(ROOT))
    assert max(len(each.claim.split()) for each in (*findings(numbers()), *released)) <= 25


def test_pairs_that_a_model_makes_worse_are_counted() -> None:
    rows = invented_rows()
    for row in rows[SCORES]:
        if (row["system"], row["value"]) == ("keeper", "all"):
            row["passed"] = 5
    assert "mostly harms: 2 of 3 pairs of store and model pass fewer cases than the store alone" in TOLD
    helped = findings(numbers(rows))[3].claim
    assert "mostly helps: 3 of 3 pairs of store and model pass more cases than the store alone" in helped


@pytest.mark.parametrize(
    ("worse", "better", "said"),
    [
        (3, 0, "mostly harms: 3 of 4 pairs"),
        (1, 0, "harms more often than it helps: 1 of 4 pairs"),
        (0, 1, "helps more often than it harms: 1 of 4 pairs"),
        (1, 1, "harms as often as it helps: 1 of 4 pairs"),
        (0, 0, "changes nothing: each of 4 pairs"),
    ],
)
def test_a_word_for_what_a_model_does_follows_from_all_pairs(worse: int, better: int, said: str) -> None:
    assert _helps(worse, better, 4).startswith(said)


def test_systems_that_are_alike_are_all_named_or_counted() -> None:
    assert [_names("ABCD"[:number]) for number in (1, 2, 3, 4)] == ["A", "A and B", "A and B and C", "each of 4"]


def test_a_row_with_a_caveat_is_no_finding() -> None:
    assert "Odd" not in TOLD
    found = told(findings(numbers(caveats={})))
    assert "pass 1 (Odd) to 20 (Keeper)" in found
    assert "3 stores still recall" in found


def test_a_part_of_a_finding_whose_suite_was_not_run_is_left_out() -> None:
    suites = {name: suite for name, suite in invented_setup().suites.items() if name != "twins"}
    lacking = (
        "- The matcher, a hook without a model, takes Keeper from 6 to 5 of 9 requests for what is not stored (the "
        "control nuke: 9).\n"
    )
    assert lacking in TOLD and told(findings(numbers(suites=suites))) == TOLD.replace(lacking, "").replace(
        "4 in all", "3 in all"
    )


@pytest.mark.parametrize("path", sorted(invented_rows()))
def test_a_file_that_is_missing_is_named(path: str) -> None:
    rows = invented_rows()
    del rows[path]
    with pytest.raises(UserError, match=path):
        findings(numbers(rows), partial=True)


@pytest.mark.parametrize(
    ("place", "changes"),
    [(4, {"release": Release("not run: no data", {"external": "published_external"})}),
     (5, {"long": Long(0, (), (), {})}),
     (5, {"erasure": Erasure({}, {}, {})}),
     (2, {"atlas": {}}),
     (3, {"hook_pairs": [["keeper", "keeper+matcher"]]})],
)  # fmt: skip
def test_what_was_not_run_is_an_error_or_says_so(place: int, changes: dict[str, object]) -> None:
    found = numbers(**changes)
    with pytest.raises(UserError, match=r"^[\w ]+: not run: [\w .:]+; run it, or let the line say so by --partial"):
        findings(found)
    given, every = findings(found, partial=True), findings(numbers())
    assert given[place].claim.startswith("not run: ")
    assert [*given[:place], *given[place + 1 :]] == [*every[:place], *every[place + 1 :]]


def test_an_atlas_that_is_recorded_on_other_cases_is_not_run() -> None:
    rows = invented_rows()
    rows[schemas.ATLAS_SCORES.path] = [row for row in rows[schemas.ATLAS_SCORES.path] if row["suite"] != "mine"]
    assert findings(numbers(rows), partial=True)[2].claim == "not run: no system of the atlas is recorded on mine"


def test_without_a_held_out_suite_the_findings_that_need_it_are_errors() -> None:
    with pytest.raises(UserError, match="suite nowhere: not run; this finding needs it"):
        findings(numbers(held_out_suite="nowhere"), partial=True)


def test_a_store_that_alone_came_to_no_verdict_is_no_pair() -> None:
    rows = invented_rows()
    for row in rows[SCORES]:
        if row["system"] == "keeper" and not row["model"]:
            row.update(passed=0, failed=0, na=row["cases"] - 1, errors=1)
    found = findings(numbers(rows))
    assert "1 of 1 pairs of store and model pass more cases than the store alone" in found[3].claim
    assert found[0].claim.startswith("9 configurations of memory stores ran on 50")
    for row in rows[SCORES]:
        row.update(passed=0, failed=0, na=row["cases"], errors=0)
    with pytest.raises(UserError, match="Hooks: suite mine: no store with a chat model came to a verdict without it"):
        finding("Hooks", numbers(rows))


@pytest.mark.parametrize(("lacking", "which"), [("oracle", "told the answers"), ("null", "knows no answer")])
def test_without_a_control_of_each_kind_nothing_is_said_of_controls(lacking: str, which: str) -> None:
    rows = invented_rows()
    rows[SCORES] = [row for row in rows[SCORES] if row["system"] != lacking]
    with pytest.raises(UserError, match=f"not run: no control that (is )?{which} came to a verdict"):
        finding("What was measured", numbers(rows))


@pytest.mark.parametrize("verdict", ["N/A", "error", ""])
def test_an_audit_that_tells_of_no_store_is_no_finding(verdict: str) -> None:
    rows = invented_rows()
    rows[schemas.ERASURE_SCORES.path] = [
        {**row, "verdict": verdict} for row in rows[schemas.ERASURE_SCORES.path] if verdict
    ]
    with pytest.raises(UserError, match="What lasts: erasure audit: no system in whose files a purged memory could"):
        finding("What lasts", numbers(rows))


def test_the_numbers_of_the_atlas_are_of_the_systems_that_are_recorded_on_the_cases() -> None:
    rows = invented_rows()
    rows[schemas.ATLAS_SCORES.path] = [row for row in rows[schemas.ATLAS_SCORES.path] if row["system"] == "box"]
    found = told([finding("The atlas", numbers(rows))])
    assert (
        found.startswith("Of 1 packages that promise to forget, 1 still hold words") and "more the files" not in found
    )
    rows[schemas.ATLAS_ERASURE.path] = []
    with pytest.raises(UserError, match="not run: the files of no recorded system of the atlas tell what is left"):
        finding("The atlas", numbers(rows))
