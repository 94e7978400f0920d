"""What a run of the workflow says when it ends: how many of the paper's numbers have an answer, and where it all is."""

from collections import Counter
from pathlib import Path

from lethe.parquet import read_rows
from lethe.schemas import REPLICATION, SCORES
from lethe.study.broken import Broken, broken_among
from lethe.study.replication.compare import DIFFERS, STATES, UNANSWERED

_SAID = dict(
    zip(
        STATES,
        (
            "measured here on the paper's cases",
            "counted again from what its authors released",
            "measured on other cases",
            "only as printed",
        ),
        strict=True,
    )
)
_SHOWN = {
    "paper_tables/paper.tex": "the paper's tables, for pdflatex",
    "paper_tables/beyond.tex": "all further tables, for pdflatex",
    "results/report/index.html": "everything on one page",
}


def result_lines(folder: Path) -> list[str]:
    """The result of the run whose outputs are below a folder, with each configuration that broke too often; nothing
    where the paper's numbers were not compared."""
    compared = folder / REPLICATION.path
    if not compared.is_file():
        return []
    rows = list(read_rows(compared, REPLICATION))
    states = Counter(row["state"] for row in rows)
    answered = [row for row in rows if row["verdict"] != UNANSWERED]
    differ = sum(row["verdict"] == DIFFERS for row in answered)
    told = ", ".join(f"{states[state]} {said}" for state, said in _SAID.items())
    return [
        f"Result: of {len(rows)} numbers that the paper printed, {told}; {differ} of {len(answered)} with an answer "
        "differ (paper_tables/replication.csv).",
        *(str(each) for path in sorted(folder.glob(SCORES.path.format(suite="*"))) for each in _broken(path)),
        *(f"{folder / name}: {what}" for name, what in _SHOWN.items() if (folder / name).is_file()),
    ]


def _broken(scores: Path) -> list[Broken]:
    return list(broken_among(read_rows(scores, SCORES)))
