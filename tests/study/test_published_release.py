"""What docs/published.md says of the printed numbers and the released verdicts, recomputed where these are at hand."""

import re
from pathlib import Path

import pytest

from forgeteval.cases.case import ADVERSARIAL_CATEGORIES
from forgeteval.cases.reading import read_cases
from lethe.study.agreement import agreement_rows, rater_rows
from lethe.study.published import Published, read_published
from lethe.study.released.labels import as_annotations, as_judgements
from lethe.study.released.reading import VERDICTS_FILE, read_labels, read_memora, read_verdicts
from lethe.study.released.runs import runs_of
from tests.support.config import released_folder
from tests.support.paths import PUBLISHED, ROOT

RELEASE = released_folder()
FILES = {"adversarial": "adversarial_385.jsonl", "external": "external_77.jsonl"}
LINE = re.compile(r"^\| (\w+)/(\S+) \| (\w+): (.+?) \| (\d+) \| (.*?) ?\|$", re.MULTILINE)

pytestmark = pytest.mark.skipif(
    not (RELEASE / VERDICTS_FILE).is_file(), reason="needs data that are not part of the project: datasets/forgeteval"
)


@pytest.fixture(scope="module")
def paper() -> Published:
    return read_published(PUBLISHED)


@pytest.fixture(scope="module")
def passed() -> dict[tuple[str, str], dict[str, list[bool]]]:
    """(suite, run) to what passed, over all cases and by category."""
    verdicts = read_verdicts(RELEASE)
    found: dict[tuple[str, str], dict[str, list[bool]]] = {}
    for suite, file in FILES.items():
        category = {case.case_id: case.category for case in read_cases(RELEASE / file, suite)}
        for run, by_case in runs_of(verdicts, suite).items():
            rows: dict[str, list[bool]] = {}
            for case, verdict in by_case.items():
                whole = ["all", "evaluable", *(["without_compound_fact"] if category[case] != "compound_fact" else [])]
                for row in (category[case], *whole):
                    rows.setdefault(row, []).append(verdict == "pass")
            found[suite, run.name] = rows
    return found


def documented() -> list[tuple[str, str, str, str, int, str]]:
    text = Path(ROOT / "docs/published.md").read_text(encoding="utf-8")
    return [(*found[:4], int(found[4]), found[5]) for found in LINE.findall(text)]


def test_every_line_of_the_page_is_what_the_release_says(
    paper: Published, passed: dict[tuple[str, str], dict[str, list[bool]]]
) -> None:
    assert len(documented()) == 26
    for table, column, suite, run, agree, differ in documented():
        rows = [*ADVERSARIAL_CATEGORIES, "without_compound_fact", "all", "evaluable"]
        found, differing = 0, []
        for row in sorted(rows, key=lambda row: paper.rows(table).index(row) if row in paper.rows(table) else -1):
            number = paper.find(table, row, column, "cases")
            released = passed[suite, run].get(row)
            if number is None or released is None:
                continue
            if sum(released) == number.value:
                found += 1
            else:
                differing.append(f"{row} {number.value} → {sum(released)}")
        assert (found, ", ".join(differing)) == (agree, differ), f"{table}/{column}"


def test_memora_totals_are_the_printed_ones(paper: Published) -> None:
    totals: dict[str, int] = {}
    for row in read_memora(RELEASE):
        totals[row["system"]] = totals.get(row["system"], 0) + (row["verdict"] == "pass")
    assert totals == {name: paper.value("memora", name, "total", "cases") for name in totals} and len(totals) == 3
    free = [row for row in read_memora(RELEASE) if row["must"] == row["must_not"] == 0]
    assert len(free) == 3 * 32 and all(row["verdict"] == "pass" for row in free)


def test_the_labels_give_the_printed_agreement(paper: Published) -> None:
    labels = read_labels(RELEASE)
    sample = [{"case_id": row["case_id"], "category": "all", "provenance": "core"} for row in labels]
    annotations = as_annotations(labels, sample)
    kappa = next(row for row in agreement_rows(annotations, 1, 1) if row["measure"] == "fleiss_kappa")
    assert round(kappa["value"], 3) == float(paper.value("text_agreement", "fleiss", "kappa", "kappa"))
    compared = 0
    for row in rater_rows(annotations, as_judgements(labels), sample):
        number = paper.find("judge_agreement", row["first"], row["second"], "cases")
        if number is not None:
            assert row["equal"] == number.value, row
            compared += 1
    assert compared >= 6
