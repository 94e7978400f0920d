"""What a run of the workflow says when it ends: how many of the paper's numbers have an answer, and where it all is."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from forgeteval.scoring.paired import mcnemar_exact
from lethe.findings.digests import verdict_digests
from lethe.parquet import read_rows
from lethe.schemas import (
    CROSSEVAL_SCORES,
    ERASURE_SCORES,
    JUDGEMENTS,
    LONG_SCORES,
    REPLICATION,
    SCORES,
    STORE_SIZE,
    TRIALS,
)
from lethe.stored.closing import fell_back
from lethe.study.judges import unjudged_among
from lethe.study.remarks import (
    broken_among,
    broken_in_benchmarks,
    broken_in_erasure,
    broken_in_long,
    joined_among_many,
    joined_in_benchmarks,
    joined_in_long,
)
from lethe.study.replication.compare import DIFFERS, STATES, UNANSWERED
from lethe.study.setup import Setup

_SAID = dict(
    zip(
        STATES,
        (
            "measured here on the paper's cases",
            "counted in these cases",
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
_TABLE = "paper_tables/replication.csv"
_NOT_HERE = "None of the paper's cases ran; where they are missing, `forgeteval fetch` brings them."


def result_lines(folder: Path, setup: Setup) -> list[str]:
    """The result of the run whose outputs are below a folder, with each configuration that broke too often or joins
    memories, each judge that gave too few verdicts, and the digests of verdicts; nothing where the paper's numbers were
    not compared. A number that the paper repeats counts once.
    """
    compared = folder / REPLICATION.path
    if not compared.is_file():
        return []
    rows = [row for row in read_rows(compared, REPLICATION) if not row["restates"]]
    states = Counter(row["state"] for row in rows)
    answered = [row for row in rows if row["verdict"] != UNANSWERED]
    differ = sum(row["verdict"] == DIFFERS for row in answered)
    table = _TABLE if (folder / _TABLE).is_file() else REPLICATION.path
    lacking = [] if states["measured"] else [_NOT_HERE]
    told = ", ".join(f"{states[state]} {said}" for state, said in _SAID.items())
    return [
        f"Result: of {len(rows)} numbers that the paper printed, {told}; {differ} of {len(answered)} with an answer "
        f"differ ({table}).",
        *lacking,
        *_saying_little(folder),
        *digest_lines(folder, setup),
        *(f"{folder / name}: {what}" for name, what in _SHOWN.items() if (folder / name).is_file()),
    ]


def digest_lines(folder: Path, setup: Setup) -> list[str]:
    """A line with the digests, for comparing with another run; none where no store without hook and model ran."""
    told = ", ".join(map(str, verdict_digests(folder, setup)))
    said = "Verdicts of stores without hook and model, but for those on Chroma, which vary: SHA-256 by suite (stores)"
    return [f"{said}: {told}."] if told else []


def _saying_little(folder: Path) -> Iterator[str]:
    """Lines on the configurations and the judges whose numbers say little of them."""
    for path in sorted(folder.glob(SCORES.path.format(suite="*"))):
        yield from map(str, broken_among(read_rows(path, SCORES)))
    for path in sorted(folder.glob(CROSSEVAL_SCORES.path.format(benchmark="*"))):
        scores = read_rows(path, CROSSEVAL_SCORES)
        yield from map(str, [*broken_in_benchmarks(scores), *joined_in_benchmarks(scores)])
    if (long := folder / LONG_SCORES.path).is_file():
        rates = read_rows(long, LONG_SCORES)
        yield from map(str, [*broken_in_long(rates, {}), *joined_in_long(rates)])
    if (sizes := folder / STORE_SIZE.path).is_file():
        yield from map(str, joined_among_many(read_rows(sizes, STORE_SIZE)))
    if (erased := folder / ERASURE_SCORES.path).is_file():
        yield from map(str, broken_in_erasure(read_rows(erased, ERASURE_SCORES)))
    for path in sorted(folder.glob(JUDGEMENTS.path.format(suite="*", model="*"))):
        yield from map(str, unjudged_among(read_rows(path, JUDGEMENTS)))


def column_lines(folder: Path, models: Iterable[str], since: float = 0.0) -> list[str]:
    """Each column of some models beside its store alone: cases that only one of both passes, and how likely so uneven a
    split is by chance.

    Args:
        since: when the run began, seconds since 1970; what was written before did not run.
    """
    lines = []
    for model in models:
        for path in sorted((folder / "results" / "runs").glob(f"*/*+llm@{model}.parquet")):
            store = path.name.partition("+llm@")[0]
            alone = path.with_name(f"{store}.parquet")
            if not alone.is_file() or path.stat().st_mtime < since:
                continue
            hooked, plain = (_verdicts(one) for one in (path, alone))
            fell = fell_back(read_rows(path, TRIALS))
            cases = sorted(hooked.keys() & plain.keys())
            gained = sum(hooked[case] == "pass" != plain[case] for case in cases)
            lost = sum(plain[case] == "pass" != hooked[case] for case in cases)
            broken = sum(verdict == "error" for verdict in hooked.values())
            broke = f", {broken} broke" if broken else ""
            lines.append(
                f"{path.parent.name}: {store}+llm@{model} passes {_passed(hooked)} of {len(hooked)}{broke}, "
                f"{store} alone {_passed(plain)}; {gained} cases with it alone, {lost} without it alone (McNemar p = "
                f"{mcnemar_exact(gained, lost):.2g}){f'; {fell}' if fell else ''}"
            )
    return lines


def _verdicts(path: Path) -> dict[str, str]:
    """The verdict of each case in the first repetition."""
    return {trial["case_id"]: trial["verdict"] for trial in read_rows(path, TRIALS) if trial["repetition"] == 0}


def _passed(verdicts: dict[str, str]) -> int:
    return sum(verdict == "pass" for verdict in verdicts.values())
