"""The adversarial suite with each embedder: passes by category, and what each embedder is."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from forgeteval.cases.case import Case
from lethe.embedding.embedder import EmbedderDescription
from lethe.parquet import Row
from lethe.schemas import ALL


def embedder_row(name: str, source: str, languages: str, folder: Path) -> dict[str, Any]:
    """A row of `lethe.schemas.EMBEDDERS`.

    Args:
        folder: where the embedder was prepared.
    """
    description = EmbedderDescription.read(folder)
    return {
        "embedder": name,
        "source": source,
        "languages": languages,
        "dim": description.dim,
        "max_tokens": description.max_tokens,
        "bytes": sum(path.stat().st_size for path in folder.rglob("*.onnx*")),
        "sha256": description.sha256,
    }


def embedder_ablation_rows(
    cases: Sequence[Case], runs: Mapping[tuple[str, str], Iterable[Row]], used: str
) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.EMBEDDER_ABLATION`: counts of each run by category and over all cases.

    Args:
        runs: rows of `lethe.schemas.TRIALS` by embedder and configuration.
        used: the embedder with which the others are compared; each configuration has a run with it.
    """
    category = {case.case_id: case.category for case in cases}
    verdicts = {key: [(_key(trial), trial["verdict"]) for trial in trials] for key, trials in runs.items()}
    rows = []
    for (embedder, configuration), found in verdicts.items():
        before = dict(verdicts[used, configuration])
        for part in (*dict.fromkeys(category.values()), ALL):
            inside = [(key, verdict) for key, verdict in found if part in (ALL, category[key[0]])]
            passes = [(verdict == "pass", before[key] == "pass") for key, verdict in inside]
            rows.append(
                {
                    "embedder": embedder,
                    "configuration": configuration,
                    "category": part,
                    "cases": len(inside),
                    "passed": sum(now for now, _ in passes),
                    "na": sum(verdict == "na" for _, verdict in inside),
                    "errors": sum(verdict == "error" for _, verdict in inside),
                    "gained": sum(now and not then for now, then in passes),
                    "lost": sum(then and not now for now, then in passes),
                }
            )
    return rows


def _key(trial: Row) -> tuple[str, int]:
    return trial["case_id"], trial["repetition"]
