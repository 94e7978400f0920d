"""The command `forgeteval draft`: a chat model drafts cases, and another may judge them."""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forgeteval.cases.case import FIRST
from forgeteval.cases.interchange import dump_jsonl
from forgeteval.cases.reading import read_cases
from forgeteval.cli.printing import show
from forgeteval.errors import UserError
from forgeteval.files import check_room, write_text
from lethe.cli.cases import counted
from lethe.cli.models import configured_model
from lethe.people.drafting import DraftReport, check_category, draft_cases
from lethe.people.model_families import same_model_family

if TYPE_CHECKING:
    from lethe.config.chat_models import ModelConfig
    from lethe.gateway.addresses import Locate

_EXEMPLARS = 3
"""Number of cases shown to the drafting model."""
_TOKENS_PER_CASE = 800
"""Room in the answer for each case."""


def draft(
    category: Annotated[str, typer.Option(help="attack category of the cases")],
    count: Annotated[int, typer.Option(min=1, help="number of cases to ask for")],
    model: Annotated[str, typer.Option(help="drafting model, by its name in CONFIG")],
    out: Annotated[Path, typer.Option(help="JSON Lines file for the admitted cases")],
    judge: Annotated[str | None, typer.Option(help="judge model for Stage 2; without it, Stage 1 only")] = None,
    config: Annotated[Path, typer.Option(help="the chat models")] = Path("config/models.yaml"),
    cache: Annotated[Path, typer.Option(help="cache of the models' answers")] = Path("results/llm/cache.sqlite"),
    exemplars: Annotated[Path, typer.Option(help="folder of written cases, some of which the model is shown")] = Path(
        "suites/adversarial"
    ),
    allow_same_family: Annotated[
        bool, typer.Option("--allow-same-family", help="allow a judge of the drafting model's model family")
    ] = False,
    environments: Annotated[Path, typer.Option(help="folder of the built environments")] = Path(".environments"),
) -> None:
    """Let a model draft cases; write those admitted to OUT, the rejections next to it; exit code 1 if all fail."""
    check_category(category)
    if out.exists():
        raise UserError(f"{out}: exists; name another file, or move it away")
    rejected = out.with_suffix(".rejections.csv")
    if rejected.exists():
        raise UserError(f"{rejected}: exists; name another file, or move it away")
    check_room(rejected)
    drafter = configured_model("--model", model, config)
    judging = None if judge is None else configured_model("--judge", judge, config)
    if judging is not None and not allow_same_family and same_model_family(drafter.family, judging.family):
        raise UserError(
            f"--judge {judge}: belongs to the model family {judging.family!r}, like the drafting model {model}; choose "
            "a judge of another or give --allow-same-family"
        )
    report = _draft(category, count, drafter, judging, cache, exemplars, environments)
    write_text(rejected, report.rejections_csv())
    write_text(out, dump_jsonl(report.admitted))
    show(f"{out}: {counted(len(report.admitted))} admitted of {count} asked for")
    reasons = "1 reason" if len(report.rejections) == 1 else f"{len(report.rejections)} reasons"
    show(f"{rejected}: {reasons} against others")
    raise typer.Exit(0 if report.admitted else 1)


def _draft(
    category: str,
    count: int,
    drafter: "ModelConfig",
    judge: "ModelConfig | None",
    cache: Path,
    written: Path,
    environments: Path,
) -> DraftReport:
    from forgeteval.planners.llm.client import chat_client
    from lethe.gateway.context import CallContext, call_headers
    from lethe.gateway.server import Gateway
    from lethe.jobs.services import chat_options, gateway_endpoint
    from lethe.people.judge_run import judge_cases
    from lethe.serving.locating import Prepared, served

    known = read_cases(written, "adversarial")
    exemplars = [case for case in known if case.category == category and case.provenance in FIRST][:_EXEMPLARS]
    context = CallContext(suite="drafted", system="draft", case_id=category)
    models = {model.name: model for model in (drafter, judge) if model is not None}
    with ExitStack() as stack:
        addresses: dict[str, Locate] = {}
        for model in models.values():
            addresses |= stack.enter_context(served(model, Prepared.of(model.name, environments)))
        gateway = stack.enter_context(Gateway(models, cache, "live", served=addresses))
        options, token = chat_options(drafter), gateway.issue(context)
        options = replace(options, max_tokens=max(options.max_tokens, _TOKENS_PER_CASE * count))
        return draft_cases(
            category,
            count,
            exemplars,
            chat_client(options, gateway_endpoint(gateway, drafter), lambda purpose: call_headers(token, purpose)),
            None if judge is None else lambda cases: judge_cases(cases, gateway, judge, lambda _: None),
            known,
        )
