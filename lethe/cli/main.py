"""The command line, `lethe`: for people who write cases and for the pages that are generated."""

import json
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
import yaml

from lethe.admission.drafting import DraftReport, check_category, draft_cases
from lethe.admission.external import REJECTIONS_FILE, take_in
from lethe.admission.intake import Intake, check_file
from lethe.admission.judge_families import same_family
from lethe.cases.interchange import dump_jsonl
from lethe.cases.near_duplicates import (
    MEASURES,
    THRESHOLDS,
    Measure,
    closest_rows,
    near_duplicates,
)
from lethe.cases.stored import read_suite
from lethe.cases.suites import INTAKE_FILE
from lethe.cases.written import read_written
from lethe.cli.annotate import annotate
from lethe.cli.pages import generated_pages
from lethe.embedding.vectors import read_vectors
from lethe.errors import LetheError, one_line_errors
from lethe.parquet import write_text

if TYPE_CHECKING:
    from lethe.gateway.models import ModelConfig

_EXEMPLARS = 3
"""Cases of the written core that a drafting model is shown."""
_TOKENS_A_CASE = 800
"""Room for one drafted case in the answer."""

app = typer.Typer(name="lethe", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
app.add_typer(annotate)


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
    print(f"{out / INTAKE_FILE}: {_cases(sum(taken.admitted_by_category.values()))} of {author} admitted")
    print(f"{out / REJECTIONS_FILE}: {_cases(taken.rejected)} of {author} rejected")


@app.command()
def draft(
    category: Annotated[str, typer.Option(help="attack category of the cases")],
    count: Annotated[int, typer.Option(min=1, help="how many cases to ask for")],
    model: Annotated[str, typer.Option(help="model that drafts, by its name in CONFIG")],
    out: Annotated[Path, typer.Option(help="JSON Lines file for the admitted cases")],
    judge: Annotated[str | None, typer.Option(help="model that judges (Stage 2); none: Stage 1 alone")] = None,
    config: Annotated[Path, typer.Option(help="the chat models")] = Path("config/models.yaml"),
    cache: Annotated[Path, typer.Option(help="the answers kept")] = Path("results/llm/cache.sqlite"),
    exemplars: Annotated[Path, typer.Option(help="folder of written cases that the model is shown some of")] = Path(
        "suites/adversarial"
    ),
    allow_same_family: Annotated[
        bool, typer.Option("--allow-same-family", help="let the judge be of the drafting model's family")
    ] = False,
) -> None:
    """Let a model draft cases, write those admitted to OUT and the rejections beside it; exit code 1 if none is."""
    check_category(category)
    drafter = _model("--model", model, config)
    judging = None if judge is None else _model("--judge", judge, config)
    if judging is not None and not allow_same_family and same_family(drafter.family, judging.family):
        raise LetheError(
            f"--judge {judge}: of the family {judging.family!r}, as is the drafting model {model}; take another or "
            "give --allow-same-family"
        )
    report = _draft(category, count, drafter, judging, cache, exemplars)
    rejected = out.with_suffix(".rejections.csv")
    write_text(rejected, report.rejections_csv())
    write_text(out, dump_jsonl(report.admitted))
    print(f"{out}: {_cases(len(report.admitted))} admitted of {count} asked for")
    print(f"{rejected}: {len(report.rejections)} reasons against others")
    raise typer.Exit(0 if report.admitted else 1)


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


@app.command()
def audit(
    folder: Annotated[
        Path, typer.Argument(help="folder that holds results/, and paper_tables/ and figures/ if given")
    ] = Path(),
) -> None:
    """Check results against their manifest and tables against the results; print the versions of what ran."""
    from lethe.audit.check import audit as check
    from lethe.audit.manifest import versions_text

    found = check(folder)
    print(versions_text(found.versions))
    for finding in found.findings:
        print(finding)
    print(f"{found.files} files and {found.tables} tables checked, {len(found.findings)} findings")
    if found.findings:
        raise typer.Exit(1)


def main() -> None:
    """Run the command line; a mistake of the user's is one line on standard error and exit code 1."""
    with one_line_errors():
        app()


def _draft(
    category: str, count: int, drafter: "ModelConfig", judge: "ModelConfig | None", cache: Path, written: Path
) -> DraftReport:
    from lethe.admission.judge_run import judge_cases
    from lethe.gateway.access import HookAccess
    from lethe.gateway.context import CallContext
    from lethe.gateway.server import Gateway
    from lethe.planners.llm.client import chat_client

    known = read_written("adversarial", written)
    exemplars = [case for case in known if (case.category, case.provenance) == (category, "core")][:_EXEMPLARS]
    context = CallContext(suite="drafted", system="draft", case_id=category)
    with Gateway({model.name: model for model in (drafter, judge) if model is not None}, cache, "live") as gateway:
        hook = HookAccess(gateway, drafter).hook()
        hook["max_tokens"] = max(hook["max_tokens"], _TOKENS_A_CASE * count)
        return draft_cases(
            category,
            count,
            exemplars,
            chat_client(**hook, headers=context.headers),
            None if judge is None else lambda cases: judge_cases(cases, gateway, judge, lambda _: None),
            known,
        )


def _model(option: str, name: str, path: Path) -> "ModelConfig":
    # The web server and client take a second to import, which the other commands need not wait.
    from lethe.gateway.models import ModelConfig

    try:
        models = yaml.safe_load(path.read_text(encoding="utf-8"))["models"]
    except (OSError, ValueError, TypeError, LookupError, yaml.YAMLError) as error:
        raise LetheError(f"{path}: no readable list of models ({type(error).__name__}); see docs/models.md") from error
    if not isinstance(models, dict) or not all(isinstance(options, dict) for options in models.values()):
        raise LetheError(f"{path}: models: must map each name to its options; see docs/models.md")
    if name not in models:
        raise LetheError(f"{option} {name}: not configured; {path} knows {', '.join(map(str, models)) or 'no model'}")
    return ModelConfig.from_config(name, models[name])


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
