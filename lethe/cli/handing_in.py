"""`forgeteval submit` and `forgeteval admit`: one system's trials in one file, and how they are taken in."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forgeteval.cli.printing import show
from forgeteval.errors import UserError
from forgeteval.foreign import apart
from lethe.cli.standing import standing_in

if TYPE_CHECKING:
    from lethe.config.model import Config
    from lethe.trust.rerun import Rerun


def submit(
    system: Annotated[
        list[str],
        typer.Argument(
            help="SYSTEM or SYSTEM@MODEL of a workflow; or what `forgeteval run --out` wrote, a file for each suite",
        ),
    ],
    by: Annotated[str, typer.Option(help="who hands in, as the tables are to say it")],
    results: Annotated[Path, typer.Option(help="folder that contains results/")] = Path(),
    out: Annotated[Path | None, typer.Option(help="file to write; by default BY-SYSTEM.tar.gz")] = None,
    adapter: Annotated[Path | None, typer.Option(help="file of the system's own adapter, for readers")] = None,
    key: Annotated[Path | None, typer.Option(help="private key with which ssh-keygen signs")] = None,
    root: Annotated[Path, typer.Option(help="the project's folder")] = Path(),
) -> None:
    """Bundle configuration, lock, trials, versions and checksums of one system in one file."""
    from lethe.trust.submit import submit as bundle
    from lethe.trust.submit import submit_results

    first, *others = system
    file = out or Path(f"{by}-{Path(first).name.removesuffix('.json')}.tar.gz")
    if first.endswith(".json") or Path(first).is_file():
        made = apart(submit_results, Path(first), by, file, adapter, key, [*map(Path, others)])
    elif others:
        raise UserError(f"{first} {others[0]}: one SYSTEM makes a bundle; several files of results of one store do")
    else:
        made = bundle(results, first, by, file, root, adapter, key)
    show(f"{file}: {made.configuration.name} on {', '.join(made.suites)}, handed in by {by}{', signed' if key else ''}")


def admit(
    file: Annotated[Path, typer.Argument(help="bundle that `forgeteval submit` made")],
    rerun: Annotated[int, typer.Option(min=0, help="cases of each suite to run again here, where it can be built")] = 0,
    signers: Annotated[
        Path | None, typer.Option(help="keys of those whose signature counts: an allowed_signers file of ssh-keygen")
    ] = None,
    into: Annotated[Path | None, typer.Option(help="folder to keep it in; by default handed_in/")] = None,
    configfile: Annotated[
        list[Path] | None, typer.Option(help="a further file of configuration, as Snakemake's --configfile")
    ] = None,
    root: Annotated[Path, typer.Option(help="folder of the Snakefile")] = Path(),
) -> None:
    """Check a bundle case by case, and keep it if nothing is found. Nothing in it is executed."""
    from lethe.config.model import HANDED_IN
    from lethe.config.reading import read_config
    from lethe.trust.admit import admit as take_in

    file, further = file.absolute(), [path.absolute() for path in configfile or ()]
    signers, into = signers and signers.absolute(), into and into.absolute()
    with standing_in(root):
        config = read_config(Path(), further)
        folder = into or Path(HANDED_IN)
        sample = _sample(config, rerun) if rerun else None
        submission, found = take_in(file, config, folder, sample, signers)
    folder = into or root / folder
    for line in found.findings:
        show(line)
    name = f"{submission.configuration.name} on {', '.join(submission.suites)}, handed in by {submission.by}"
    if found.own_adapter:
        show("no system of this project: judged by its trials alone")
    if found.rerun:
        show(f"{found.same} of {found.rerun} trials have the same verdict when run again here")
    show(
        f"signature: of {found.signer}" if found.signer else "signature: not checked; --signers FILE says whose counts"
    )
    if found.findings:
        show(f"{name}: not admitted, {len(found.findings)} findings")
        raise typer.Exit(1)
    show(f"{name}: admitted, kept in {folder / submission.by / submission.configuration.name}")


def _sample(config: "Config", cases: int) -> "Rerun":
    """How many cases of each suite are run again, and with which embedder."""
    from forgeteval.embed.embedder import CachedEmbedder
    from lethe.embedding.embedder import FastEmbedder
    from lethe.embedding.prepare import MAX_TOKENS
    from lethe.trust.rerun import Rerun

    environments = Path(config.environments_dir)
    model = environments / "embedders" / f"{Path(config.embedder).name}-{MAX_TOKENS}"
    if not (model / "embedder.json").is_file():
        raise UserError(f"{model}: the embedder is not there; `snakemake -c1 {model}/embedder.json` prepares it")
    return Rerun(cases, CachedEmbedder({}, FastEmbedder(model)), environments)
