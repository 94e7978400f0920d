"""`forgeteval run`: a suite on a store."""

import contextlib
import inspect
import math
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from forgeteval.cases.library import known_suites, load_suite
from forgeteval.cases.reading import may_hold_cases
from forgeteval.cli.exits import Exit
from forgeteval.cli.printing import complain, show
from forgeteval.errors import RAISED_BY_OTHERS, ModelFailed, UserError
from forgeteval.files import check_room, real, stream_of
from forgeteval.foreign import apart
from forgeteval.run import facts
from forgeteval.run.baseline import Baseline
from forgeteval.run.descendants import ended_orphans
from forgeteval.run.evaluate import evaluate
from forgeteval.run.formats import write_outputs
from forgeteval.run.formats.annotations import StoppedCommands, annotation_lines
from forgeteval.run.hooked import decided_nothing, who_broke
from forgeteval.run.isolated import CannotBuild, StoreBroke
from forgeteval.run.opened import parse_policies
from forgeteval.run.results import Results
from forgeteval.run.shown import first_error, table_lines
from forgeteval.stores.given import find_store


class Unsure(StrEnum):
    """What happens where the hook is not sure."""

    policy = "policy"
    ask = "ask"


def _number(value: float) -> float:
    if math.isnan(value):
        raise typer.BadParameter("nan is not a number")
    return value


RATES = ("pass", *facts.MEASURES)


def run(
    context: typer.Context,
    store: Annotated[str, typer.Argument(help="module:Class or file.py:Class, found in the current folder too")],
    suite: Annotated[
        str, typer.Option(help="name, file or folder of cases; `forgeteval list` names suites")
    ] = "adversarial",
    k: Annotated[int, typer.Option("-k", min=1, max=100_000, help="memories that a question recalls")] = 10,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="OPERATION=POLICY", help="how a mutation is composed, or OPERATION=none for N/A; repeatable"
        ),
    ] = None,
    planner: Annotated[str | None, typer.Option(help="a planner that decides mutations, as module:Class")] = None,
    model: Annotated[str | None, typer.Option(help="a chat model that decides mutations (extra llm)")] = None,
    base_url: Annotated[
        str | None, typer.Option(help="address of the model's endpoint, up to /v1; by default OpenAI's")
    ] = None,
    key_env: Annotated[
        str | None,
        typer.Option(
            help="environment variable with the endpoint's key, by default OPENAI_API_KEY; '' for an endpoint that "
            "needs none"
        ),
    ] = None,
    preset: Annotated[
        str | None, typer.Option(help="what the model's endpoint takes, such as openai_reasoning or vllm")
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option(min=16, help="limit of the model's answer with its reasoning; by default the preset's, or 1024"),
    ] = None,
    unsure: Annotated[
        Unsure | None,
        typer.Option(help="if it is not sure: the store's own policy, the default, or ask and forget nothing"),
    ] = None,
    embedder: Annotated[
        str | None, typer.Option(help="for a store that asks for one: default, or module:function")
    ] = None,
    category: Annotated[list[str] | None, typer.Option(help="only this category; repeatable")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="only the first cases")] = None,
    timeout: Annotated[
        float, typer.Option(min=0.1, max=1_000_000, callback=_number, help="seconds for one case")
    ] = 30.0,
    in_process: Annotated[
        bool, typer.Option("--in-process", help="no process of its own, no time limit: for debugging")
    ] = False,
    no_controls: Annotated[bool, typer.Option("--no-controls", help="leave out the five controls")] = False,
    minimum: Annotated[
        list[str] | None,
        typer.Option(
            "--min", metavar="RATE=SHARE", help="exit 1 if pass is below, or leak, collateral, stale above; repeatable"
        ),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(
            help="a baseline or results: exit 1 if a case was passed there and is not, or breaks the store now"
        ),
    ] = None,
    write_baseline: Annotated[
        Path | None, typer.Option(help="write the verdicts here, for --baseline of later runs")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="write the results here, as JSON")] = None,
    junit: Annotated[Path | None, typer.Option(help="write JUnit XML here")] = None,
    summary: Annotated[
        Path | None, typer.Option(help="append a Markdown summary here, such as $GITHUB_STEP_SUMMARY")
    ] = None,
    annotations: Annotated[bool, typer.Option("--annotations", help="print annotations for a CI on GitHub")] = False,
    badge: Annotated[Path | None, typer.Option(help="write a badge's JSON here, for shields.io/endpoint")] = None,
    parquet: Annotated[
        Path | None, typer.Option(help="write the trials as the study's workflow does (extra parquet)")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="no progress on standard error")] = False,
    data: Annotated[Path | None, typer.Option(help="folder with other authors' cases")] = None,
) -> None:
    """Run a suite on a store and print its score.

    Exit codes: 0 fine, 1 worse than asked, 2 usage, 3 the store broke or its hook failed, 4 nothing ran.
    """
    commands = context.with_resource(StoppedCommands()) if annotations else None
    least = _rates(minimum or [])
    _check_hook(
        planner,
        model,
        {"base-url": base_url, "key-env": key_env, "preset": preset, "max-tokens": max_tokens},
        unsure is not None,
    )
    if parquet is not None:
        from forgeteval.run.formats.parquet import require_pyarrow

        require_pyarrow(parquet)
    files = {"out": out, "junit": junit, "summary": summary, "badge": badge, "parquet": parquet}
    named = [part for name in (store, planner, embedder) if name is not None for part in _files_of(name)]
    written = {**files, "write-baseline": write_baseline}
    _check_places(written, (Path(suite), *named))
    _check_not_among_cases(written, suite)
    if baseline is not None:
        # Only --write-baseline may renew it.
        _check_places(files, [baseline])
    chosen = apart(load_suite, suite, data)
    known = None if baseline is None else Baseline.read(baseline)
    if known is not None:
        known.check_suite(chosen.name, chosen.sha256, chosen)
    try:
        # A planner, an embedder or a store in this process may go to another folder.
        with contextlib.chdir("."), contextlib.nullcontext() if in_process else ended_orphans():
            results = evaluate(
                store,
                chosen,
                k=k,
                policies=parse_policies(policy or []),
                hook=_hook(planner, model, base_url, key_env, preset, max_tokens),
                unsure=(unsure or Unsure.policy).value,
                embedder=embedder,
                isolated=not in_process,
                case_timeout_s=timeout,
                categories=category or [],
                limit=limit,
                controls=not no_controls,
                progress=not quiet,
            )
    except (CannotBuild, StoreBroke) as error:
        _fail_to_build(store, error)
    except ModelFailed as error:
        complain(f"error: {' '.join(str(error).split())}")
        raise typer.Exit(Exit.broke) from error
    except SystemExit as error:
        if error.code:
            raise
        raise UserError(f"{store}, its planner or its embedder ended the program; leave that out") from error
    problems: list[UserError] = []
    try:
        problems += write_outputs(results, **files)
        problems += _save_baseline(results, known, write_baseline)
        if commands is not None:
            commands.tell(annotation_lines(results))
    finally:
        _show_table(results, problems)
    if problems:
        raise typer.Exit(Exit.usage)
    if model is not None:
        from forgeteval.chat.answers import answers_file

        show(f"answers of {model} are kept in {answers_file()}")
    code = _judged(results, least, known)
    if known is not None and baseline is not None:
        _compare_with(known, results, baseline, out, write_baseline is not None)
    raise typer.Exit(code)


def _files_of(name: str) -> tuple[Path, Path]:
    """Where the module of `module:Class` or `file.py:Class` may stand in the current folder."""
    module = name.rpartition(":")[0]
    return Path(module), Path(f"{module.replace('.', '/')}.py")


def _check_places(files: Mapping[str, Path | None], read: Iterable[Path]) -> None:
    """Refuse, before the run, two outputs in one file, one in a file that is read, and a place that is not writable."""
    named: dict[Path, str] = {}
    sources = {real(path) for path in read}
    for option, path in files.items():
        if path is None:
            continue
        check_room(path)
        if real(path) in sources and path.is_file():
            raise UserError(f"--{option} would overwrite {path}, which this run reads; name another file")
        if stream_of(path) is None and (other := named.setdefault(real(path), option)) != option:
            raise UserError(f"--{other} and --{option} name one file, {path}; give each its own")


def _check_not_among_cases(files: Mapping[str, Path | None], suite: str) -> None:
    """Refuse an output in the suite's own folder that the next run would read as cases, or that is one of its files."""
    if any(known.name == suite for known in known_suites()):
        return
    for option, path in files.items():
        if path is not None and may_hold_cases(path) and real(path).parent == real(Path(suite)):
            raise UserError(f"--{option} {path} would be read as cases of --suite {suite}; name another folder")


def _save_baseline(results: Results, known: Baseline | None, path: Path | None) -> list[UserError]:
    """Write the baseline of a run, if one is asked for, unless the one that is `known` is of other cases; why not."""
    try:
        if known is not None:
            known.check_cases(results)
        if path is not None:
            Baseline.of(results).save(path)
    except UserError as error:
        return [error]
    return []


def _show_table(results: Results, problems: Sequence[UserError]) -> None:
    """Print the table, and then, whether that can be printed or not, a line for each problem."""
    try:
        for line in (*table_lines(results), *first_error(results)):
            show(line)
    finally:
        for problem in problems:
            complain(f"error: {problem}")


def _judged(results: Results, least: dict[str, float], known: Baseline | None) -> Exit:
    if not results.count("pass") + results.count("fail"):
        broken = results.count("error")
        every = f"{who_broke(results.trials)} in every case" if broken else "every case is N/A, or there is none"
        complain(f"nothing ran: {every}")
        return Exit.nothing_ran if not broken or (known is not None and known.knows_errors(results)) else Exit.broke
    worse = [*_below(results, least), *([] if known is None else known.worse(results))]
    for line in worse:
        complain(f"worse than asked: {line}")
    if results.count("error") and not (known is not None and known.knows_errors(results)):
        return Exit.broke
    if decided_nothing(results.trials):
        complain("nothing ran of the hook: no decision was its own, so this is the store's own result; see the note")
        return Exit.nothing_ran
    return Exit.worse if worse else Exit.fine


def _compare_with(known: Baseline, results: Results, file: Path, out: Path | None, is_written: bool) -> None:
    """Say how many cases got worse and better than a baseline, and what to do about it; nothing where none did.

    Args:
        file: the baseline's.
        out: where the results are written, if they are.
        is_written: the baseline of this run is, too.
    """
    unknown = len(results.trials) - known.known(results)
    if unknown:
        complain(f"{unknown} of {len(results.trials)} cases are not in {file}, and were not compared with it")
    if is_written and (left := len(known.verdicts) - known.known(results)):
        complain(f"{left} cases of {file} did not run, and are not in the baseline that was written")
    if known.k not in (None, k := results.settings["k"]):
        complain(f"{file} is of k {known.k}, this run of k {k}: what differs may be due to that; run with -k {known.k}")
    worse, better = len(known.worse(results)), known.better(results)
    if not worse and not better:
        return
    line = f"{worse} {'case' if worse == 1 else 'cases'} worse, {better} better than {file}"
    if worse:
        shown = f"forgeteval show {out} ID" if out is not None else "with --out OUT, forgeteval show OUT ID"
        line += f"; {shown} shows one"
    if not is_written:
        line += f"; to accept {'them' if worse else 'this'}: --write-baseline {file}"
    complain(line)


def _below(results: Results, least: dict[str, float]) -> list[str]:
    rates = results.facts()
    found = []
    for name, share in least.items():
        if name == "pass":
            if results.rate.share < share:
                found.append(f"pass {results.rate.share:.1%} is below {share:.1%}")
        elif name not in rates:
            counted, _ = facts.MEASURES[name]
            stated = any(state.state in counted for case in results.cases for state in case.states or ())
            which = f"fact with the state {' or '.join(counted)}"
            why = f"each case with a {which} is N/A or broke" if stated else f"its cases have no {which}"
            found.append(f"{name} cannot be said of {results.suite.name}: {why}")
        elif rates[name].share > share:
            found.append(f"{name} {rates[name].share:.1%} is above {share:.1%}")
    return found


def _rates(given: Sequence[str]) -> dict[str, float]:
    found = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            name, value = "pass", text
        if name in found:
            raise UserError(f"--min {text}: {name} is given twice; give it once")
        try:
            found[name] = float(value)
        except ValueError:
            raise UserError(f"--min {text}: {value!r} is not a number; give a share such as pass=0.3") from None
        if name not in RATES or not 0 <= found[name] <= 1:
            raise UserError(f"--min {text}: give RATE=SHARE with a rate of {', '.join(RATES)} and a share from 0 to 1")
    return found


def _check_hook(planner: str | None, model: str | None, of_a_model: Mapping[str, object], unsure: bool) -> None:
    """Refuse, before the run, a second planner, and options that without a hook mean nothing.

    Args:
        of_a_model: the options that only a chat model has, None where they are not given.
        unsure: `--unsure` is given.
    """
    if planner is not None and model is not None:
        raise UserError("--planner and --model: give one of them; either decides every mutation")
    given = [f"--{name}" for name, value in of_a_model.items() if value is not None]
    if given and model is None:
        raise UserError(f"{' and '.join(given)}: only for a chat model; name one by --model")
    if unsure and model is None and planner is None:
        raise UserError("--unsure: only for what decides mutations; name it by --planner or --model")


def _hook(
    planner: str | None,
    model: str | None,
    base_url: str | None,
    key_env: str | None,
    preset: str | None,
    max_tokens: int | None,
) -> Any:
    if planner is not None:
        return _made(planner)
    if model is None:
        return None
    from forgeteval.chat import LLM

    key = "OPENAI_API_KEY" if key_env is None else key_env or None
    return LLM(model, base_url=base_url, api_key_env=key, preset=preset or "", max_tokens=max_tokens)


def _made(planner: str) -> Any:
    try:
        found = find_store(planner)
        return found() if inspect.isclass(found) else found
    except UserError as error:
        raise UserError(f"--planner {error}") from error
    except RAISED_BY_OTHERS as error:
        raise UserError(f"--planner {planner}: cannot be made ({type(error).__name__}: {error})") from error


def _fail_to_build(store: str, error: CannotBuild | StoreBroke) -> NoReturn:
    lines = [f"error: {store} cannot be built: {error}"]
    if isinstance(error, CannotBuild):
        lines += error.traceback.rstrip().splitlines()
    for line in lines:
        complain(line)
    raise typer.Exit(Exit.broke)
