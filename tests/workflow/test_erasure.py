"""The erasure audit through the workflow: from written sentences to verdicts and tables."""

from pathlib import Path
from typing import Any

import pytest

from lethe.parquet import read_rows
from lethe.schemas import ERASURE_CASES, ERASURE_RECORDS, ERASURE_SCORES, ERASURE_VERDICTS
from lethe.study.configured import setup_of
from lethe.study.erasure import SHOWN
from lethe.study.inputs import Files
from lethe.study.plan import STEPS
from tests.support.config import of, put, shipped
from tests.workflow.conftest import Snakemake

pytestmark = pytest.mark.slow

AUDIT: dict[str, Any] = {
    "run": {"workloads": ["erasure"], "only": {"erasure": ["naive_sql", "verbatim", "nuke", "oracle"]}},
    "erasure": {"cases": [2, 1], "rows": [2, 8], "most_rows": {"oracle": 2}},
}


def test_the_audit_from_sentences_to_verdicts(snakemake: Snakemake, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = snakemake([str(out / ERASURE_SCORES.path)], AUDIT)
    assert done.returncode == 0, done.stderr
    assert len(read_rows(out / ERASURE_CASES.path, ERASURE_CASES)) == 2
    scores = read_rows(out / ERASURE_SCORES.path, ERASURE_SCORES)
    shown = {(row["system"], row["rows"], row["level"]): (row["verdict"], row["cases"]) for row in scores}
    for rows, cases in ((2, 2), (8, 1)):
        assert shown["naive_sql", rows, "A0"] == ("gone", cases)
        assert shown["naive_sql", rows, "A3"] == ("present until compaction", cases)
        assert shown["naive_sql", rows, "A4"] == shown["naive_sql", rows, "A5"] == ("gone", cases)
        assert shown["verbatim", rows, "A0"] == shown["verbatim", rows, "A3"] == ("present", cases)
        assert shown["nuke", rows, "A0"] == shown["nuke", rows, "A3"] == ("bystander lost", cases)
    assert shown["oracle", 2, "A0"] == ("gone", 2)
    assert ("oracle", 8, "A0") not in shown
    assert {level for _, _, level in shown} == set(SHOWN)
    _repeats(out)


def _repeats(out: Path) -> None:
    """What `forgeteval audit` does: the verdicts again, from the records alone."""
    config = shipped()
    for part in AUDIT:
        config = put(config, part, {**config[part], **AUDIT[part]})
    planned = STEPS["score_erasure"].on(setup_of(of(config)))
    made = planned.repeat(Files(out))
    assert made[ERASURE_VERDICTS.path] == read_rows(out / ERASURE_VERDICTS.path, ERASURE_VERDICTS)
    assert all(read_rows(out / path, ERASURE_RECORDS) for path in planned.inputs["records"])
