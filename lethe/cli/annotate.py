"""The commands `lethe annotate`: write empty annotation sheets, and check filled-in ones."""

from pathlib import Path
from typing import Annotated

import typer

from lethe.admission.annotation.reading import find_sheets, read_sheets
from lethe.admission.annotation.sample import item_name
from lethe.admission.annotation.sheets import write_sheet
from lethe.analysis.agreement import MEASURES, agreement_rows
from lethe.cases.stored import read_suite
from lethe.cli.show import show
from lethe.errors import LetheError
from lethe.parquet import read_rows
from lethe.schemas import ALL, ANNOTATION_SAMPLE

annotate = typer.Typer(name="annotate", no_args_is_help=True, help="Annotation sheets (docs/annotating.md).")

_Sample = Annotated[Path, typer.Option(help="the sampled cases")]
_SAMPLE = Path("results/agreement/sample.parquet")
_RESAMPLES, _SEED = 2000, 42


@annotate.command()
def sheet(
    out: Annotated[Path, typer.Argument(help="file to write, .csv or .xlsx, named after the annotator")],
    sample: _Sample = _SAMPLE,
    suite_cases: Annotated[Path, typer.Option(help="the suite's cases")] = Path(
        "results/suites/adversarial/cases.parquet"
    ),
) -> None:
    """Write an empty sheet of the sampled cases to OUT."""
    if out.exists():
        raise LetheError(f"{out}: exists and may be filled in; name another file")
    cases = {item_name(case): case for case in read_suite(suite_cases)}
    items = [row["item"] for row in read_rows(sample, ANNOTATION_SAMPLE)]
    if not cases.keys() >= set(items):
        raise LetheError(f"{sample}: drawn from cases other than {suite_cases}; run snakemake {sample} again")
    write_sheet(out, [cases[item] for item in items])
    show(f"{out}: {len(items)} cases")


@annotate.command()
def check(
    folder: Annotated[Path, typer.Argument(help="folder of filled-in sheets")] = Path("annotations"),
    sample: _Sample = _SAMPLE,
) -> None:
    """Check the sheets in FOLDER, and print the annotators' agreement."""
    paths = find_sheets(folder)
    if not paths:
        raise LetheError(f"{folder}: contains no sheet (.csv, .xlsx); `lethe annotate sheet` writes one")
    annotations = read_sheets(paths, read_rows(sample, ANNOTATION_SAMPLE))
    for path in paths:
        given = [row["label"] for row in annotations if row["annotator"] == path.stem]
        show(f"{path}: {given.count('wf')} wf, {given.count('ill')} ill")
    overall = {row["measure"]: row for row in agreement_rows(annotations, _RESAMPLES, _SEED) if row["part"] == ALL}
    for name in MEASURES:
        row = overall[name]
        known = "not defined" if row["value"] is None else f"{row['value']:.3f} [{row['low']:.3f}, {row['high']:.3f}]"
        show(f"{name}: {known}")
