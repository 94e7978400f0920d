"""What oracles and small models do by either contract of hooks, beside the store alone."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from forgeteval.csv_cells import read_lines, write_lines
from forgeteval.scoring.paired import mcnemar_exact
from lethe.parquet import Row, read_rows
from lethe.schemas import TRIALS

CONTRACTS_FILE = "contracts.csv"
ORACLE = "oracle"
_ROWS = "-rows"
"""How the entry of a model by the contract `rows` ends; before it stands the name of its entry by `paper`."""


@dataclass(frozen=True, slots=True, order=True)
class Measured:
    """A planner with a store on some cases.

    Attributes:
        model: name of the model's entry; "oracle" for the ceiling.
        suite: what the cases are; a sample of another one is a suite of its own.
        calls: of the model, second attempts too.
        passed, fell_back, errors: cases; of the second, some mutation was left to the store's own policy.
        alone: cases that the store passes alone.
        gained, lost: cases that pass with the model alone, and without it alone.
    """

    model: str
    contract: str
    suite: str
    store: str
    cases: int
    calls: int
    passed: int
    fell_back: int
    errors: int
    alone: int
    gained: int
    lost: int


def measured(results: Path) -> list[Measured]:
    """The oracles' runs below a folder, and each model's by the contract `rows`, with that of the same weights by
    `paper` on the same cases.

    Raises:
        UserError: where a file cannot be read.
    """
    found = list[Measured]()
    for path in sorted(results.glob("runs/*/*+oracle_*.parquet")):
        store, contract = path.stem.split("+oracle_")
        ran = _by_case(path).values()
        found.append(
            _measured(ORACLE, contract, path.parent.name, store, ran, _passes(path.with_name(f"{store}.parquet")))
        )
    for path in sorted(results.glob(f"runs/*/*+llm@*{_ROWS}.parquet")):
        suite, (store, model) = path.parent.name, path.stem.split("+llm@")
        rows, alone = _by_case(path), path.with_name(f"{store}.parquet")
        if not alone.is_file():
            continue
        passes = _passes(alone)
        found.append(_measured(model, "rows", suite, store, rows.values(), passes))
        by_paper = model.removesuffix(_ROWS)
        for other in sorted(results.glob(f"runs/*/{store}+llm@{by_paper}.parquet")):
            paper = _by_case(other)
            if rows.keys() <= paper.keys():
                same = [paper[case] for case in rows]
                found.append(_measured(by_paper, "paper", suite, store, same, passes))
    return found


def read_measured(folder: Path) -> list[Measured]:
    """What a folder of recorded answers says.

    Raises:
        UserError: naming the line that is none.
    """
    return list(read_lines(folder / CONTRACTS_FILE, _line, "a contract's result", "restore the file"))


def write_measured(folder: Path, rows: Iterable[Measured]) -> None:
    """Write the file of a folder, sorted."""
    write_lines(folder / CONTRACTS_FILE, Measured, rows)


def ceilings_page(rows: Iterable[Measured]) -> str:
    """The table of ceilings of docs/models.md, in Markdown."""
    found = dict[tuple[str, str], dict[str, Measured]]()
    for row in rows:
        if row.model == ORACLE:
            found.setdefault((row.suite, row.store), {})[row.contract] = row
    lines = ["| suite | cases | store | alone | `paper` | `rows` |", "| --- | --- | --- | --- | --- | --- |"]
    for (suite, store), by in sorted(found.items()):
        paper, rows_ = by["paper"], by["rows"]
        lines.append(f"| {suite} | {paper.cases} | {store} | {paper.alone} | {paper.passed} | {rows_.passed} |")
    return "\n".join(lines)


def models_page(rows: Iterable[Measured]) -> str:
    """The table of small models of docs/models.md, in Markdown."""
    lines = [
        "| model | cases | calls | passed | with a fallback | errors | store alone | with, without it alone | p |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    models = [row for row in rows if row.model != ORACLE]
    for row in sorted(models, key=lambda row: (row.model.removesuffix(_ROWS), row.contract)):
        p = mcnemar_exact(row.gained, row.lost)
        lines.append(
            f"| `{row.model}` | {row.cases} | {row.calls} | {row.passed} | {row.fell_back} | {row.errors} | "
            f"{row.alone} | {row.gained}, {row.lost} | {p:.2g} |"
        )
    return "\n".join(lines)


def _measured(model: str, contract: str, suite: str, store: str, trials: Iterable[Row], passes: set[str]) -> Measured:
    ran = list(trials)
    with_it = {trial["case_id"] for trial in ran if trial["verdict"] == "pass"}
    without = passes & {trial["case_id"] for trial in ran}
    return Measured(
        model,
        contract,
        suite,
        store,
        cases=len(ran),
        calls=sum(trial["llm_calls"] for trial in ran),
        passed=len(with_it),
        fell_back=sum(trial["llm_fallbacks"] + trial["matcher_fallbacks"] > 0 for trial in ran),
        errors=sum(trial["verdict"] == "error" for trial in ran),
        alone=len(without),
        gained=len(with_it - without),
        lost=len(without - with_it),
    )


def _passes(path: Path) -> set[str]:
    return {case for case, trial in _by_case(path).items() if trial["verdict"] == "pass"}


def _by_case(path: Path) -> dict[str, Row]:
    return {trial["case_id"]: trial for trial in read_rows(path, TRIALS) if trial["repetition"] == 0}


def _line(line: Mapping[str, str]) -> Measured:
    named = (line[name] for name in ("model", "contract", "suite", "store"))
    counts = ("cases", "calls", "passed", "fell_back", "errors", "alone", "gained", "lost")
    model, contract, suite, store = named
    return Measured(model, contract, suite, store, *(int(line[name]) for name in counts))
