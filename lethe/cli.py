"""The command line, `lethe`: for people who write cases and for the pages that are generated."""

import json
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from lethe.docs import generated_pages
from lethe.embedding.vectors import read_vectors
from lethe.errors import LetheError, one_line_errors
from lethe.forgeteval.external_suite import CASES_FILE, REJECTIONS_FILE, take_in
from lethe.forgeteval.intake import Intake, check_file
from lethe.forgeteval.near_duplicates import (
    MEASURES,
    THRESHOLDS,
    Measure,
    closest_rows,
    near_duplicates,
)
from lethe.forgeteval.suites import read_suite
from lethe.parquet import write_text

app = typer.Typer(name="lethe", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


class Format(StrEnum):
    """How `check-cases` reports: a line for each rejection, or one JSON object."""

    text = "text"
    json = "json"


@app.command()
def check_cases(
    file: Annotated[Path, typer.Argument(help="JSON Lines file of cases")],
    format: Annotated[Format, typer.Option(help="text for people, json for programs")] = Format.text,
) -> None:
    """Give the Stage 1 verdict on every case of FILE; exit code 1 if any is rejected."""
    intake = check_file(file)
    print(_intake_json(file, intake) if format is Format.json else _intake_text(file, intake))
    raise typer.Exit(1 if intake.rejected else 0)


@app.command()
def intake(
    file: Annotated[Path, typer.Argument(help="JSON Lines file that one author handed in")],
    author: Annotated[str, typer.Option(help="short name of the author; case ids begin with it")],
    out: Annotated[Path, typer.Option(help="folder of the external suite")],
) -> None:
    """Take FILE's admitted cases into OUT/cases.jsonl and list its rejections in OUT/rejections.csv."""
    taken = take_in(file, author, out)
    for category, count in taken.admitted_by_category.items():
        print(f"{category}: {count}")
    print(f"{out / CASES_FILE}: {_cases(sum(taken.admitted_by_category.values()))} of {author} admitted")
    print(f"{out / REJECTIONS_FILE}: {_cases(taken.rejected)} of {author} rejected")


@app.command()
def docs(
    check: Annotated[bool, typer.Option("--check", help="write nothing; exit code 1 if a page is old")] = False,
    root: Annotated[Path, typer.Option(help="the project's folder")] = Path(),
) -> None:
    """Write docs/data.md and docs/configuration.md anew from the schemas."""
    pages = generated_pages(root)
    old = [page for page in pages if _read(root / page) != pages[page]]
    if check and old:
        raise LetheError(f"{', '.join(map(str, old))}: not what the schemas say; run `lethe docs`")
    for page in old:
        write_text(root / page, pages[page])
        print(f"{page}: written")
    if not old:
        print("the generated pages are up to date")


@app.command("near-duplicates")
def list_near_duplicates(
    suite_cases: Annotated[Path, typer.Option(help="a suite's cases")] = Path(
        "results/suites/adversarial/cases.parquet"
    ),
    vectors: Annotated[Path, typer.Option(help="the suite's vectors")] = Path("results/embeddings/adversarial.parquet"),
    threshold: Annotated[
        list[str] | None,
        typer.Option(metavar="MEASURE=VALUE", help="other than the default threshold of a measure; repeatable"),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="pairs shown for each measure")] = 20,
) -> None:
    """List the pairs of cases that are too alike, and each measure's closest pair; exit code 1 if there are any."""
    thresholds = _thresholds(threshold or [])
    cases, known = {case.case_id: case for case in read_suite(suite_cases)}, read_vectors(vectors)
    found = near_duplicates(list(cases.values()), known, thresholds)
    for measure in MEASURES:
        alike = [pair for pair in found.pairs if pair.measure == measure]
        print(f"{measure}: {len(alike)} pairs at or above {thresholds[measure]:g}; most alike:")
        for pair in alike[:limit] or [pair for pair in found.closest if pair.measure == measure]:
            print(f"  {pair.similarity:.3f} {pair.first} {pair.second}")
            rows = closest_rows(cases[pair.first], cases[pair.second], known) if measure == "row" else ()
            for row in rows:
                print(f"        {row}")
        if len(alike) > limit:
            print(f"  and {len(alike) - limit} more; see --limit")
    raise typer.Exit(1 if found.pairs else 0)


def main() -> None:
    """Run the command line; a mistake of the user's is one line on standard error and exit code 1."""
    with one_line_errors():
        app()


def _intake_text(file: Path, intake: Intake) -> str:
    lines = [f"{file}:{o.line}: {o.case_id}: {o.reason}: {o.detail}" for o in intake.objections]
    summary = f"{file}: {_cases(intake.checked)}, {len(intake.admitted)} admitted, {intake.rejected} rejected"
    return "\n".join([*lines, summary])


def _intake_json(file: Path, intake: Intake) -> str:
    report = {
        "file": str(file),
        "checked": intake.checked,
        "admitted": len(intake.admitted),
        "rejected": intake.rejected,
        "rejections": [asdict(objection) for objection in intake.objections],
    }
    return json.dumps(report, ensure_ascii=False, indent=1)


def _cases(count: int) -> str:
    return f"{count} case" if count == 1 else f"{count} cases"


def _read(path: Path) -> str | None:
    return path.read_bytes().decode("utf-8", errors="replace") if path.exists() else None


def _thresholds(given: list[str]) -> dict[Measure, float]:
    thresholds = dict(THRESHOLDS)
    for text in given:
        name, _, value = text.partition("=")
        measure = next((known for known in MEASURES if known == name), None)
        if measure is None:
            raise LetheError(f"--threshold {text}: give MEASURE=VALUE with a measure of {', '.join(MEASURES)}")
        try:
            thresholds[measure] = float(value)
        except ValueError:
            raise LetheError(f"--threshold {text}: {value!r} is not a number") from None
    return thresholds


if __name__ == "__main__":
    main()
