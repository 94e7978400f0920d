"""Commands for cases: `forgeteval intake` and `forgeteval near-duplicates`."""

from pathlib import Path
from typing import Annotated

import typer

from forgeteval.cases.near_duplicates import MEASURES, THRESHOLDS, Measure, closest_memories, near_duplicates
from forgeteval.cases.suites import INTAKE_FILE
from forgeteval.cli.printing import show
from forgeteval.errors import UserError
from forgeteval.foreign import apart
from lethe.embedding.vectors import read_vectors
from lethe.people.external import REJECTIONS_FILE, take_in
from lethe.stored.cases import read_suite


def intake(
    file: Annotated[Path, typer.Argument(help="file of cases by one author (.jsonl, .json, .yaml)")],
    author: Annotated[str, typer.Option(help="short name of the author; case ids begin with it")],
    out: Annotated[Path, typer.Option(help="folder of the external suite")],
) -> None:
    """Replace the author's cases in OUT/cases.jsonl by FILE's admitted ones, and list its rejections in
    OUT/rejections.csv; exit code 1 if none is admitted."""
    taken = apart(take_in, file, author, out)
    for category, count in taken.admitted_by_category.items():
        show(f"{category}: {count}")
    show(f"{out / INTAKE_FILE}: {counted(sum(taken.admitted_by_category.values()))} of {author} admitted")
    if taken.replaced:
        show(f"{out / INTAKE_FILE}: {counted(taken.replaced)} of {author} from before replaced")
    show(f"{out / REJECTIONS_FILE}: {counted(taken.rejected)} of {author} rejected")
    if not taken.admitted_by_category:
        raise typer.Exit(1)


def list_near_duplicates(
    suite_cases: Annotated[Path, typer.Option(help="a suite's cases")] = Path(
        "results/suites/adversarial/cases.parquet"
    ),
    vectors: Annotated[Path, typer.Option(help="the suite's vectors")] = Path("results/embeddings/adversarial.parquet"),
    threshold: Annotated[
        list[str] | None, typer.Option(metavar="MEASURE=VALUE", help="another threshold for a measure; may be repeated")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="number of pairs shown for each measure")] = 20,
) -> None:
    """List the pairs of cases that are too similar, and each measure's closest pair; exit code 1 if there are any."""
    thresholds = _thresholds(threshold or [])
    cases, known = {case.case_id: case for case in read_suite(suite_cases)}, read_vectors(vectors)
    found = near_duplicates(list(cases.values()), known, thresholds)
    for measure in MEASURES:
        alike = [pair for pair in found.pairs if pair.measure == measure]
        show(f"{measure}: {len(alike)} pairs at or above {thresholds[measure]:g}; most similar:")
        for pair in alike[:limit] or [pair for pair in found.closest if pair.measure == measure]:
            show(f"  {pair.similarity:.3f} {pair.first} {pair.second}")
            if measure == "row":
                for memory in closest_memories(cases[pair.first], cases[pair.second], known):
                    show(f"        {memory}")
        if len(alike) > limit:
            show(f"  and {len(alike) - limit} more; see --limit")
    raise typer.Exit(1 if found.pairs else 0)


def counted(cases: int) -> str:
    """The number of cases with its noun."""
    return f"{cases} case" if cases == 1 else f"{cases} cases"


def _thresholds(given: list[str]) -> dict[Measure, float]:
    thresholds = dict(THRESHOLDS)
    for text in given:
        name, _, value = text.partition("=")
        measure = next((known for known in MEASURES if known == name), None)
        if measure is None:
            raise UserError(f"--threshold {text}: give MEASURE=VALUE with one of the measures {', '.join(MEASURES)}")
        try:
            thresholds[measure] = float(value)
        except ValueError:
            raise UserError(f"--threshold {text}: {value!r} is not a number") from None
        if not 0 <= thresholds[measure] <= 1:
            raise UserError(f"--threshold {text}: {value!r} is not a similarity, from 0 to 1")
    return thresholds
