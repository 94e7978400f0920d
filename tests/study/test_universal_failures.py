"""What no system passes of the outside authors' cases, and how it fails; the page's counts, where data are at hand."""

import csv
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.reading import read_cases
from lethe.study.released.runs import Run
from lethe.study.released.universal import CAUSES, PRINTED_SYSTEMS, Universal, universal_failures
from tests.support.paths import ROOT

RELEASE = ROOT / "datasets/forgeteval"
MORE = Run("letta", "", "probed", "v0.7")


def case(name: str, category: str, forbidden: str, stored: str | None = None) -> dict[str, Any]:
    mutations = [{"op": "supersede" if stored else "purge", "query": "q", "text": stored}]
    return {"case_id": name, "category": category, "mutations": mutations, "must_not_contain": [forbidden]}


def trial(name: str, leaked: list[str], missing: list[str], repetition: int = 0) -> dict[str, Any]:
    return {"case_id": name, "leaked": leaked, "missing": missing, "repetition": repetition}


CASES = [
    case("c1", "compound_fact", "Room 4", "in ROOM 4 and more"),
    case("c2", "compound_fact", "Room 4", "moved"),
    case("n1", "negation_trap", "has access"),
    case("n2", "negation_trap", "has access"),
]
TRIALS = [
    trial("c1", ["Room 4"], []),
    trial("c2", ["Room 4"], ["x"]),
    trial("n1", [], ["not"]),
    trial("n2", [], []),
    trial("n1", ["has access"], [], repetition=1),
]
FAILED = dict.fromkeys(("c1", "c2", "n1", "n2"), "fail")


def counted(released: dict[Run, dict[str, str]], measured: dict[str, dict[str, str]]) -> list[Universal]:
    return universal_failures(CASES, released, measured, TRIALS)


def test_failures_are_counted_over_each_set_of_runs() -> None:
    released = dict.fromkeys(PRINTED_SYSTEMS, FAILED)
    released[PRINTED_SYSTEMS[2]] = FAILED | {"n2": "pass", "c2": "na"}
    released[MORE] = FAILED | {"c2": "pass"}
    measured = {"mempalace": FAILED, "lethe": FAILED | {"n1": "pass"}, "chroma": FAILED | {"c1": "pass"}}
    assert counted(released, measured) == [
        Universal("negation_trap", 2, 1, 1, 1, 0, leaked=0, missing=1, stored=0),
        Universal("compound_fact", 2, 2, 2, 1, 0, leaked=2, missing=1, stored=1),
        Universal("all", 4, 3, 3, 2, 0, leaked=2, missing=2, stored=1),
    ]


def test_a_run_here_stands_for_the_released_one_of_its_system() -> None:
    released = dict.fromkeys(PRINTED_SYSTEMS, FAILED)
    by_category = {found.category: found for found in counted(released, {"lethe": FAILED | {"n1": "pass"}})}
    assert (by_category["negation_trap"].by_printed, by_category["negation_trap"].with_measured) == (2, 1)
    by_category = {found.category: found for found in counted(released, {"lethe+llm": FAILED, "qdrant": FAILED})}
    assert by_category["all"].with_measured == by_category["all"].by_all == 4


def test_one_of_the_six_that_is_missing_is_an_error() -> None:
    with pytest.raises(KeyError):
        counted(dict.fromkeys(PRINTED_SYSTEMS[1:], FAILED), {})


def test_the_page_says_what_the_release_says() -> None:
    if not (RELEASE / "verdicts.csv").is_file():
        pytest.skip("needs data that are not part of the project: datasets/forgeteval")
    cases = {one.case_id: one for one in read_cases(RELEASE / "external_77.jsonl", "external")}
    passed: dict[tuple[str, ...], set[str]] = {}
    with (RELEASE / "verdicts.csv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            if row["suite"] == "external":
                run = row["system"], row["model"].rpartition("/")[2], row["release"], row["scorer"]
                passed.setdefault(run, set()).update([row["case_id"]] if row["verdict"] == "pass" else [])
    plain = [(system, "", "v0.7", "probed") for system in ("lethe", "langgraph", "mempalace", "mem0")]
    hooks = [
        ("lethe+llm", "DeepSeek-V3", "v0.5", "substring"),
        ("langgraph+llm", "deepseek-v4-flash", "v0.7", "probed"),
    ]
    failed = cases.keys() - set[str]().union(*(passed[run] for run in (*plain, *hooks)))
    counts = Counter(cases[name].category for name in failed)
    page = Path(ROOT / "docs/published.md").read_text(encoding="utf-8")
    section = page.partition("### What fails everywhere")[2].partition("###")[0]
    table = re.findall(r"^\| (\w+) \| (?:(\d+) )?\| (\d+) \|$", section, re.MULTILINE)
    assert {name: int(count) for name, _, count in table} == {"all": len(failed), **counts}
    assert {name: printed for name, printed, _ in table if printed} == {
        "all": "23",
        "negation_trap": "8",
        "compound_fact": "8",
        "recursive_supersession": "7",
    }
    everywhere = cases.keys() - set[str]().union(*passed.values())
    assert f"In all {len(passed)} released runs {len(everywhere)} fail." in section
    for name in failed:
        ops = {mutation.op for mutation in cases[name].mutations}
        if cases[name].category in CAUSES:
            assert ops == {"release" if cases[name].category == "negation_trap" else "supersede"}, name
        if cases[name].category == "compound_fact":
            (told,) = (mutation.text for mutation in cases[name].mutations)
            assert told is not None and cases[name].must_not_contain[0] in told, name
