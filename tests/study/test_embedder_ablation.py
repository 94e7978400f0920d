"""Passes with each embedder, and what the embedders are."""

from pathlib import Path

from forgeteval.cases.case import Case
from lethe.embedding.embedder import EmbedderDescription, embedder_row
from lethe.parquet import write_rows
from lethe.schemas import EMBEDDER_ABLATION, EMBEDDERS
from lethe.study.steps.score_embedder_ablation import embedder_ablation_rows

CASES = [
    Case(name, "mine", category, ("f",), (), "q", ("yes",), ())
    for name, category in (("p1", "prefix_collision"), ("p2", "prefix_collision"), ("n1", "negation_trap"))
]


def run(*verdicts: str) -> list[dict[str, object]]:
    cases = [case.case_id for case in CASES]
    return [
        {"case_id": cases[position % 3], "repetition": position // 3, "verdict": verdict}
        for position, verdict in enumerate(verdicts)
    ]


def test_passes_are_counted_and_compared_with_the_first_embedder(tmp_path: Path) -> None:
    runs = {("old", "lethe"): run("pass", "fail", "na"), ("new", "lethe"): run("fail", "pass", "error")}
    rows = embedder_ablation_rows(CASES, runs, "old")
    counts = ("cases", "passed", "na", "errors", "gained", "lost")
    assert {(row["embedder"], row["category"]): tuple(row[name] for name in counts) for row in rows} == {
        ("old", "prefix_collision"): (2, 1, 0, 0, 0, 0),
        ("old", "negation_trap"): (1, 0, 1, 0, 0, 0),
        ("old", "all"): (3, 1, 1, 0, 0, 0),
        ("new", "prefix_collision"): (2, 1, 0, 0, 1, 1),
        ("new", "negation_trap"): (1, 0, 0, 1, 0, 0),
        ("new", "all"): (3, 1, 0, 1, 1, 1),
    }
    write_rows(tmp_path / "a.parquet", EMBEDDER_ABLATION, rows, "test")


def test_each_repetition_is_compared_with_its_own() -> None:
    runs = {
        ("old", "lethe"): run("pass", "fail", "fail", "fail", "pass", "fail"),
        ("new", "lethe"): run("pass", "pass", "fail", "fail", "pass", "fail"),
    }
    found = embedder_ablation_rows(CASES, runs, "old")[-1]
    assert (found["category"], found["cases"], found["gained"], found["lost"]) == ("all", 6, 1, 0)


def test_an_embedder_is_described_from_its_folder(tmp_path: Path) -> None:
    EmbedderDescription("some/model", "hub", 12, 34, "abc").write(tmp_path)
    (tmp_path / "snapshot").mkdir()
    (tmp_path / "snapshot" / "model.onnx").write_bytes(bytes(70))
    (tmp_path / "model.onnx_data").write_bytes(bytes(5))
    row = embedder_row("model", "model hub", "16", tmp_path)
    assert (row["dim"], row["max_tokens"], row["bytes"], row["sha256"]) == (12, 34, 75, "abc")
    write_rows(tmp_path / "a.parquet", EMBEDDERS, [row], "test")
