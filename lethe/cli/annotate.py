"""The commands `forgeteval annotate`: write empty annotation sheets, check filled-in ones, and compare end states."""

from pathlib import Path
from typing import Annotated

import typer

from forgeteval.cases.case import Case
from forgeteval.cli.printing import show
from forgeteval.errors import UserError
from forgeteval.files import write_text
from forgeteval.foreign import apart
from lethe.parquet import read_rows
from lethe.people.annotation.reading import SHEET_LIMITS, SHEETS, alike, check_annotators, find_sheets, read_sheets
from lethe.people.annotation.sample import item_name
from lethe.people.annotation.sheets import write_sheet
from lethe.people.annotation.state_sheets import (
    INSTRUCTIONS,
    draw_states_sample,
    read_states_sheet,
    write_states_sheet,
)
from lethe.schemas import ALL, ANNOTATION_SAMPLE
from lethe.stored.cases import read_suite
from lethe.study.agreement import MEASURES, agreement_rows
from lethe.study.state_agreement import state_agreement

annotate = typer.Typer(name="annotate", no_args_is_help=True, help="Annotation sheets (docs/annotating.md).")

_Sample = Annotated[Path, typer.Option(help="the sampled cases")]
_SAMPLE = Path("results/agreement/sample.parquet")
_CASES = Path("results/suites/adversarial/cases.parquet")
_RESAMPLES, _SEED = 2000, 42


@annotate.command()
def sheet(
    out: Annotated[Path, typer.Argument(help="file to write, .csv or .xlsx, named after the annotator")],
    sample: _Sample = _SAMPLE,
    suite_cases: Annotated[Path, typer.Option(help="the suite's cases")] = _CASES,
) -> None:
    """Write an empty sheet of the sampled cases to OUT."""
    _refuse_existing(out)
    cases = _cases_of(sample, suite_cases)
    items = [row["item"] for row in read_rows(sample, ANNOTATION_SAMPLE)]
    write_sheet(out, [cases[item] for item in items])
    show(f"{out}: {len(items)} cases")


@annotate.command()
def check(
    folder: Annotated[Path, typer.Argument(help="folder of filled-in sheets")] = Path(SHEETS),
    sample: _Sample = _SAMPLE,
    suite_cases: Annotated[Path, typer.Option(help="the suite's cases")] = _CASES,
) -> None:
    """Check the sheets in FOLDER, and print the annotators' agreement."""
    if folder.is_file():
        raise UserError(f"{folder}: a file; give the folder of the sheets")
    paths = find_sheets(folder)
    if not paths:
        raise UserError(f"{folder}: contains no sheet (.csv, .xlsx); `forgeteval annotate sheet` writes one")
    cases = _cases_of(sample, suite_cases)
    annotations = apart(read_sheets, paths, read_rows(sample, ANNOTATION_SAMPLE), cases, limits=SHEET_LIMITS)
    by_sheet = {path: [row for row in annotations if row["annotator"] == path.stem] for path in paths}
    for path, own in by_sheet.items():
        given = [row["label"] for row in own]
        show(f"{path}: {given.count('wf')} wf, {given.count('ill')} ill")
    for first, second in alike(by_sheet):
        show(f"{second}: every label is that of {first}; if it is a copy, remove it")
    overall = {row["measure"]: row for row in agreement_rows(annotations, _RESAMPLES, _SEED) if row["part"] == ALL}
    for name in MEASURES:
        row = overall[name]
        known = "not defined" if row["value"] is None else f"{row['value']:.3f} [{row['low']:.3f}, {row['high']:.3f}]"
        show(f"{name}: {known}")


@annotate.command()
def states(
    out: Annotated[Path, typer.Argument(help="file to write, .csv, named after the annotator")],
    suite_cases: Annotated[Path, typer.Option(help="a suite's cases")] = _CASES,
    cases: Annotated[int, typer.Option(min=1, help="number of cases")] = 60,
    seed: Annotated[int, typer.Option(min=0, help="which cases are drawn")] = 42,
) -> None:
    """Write a blind sheet of end states to OUT: facts and requests alone."""
    sample = draw_states_sample(read_suite(suite_cases), cases, seed)
    if not sample:
        raise UserError(f"{suite_cases}: no case has states; name a suite that has")
    write_states_sheet(out, sample)
    show(f"{out}: {len(sample)} cases, {sum(len(case.facts()) for case in sample)} facts")
    show(INSTRUCTIONS)


@annotate.command()
def compare_states(
    sheets: Annotated[list[Path], typer.Argument(help="filled-in sheets of states")],
    suite_cases: Annotated[Path, typer.Option(help="the suite's cases")] = _CASES,
    kept: Annotated[Path | None, typer.Option(help="new file for the names of the cases that are kept")] = None,
) -> None:
    """Compare SHEETS with each other and with the cases; keep the cases on which two annotators agree."""
    if kept is not None:
        _refuse_existing(kept)
    check_annotators(sheets)
    by_id = {case.case_id: case for case in read_suite(suite_cases)}
    read = {path.stem: apart(read_states_sheet, path, by_id, limits=SHEET_LIMITS) for path in sheets}
    in_sheets = [{case_id for case_id, _ in sheet} for sheet in read.values()]
    if lacking := sorted(set[str]().union(*in_sheets) - in_sheets[0].intersection(*in_sheets)):
        show(f"not in every sheet: {len(lacking)} cases, such as {lacking[0]}; a sheet may be cut")
    found = state_agreement(read, by_id)
    for (first, second), (agreed, both) in found.pairs.items():
        copied = "; if one is a copy, leave it out" if agreed == both > 0 else ""
        show(f"{first} and {second}: {agreed} of {both} facts alike{copied}")
    for name, (agreed, facts) in found.with_cases.items():
        show(f"{name} and the cases: {agreed} of {facts} facts alike")
    for (case_id, number), written in sorted(found.disagreed.items()):
        show(f"  {case_id}, fact {number + 1}: {', '.join(f'{name} {state}' for name, state in written.items())}")
    show(f"kept: {len(found.kept)} cases")
    if kept is not None:
        write_text(kept, "".join(f"{case_id}\n" for case_id in found.kept))


def _cases_of(sample: Path, suite_cases: Path) -> dict[str, Case]:
    """The suite's cases by item; UserError where the sample is of others."""
    cases = {item_name(case): case for case in read_suite(suite_cases)}
    if not cases.keys() >= {row["item"] for row in read_rows(sample, ANNOTATION_SAMPLE)}:
        raise UserError(f"{sample}: drawn from cases other than {suite_cases}; run snakemake {sample} again")
    return cases


def _refuse_existing(path: Path) -> None:
    if path.exists():
        raise UserError(f"{path}: exists and may be filled in; name another file")
