"""Passes without each kind of evidence."""

from pathlib import Path

from forgeteval.cases.case import Case
from lethe.parquet import write_rows
from lethe.schemas import ABLATION
from lethe.study.steps.score_ablation import ablation_rows

CASES = [
    Case(name, "mine", category, ("f",), (), "q", ("yes",), ())
    for name, category in (("p1", "prefix_collision"), ("p2", "prefix_collision"), ("n1", "negation_trap"))
]


def test_passes_are_counted_by_category_and_over_all(tmp_path: Path) -> None:
    def run(*verdicts: str) -> list[dict[str, str]]:
        return [{"case_id": case.case_id, "verdict": verdict} for case, verdict in zip(CASES, verdicts, strict=True)]

    rows = ablation_rows(CASES, {"none": run("pass", "pass", "fail"), "identity": run("fail", "pass", "error")})
    assert [(row["left_out"], row["category"], row["passed"], row["cases"]) for row in rows] == [
        ("none", "prefix_collision", 2, 2),
        ("none", "all", 2, 3),
        ("none", "negation_trap", 0, 1),
        ("identity", "prefix_collision", 1, 2),
        ("identity", "all", 1, 3),
        ("identity", "negation_trap", 0, 1),
    ]
    write_rows(tmp_path / "a.parquet", ABLATION, rows, "test")
