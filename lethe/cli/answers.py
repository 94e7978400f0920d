"""`forgeteval answers record` and `forgeteval answers check`: chat models' answers that are part of the project."""

from pathlib import Path
from typing import Annotated, Any

import typer

from forgeteval.errors import UserError
from forgeteval.yaml_data import read_yaml
from lethe.cli.models import configured_model, endpoint_models, served_models

answers = typer.Typer(
    name="answers", no_args_is_help=True, help="Record what chat models answered, and ask them again."
)
_Folder = Annotated[Path, typer.Option(help="folder of the recorded answers")]
_Configs = Annotated[Path, typer.Option(help="folder of the configuration")]
_ANSWERS, _CONFIG = Path("answers"), Path("config")


@answers.command()
def record(
    results: Annotated[Path, typer.Option(help="folder of a finished workflow's results")] = Path("results"),
    folder: _Folder = _ANSWERS,
    config: _Configs = _CONFIG,
    model: Annotated[list[str] | None, typer.Option(help="models to record; all that are served, if not given")] = None,
    configfile: Annotated[list[Path] | None, typer.Option(help="a further file that names suites")] = None,
    environments: Annotated[Path, typer.Option(help="folder of the built environments")] = Path(".environments"),
) -> None:
    """Add the answers of finished runs, and judgements, on this project's own suites to FOLDER; what lacks an answer is
    refused. Of judgements on other authors' cases, the verdicts are added without any text."""
    from lethe.people.judging import without_quotes
    from lethe.trust.recorded_answers import ToRecord, Weights, judgements_to_record, record_runs, runs_to_record

    listed = config / "models.yaml"
    if not model:
        for name in endpoint_models(listed, *(configfile or ())):
            print(f"{name}: an endpoint's answers are not recorded; share {results}/llm/cache.sqlite")
    models = {name: configured_model("--model", name, listed) for name in model or served_models(listed)}
    suites: dict[str, Any] = {}
    for path in (config / "suites.yaml", *(configfile or ())):
        suites |= read_yaml(path).get("suites", {})
    others = [name for name, options in suites.items() if "url" in options]
    own = runs_to_record(results, models, [name for name in suites if name not in others])
    found = {**own, **judgements_to_record(results, models, others)}
    if not found:
        raise UserError(
            f"{results}: no finished run of {', '.join(models) or 'a model'} in it; name the results of one"
        )
    orders = []
    for path, read in found.items():
        finished = read(path)
        asked = models[finished.run.model]
        weights = Weights(asked.serve.sha256, _server(environments)) if asked.serve else Weights("", asked.base_url)
        orders.append(ToRecord(finished, weights, without_quotes if finished.run.suite in others else None))
    counts = record_runs(orders, results / "llm" / "cache.sqlite", folder)
    for path, order, added in zip(found, orders, counts, strict=True):
        broken = order.finished.broken
        errors = f", {len(broken)} of them errors" if broken else ""
        print(f"{path}: {order.finished.run.cases} cases{errors}, {added} answers added")


@answers.command()
def check(
    model: Annotated[str, typer.Option(help="a model that is served on this machine")],
    sample: Annotated[int, typer.Option(min=1, help="number of answers to ask for again")] = 20,
    seed: Annotated[int, typer.Option(help="seed of the sample")] = 42,
    folder: _Folder = _ANSWERS,
    config: _Configs = _CONFIG,
    environments: Annotated[Path, typer.Option(help="folder of the built environments")] = Path(".environments"),
) -> None:
    """Ask MODEL again for a sample of its recorded answers and count the equal ones."""
    from forgeteval.chat.redaction import Redactor
    from lethe.installed import require
    from lethe.stored.answers import answers_path, read_answers
    from lethe.trust.recorded_answers import ask_again, sample_rows

    require("endpoints", "asking a model again")
    from lethe.gateway.upstream import Upstream
    from lethe.serving.locating import Prepared, served

    options = configured_model("--model", model, config / "models.yaml")
    rows = sample_rows((row for row in read_answers(answers_path(folder, model)) if row["request"]), sample, seed)
    with served(options, Prepared.of(model, environments)) as addresses:
        if model not in addresses:
            raise UserError(f"model {model}: is not served on this machine; its answers cannot be asked for again")
        found = ask_again(rows, Upstream(options, addresses[model], Redactor([])))
    for one in found:
        if not one.equal:
            print(f"{one.task} {one.key[:16]}: recorded {one.recorded}, now {one.now}")
    print(f"{model}: {sum(one.equal for one in found)} of {len(found)} answers equal")


@answers.command()
def contracts(
    results: Annotated[Path, typer.Option(help="folder of a finished workflow's results")] = Path("results"),
    folder: _Folder = _ANSWERS,
) -> None:
    """Write to FOLDER/contracts.csv what oracles and models did by the contracts `rows` and `paper`, with the store
    alone, and print the tables of docs/models.md."""
    from lethe.study.contracts import ceilings_page, measured, models_page, write_measured

    found = measured(results)
    if not found:
        raise UserError(f"{results}: no run of an oracle or by the contract rows is there")
    write_measured(folder, found)
    print(ceilings_page(found), models_page(found), sep="\n\n")


def _server(environments: Path) -> str:
    """Package and version of the server, as its environment was built."""
    freeze = environments / "llama_cpp.freeze.txt"
    try:
        lines = freeze.read_text(encoding="utf-8").splitlines()
        return next(line for line in lines if line.startswith("xllamacpp=="))
    except (OSError, StopIteration) as error:
        raise UserError(
            f"{freeze}: does not name the server; --environments is the folder that it was built in"
        ) from error
