"""Annotations and judgements of four cases."""

from typing import Any

_CATEGORIES = ("substring_trap", "negation_trap")
_CASES = {"a": _CATEGORIES[0], "b": _CATEGORIES[0], "c": _CATEGORIES[1], "d": _CATEGORIES[1]}


def annotate(**labels: str) -> list[dict[str, Any]]:
    """Annotations of the cases a to d: annotator to a string of w and i."""
    return [
        {
            "annotator": name,
            "case_id": case,
            "category": _CASES[case],
            "provenance": "core",
            "label": {"w": "wf", "i": "ill"}[label],
            "comment": "",
        }
        for name, given in labels.items()
        for case, label in zip(_CASES, given, strict=True)
    ]


def judge(name: str, verdicts: str) -> list[dict[str, Any]]:
    words = {"a": "admit", "r": "reject", "u": "unusable", "e": "error"}
    given = zip(_CASES, verdicts, strict=True)
    return [{"judge": name, "suite": "s", "case_id": case, "verdict": words[verdict]} for case, verdict in given]


SAMPLE = [{"case_id": case, "category": category, "provenance": "core"} for case, category in _CASES.items()]
