"""The rows of an invented run that holds all that the finding needs."""

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from forgeteval.scoring.intervals import wilson
from lethe import schemas
from lethe.config.configurations import Configuration
from lethe.findings.lines import FIGURES
from lethe.findings.numbers import Numbers, numbers_of
from lethe.parquet import write_rows
from lethe.schemas import ALL
from lethe.study.atlas import AtlasSystem
from lethe.study.inputs import Files
from lethe.study.released.worth import EVERY, HARD
from lethe.study.setup import Erasure, Long, Release, Setup, Suite
from lethe.trust.manifest import write_manifest
from lethe.trust.recipe import write_recipe
from tests.support.tables import configuration, score, setup

Rows = dict[str, list[dict[str, Any]]]
_STORES = ("keeper", "loser", "half", "vector", "partial", "silent", "odd")
_HOOKED = ("keeper+matcher", "keeper+llm@s", "keeper+llm@l", "loser+llm@l")
_PASSED = {
    "mine": {
        "keeper": 20, "keeper+matcher": 21, "keeper+llm@s": 14, "keeper+llm@l": 6, "loser": 15, "loser+llm@l": 18,
        "half": 30, "vector": 15, "partial": 49, "silent": 0, "odd": 1, "null": 0, "oracle": 50,
    },
    "held_out": {"keeper": 9, "keeper+matcher": 25, "loser": 12, "null": 0, "oracle": 30},
    "published_external": {"keeper": 3, "keeper+matcher": 4, "null": 0, "nuke": 5, "oracle": 7},
    "twins": {"keeper": 6, "oracle": 9},
}  # fmt: skip
_CASES = {"mine": 50, "held_out": 30, "published_external": 7, "twins": 9}
_ATLAS = {
    "shelf": (12, (("A5", "text", "gone"), ("A5", "sentence", "gone"), ("A3", "claim", "true"))),
    "box": (30, (("A5", "text", "present"), ("A5", "sentence", "gone"), ("A3", "claim", "false"))),
    "crate": (4, (("A5", "text", "present"), ("A5", "sentence", "present"), ("A3", "claim", "unchecked"))),
    "cloud": (9, (("A3", "sentence", "N/A"),)),
}
"""What each recorded system passes, and what the audit found of it."""
_LEAK_LOST = {
    "keeper": (46, 9), "loser": (25, 18), "half": (1, 2), "vector": (50, 2), "partial": (1, 1), "odd": (90, 90),
    "keeper+matcher": (5, 2), "null": (0, 100),
}  # fmt: skip


def invented_setup(**changes: Any) -> Setup:
    """What was run."""
    entries: dict[str, Configuration] = {
        **{name: configuration(name.capitalize(), "vec-only" if name == "vector" else "deterministic")
           for name in _STORES},
        **{name: _hooked(name) for name in _HOOKED},
        **{name: configuration(name, "control", backend=name) for name in ("null", "nuke", "oracle")},
    }  # fmt: skip
    named = {"mine": "Mine", "held_out": "Held-out", "published_external": "External", "twins": "Twins"}
    given: dict[str, Any] = {
        "reference": "keeper",
        "suites": {name: Suite(label, {}, twins_of="mine" if name == "twins" else "") for name, label in named.items()},
        "release": Release(None, {"external": "published_external"}),
        "parameters": {"s": 135_000_000, "l": 1_500_000_000},
        "models": {"s": "S", "l": "L"},
        "hook_pairs": [[name.partition("+")[0], name] for name in _HOOKED],
        "caveats": {"odd": "No measure."},
        "long": Long(1, (10,), ("keeper", "loser"), {}),
        "erasure": Erasure({name: [[10, 2]] for name in ("keeper", "loser", "null")}, {}, {}),
        "repetitions": {"": 1, "s": 1, "l": 1},
        "atlas": {
            name: AtlasSystem(name, "1.0", {name: name.capitalize()}, "Gone.", "2026-11-27", ["mine"], {}, True)
            for name in _ATLAS
        },
    }
    return setup(entries, **{**given, **changes})


def invented_rows() -> Rows:
    """The rows of the analysis by the path of their file."""
    rows: Rows = {
        schemas.SCORES.path.format(suite=suite): [line for name in passed for line in _scores(suite, name)]
        for suite, passed in _PASSED.items()
    }
    states = [
        {"suite": "mine", **_system(name), "cut": "overall", "value": ALL, "measure": measure, "trials": 50}
        | _rate(share, (90 if measure == "leak" else 200) - (50 if name in ("half", "partial") else 0))
        for name, shares in _LEAK_LOST.items()
        for measure, share in zip(("leak", "collateral"), shares, strict=True)
    ]
    rows[schemas.FACT_STATES.path.format(suite="mine")] = states
    rows[schemas.TWINS.path.format(suite="twins")] = [
        {"suite": "twins", **_system(name), "operation": ALL, "pairs": 9, "case_passed": 0, "twin_passed": passed,
         "twin_whole": passed, "both_passed": 0, "na": 0, "errors": 0, **_share(0, 9)}
        for name, passed in {"keeper": 6, "keeper+matcher": 5, "nuke": 9, "oracle": 9}.items()
    ]  # fmt: skip
    rows[schemas.PASS_WORTH.path.format(suite="published_external")] = [
        {"suite": "published_external", "origin": origin, "name": name, "scorer": "probed", "subset": subset,
         "passed": passed, "cases": cases, **_share(passed, cases)}
        for origin, name, subset, passed, cases in (
            ("published", "one", EVERY, 40, 50), ("published", "one", HARD, 2, 20),
            ("published", "two", EVERY, 30, 50), ("published", "two", HARD, 6, 20),
            ("measured", "keeper", EVERY, 50, 50), ("measured", "keeper", HARD, 20, 20),
        )
    ]  # fmt: skip
    rows[schemas.LONG_SCORES.path] = [
        {**_system(name), "k": k, "cut": "overall", "value": ALL, "measure": measure, "histories": 1}
        | _rate(share, facts)
        for name, leak, lost in (("keeper", 61, 3), ("loser", 12, 40), ("odd", 0, 0), ("null", 0, 100))
        for measure, share, facts in (("leak", leak, 129), ("collateral", lost, 192))
        for k in (1, 10)
    ]
    rows[schemas.ERASURE_SCORES.path] = [
        {**_system(name), "rows": 10, "level": level, "verdict": verdict, "cases": 2}
        for name, found in (("keeper", "gone"), ("loser", "present"), ("null", "gone"))
        for level, verdict in (("A0", "gone"), ("A3", found))
    ]
    rows[schemas.ATLAS_SCORES.path] = [
        {"suite": suite, "system": name, "cases": cases, "passed": passed, "failed": cases - passed, "na": 0,
         "errors": 0, **_share(passed, cases)}
        for name, (passed, _) in _ATLAS.items()
        for suite, cases in (("mine", 50), ("held_out", 30))
    ]  # fmt: skip
    rows[schemas.ATLAS_FACTS.path] = [
        {"suite": "mine", "system": name, "measure": measure, "trials": 50} | _rate(passed, 100)
        for name, (passed, _) in _ATLAS.items()
        for measure in ("lost", "leak")
    ]
    rows[schemas.ATLAS_ERASURE.path] = [
        {"system": name, "rows": 10, "level": level, "place": place, "verdict": verdict, "cases": 2}
        for name, (_, audited) in _ATLAS.items()
        for level, place, verdict in audited
    ]
    return rows


def numbers(rows: Mapping[str, Sequence[Mapping[str, Any]]] | None = None, **changes: Any) -> Numbers:
    """The numbers of the invented run, or of other rows of it.

    Args:
        changes: fields of the record of what was run.
    """
    return numbers_of(invented_setup(**changes), Files(Path("not there"), None, dict(rows or invented_rows())))


def write_run(folder: Path) -> Path:
    """The invented run's files below a folder."""
    (folder / "figures").mkdir(parents=True)
    for path, rows in invented_rows().items():
        (table,) = [each for each in schemas.TABLES if fnmatch(path, re.sub(r"\{\w+\}", "*", each.path))]
        write_rows(folder / path, table, rows, "test")
    for name in FIGURES:
        (folder / f"figures/{name}.png").write_bytes(b"a picture")
    write_recipe(folder, invented_setup())
    write_manifest(folder, {}, [], "test")
    return folder


def _hooked(name: str) -> Configuration:
    system, _, model = name.partition("@")
    hook = "matcher" if system.endswith("matcher") else "llm"
    regime = "matcher" if hook == "matcher" else "mutation hook"
    return configuration(name.capitalize(), regime, system=system, model=model, hook=hook)


def _system(name: str) -> dict[str, str]:
    system, _, model = name.partition("@")
    return {"system": system, "model": model}


def _share(passed: int, cases: int) -> dict[str, float]:
    low, high = wilson(passed, cases)
    return {"rate": passed / cases, "wilson_low": low, "wilson_high": high}


def _rate(percent: int, facts: int) -> dict[str, float]:
    return {"facts": facts, "counted": 0, "rate": percent / 100, "low": percent / 200, "high": percent / 100}


def _scores(suite: str, name: str) -> list[dict[str, Any]]:
    passed, cases = _PASSED[suite][name], _CASES[suite]
    na = cases if name == "silent" else 0
    whole = score(name, ALL, passed, cases, na=na)
    # Loser and vector pass as many of each category.
    trap = min(passed, 8)
    parts = [score(name, "trap", trap, cases, na=na), score(name, "chain", passed - trap, cases, na=na)]
    return [{**row, "suite": suite} for row in (whole, *parts)]
