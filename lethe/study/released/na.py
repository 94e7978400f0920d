"""What number each reading of N/A gives, from the released verdicts and from the runs here.

The paper prints rates of the systems without a release (Letta, OpenMemory, A-MEM and others) with N/A left out; some of
the released files count N/A as failures.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from lethe.parquet import Row
from lethe.study.released.compare import Verdicts, measured_verdicts
from lethe.study.released.worth import ReleasedSuite

RELEASED_SYSTEMS = {
    "letta": "letta",
    "letta+llm": "letta+llm",
    "openmemory": "openmemory",
    "amem": "a_mem",
    "graphiti": "graphiti",
    "hipporag": "hipporag",
}
"""The release's name of each system that the paper scores with N/A, and its name here."""
AS_FAILURES, LEFT_OUT, WITHOUT_RELEASE, CANONICAL = (
    "N/A as failures",
    "N/A left out",
    "cases without a release",
    "canonicalisation categories",
)
READINGS = (AS_FAILURES, LEFT_OUT, WITHOUT_RELEASE, CANONICAL)
_CANONICAL = ("identifier_obfuscation", "cross_lingual_identifier")


def na_rows(suite: ReleasedSuite, cases: Iterable[Row]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.NA_READINGS` of one suite.

    Args:
        cases: rows of `lethe.schemas.CASES`.
    """
    known = {case["case_id"]: case for case in cases}
    rated = [
        ("published", RELEASED_SYSTEMS[run.system], run.name, published)
        for run, published in suite.runs.items()
        if run.system in RELEASED_SYSTEMS
    ]
    scorer = "substring" if suite.released == "adversarial" else "probed"
    systems = set(RELEASED_SYSTEMS.values())
    rated += [
        ("measured", system.partition("+uniform")[0], name, dict(own))
        for (name, system, used), own in measured_verdicts(suite.verdicts).items()
        if used == scorer and system.partition("+uniform")[0] in systems
    ]
    return [
        {
            "suite": suite.name,
            "origin": origin,
            "system": system,
            "name": name,
            "reading": reading,
            "passed": sum(verdicts[case] == "pass" for case in kept),
            "cases": len(kept),
        }
        for origin, system, name, verdicts in rated
        for reading, kept in _readings(verdicts, known).items()
    ]


def _readings(verdicts: Verdicts, cases: Mapping[str, Row]) -> dict[str, list[str]]:
    """The cases that each reading counts."""
    return {
        AS_FAILURES: list(verdicts),
        LEFT_OUT: [case for case, verdict in verdicts.items() if verdict != "na"],
        WITHOUT_RELEASE: [
            case for case in verdicts if all(mutation["op"] != "release" for mutation in cases[case]["mutations"])
        ],
        CANONICAL: [case for case in verdicts if cases[case]["category"] in _CANONICAL],
    }
