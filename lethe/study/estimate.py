"""What a run with a chat model will ask, take and cost, reckoned from recorded runs before anything is sent."""

import contextlib
import functools
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from forgeteval.cases.case import Case
from forgeteval.cases.suites import build_suite
from forgeteval.errors import UserError
from forgeteval.files import write_text
from forgeteval.planners.chat import ChatOptions, Contract
from forgeteval.planners.llm.rows import hook_planner
from forgeteval.planners.protocol import Candidate, PlannerUnavailable, shown_to
from lethe.config.answering import is_live, repetitions
from lethe.config.chat_models import ModelConfig
from lethe.config.model import RELEASED_SUITES, Config
from lethe.config.selection import (
    all_configurations,
    chosen_suites,
    left_out_lines,
    reasons_not_judged,
    reasons_not_run,
)
from lethe.people.judging import judge_prompt
from lethe.stored.answers import JUDGE, RecordedUsage, read_usage

AGREED = "results/llm/agreed_usd.txt"
"""What was agreed to with `forgeteval estimate --yes`: a sum, and a line for each that could not be reckoned."""


@dataclass(frozen=True, slots=True)
class Prompts:
    """What a suite would have asked for one purpose.

    Attributes:
        count: of the prompts.
        characters: of the prompts, whose tokens these give.
        told: what the tokens of the answers grow with: for a hook the characters that it decides on, which it repeats,
            else the number of prompts.
    """

    count: int
    characters: int
    told: int


Asking = Mapping[str, Prompts]
"""What a suite would have asked, by purpose."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a model is expected to be asked on a suite, by a system or as a judge.

    Attributes:
        usd: None where the model has no price.
        minutes: at the pace of the recorded answers, as many at once as the model takes.
        spread: how many times longer or shorter it may take; see `pace_spread`.
        recorded: the suites whose runs it is reckoned from.
    """

    model: str
    suite: str
    system: str
    calls: float
    tokens_in: float
    tokens_out: float
    usd: float | None
    minutes: float
    spread: float
    recorded: tuple[str, ...]

    @property
    def least_minutes(self) -> float:
        """On a machine that is as free as it was for the fastest recorded run."""
        return self.minutes / self.spread

    @property
    def most_minutes(self) -> float:
        """On one that is as busy as it was for the slowest."""
        return self.minutes * self.spread

    def line(self) -> str:
        """One line for people."""
        usd = "no price" if self.usd is None else f"{self.usd:.2f} USD"
        return (
            f"{self.system}@{self.model} on {self.suite}: {self.calls:,.0f} calls, {self.tokens_in:,.0f} tokens in, "
            f"{self.tokens_out:,.0f} out, {usd}, {self.least_minutes:,.0f} to {self.most_minutes:,.0f} min"
        )


@dataclass(frozen=True, slots=True)
class Unknown:
    """What cannot be reckoned, since no run is recorded that it follows from.

    Attributes:
        priced: whether it costs something.
    """

    reason: str
    priced: bool


def hook_prompts(cases: Iterable[Case], options: ChatOptions) -> Asking:
    """What a hook would ask on these cases, where no mutation takes a memory away."""
    asked, characters, told = Counter[str](), Counter[str](), Counter[str]()

    def ask(purpose: str, prompt: str, contract: Contract | None = None) -> str:
        asked[_task(purpose)] += 1
        characters[_task(purpose)] += len(prompt)
        told[_task(purpose)] += len(prompt.rpartition("```json")[2])
        raise PlannerUnavailable("nobody is asked")

    planner = hook_planner(options, ask)
    shown = shown_to(planner)
    for case in cases:
        memories = [Candidate(text) for text in case.setup_facts]
        for mutation in case.mutations:
            with contextlib.suppress(PlannerUnavailable):
                match mutation.op:
                    case "supersede":
                        best = memories[: shown.supersede + shown.new_fact]
                        planner.supersede(mutation.query, mutation.text or "", best)
                    case "release":
                        planner.release(mutation.query, memories[: shown.forget])
                    case "purge":
                        planner.purge(mutation.query, memories[: shown.forget])
    return {task: Prompts(asked[task], characters[task], told[task]) for task in asked}


def system_prompts(cases: Iterable[Case]) -> Asking:
    """What a system that asks for itself is told on these cases."""
    told = [(*case.setup_facts, *(part for one in case.mutations for part in (one.query, one.text))) for case in cases]
    texts = [text for case in told for text in case if text]
    return {"system": Prompts(len(texts), sum(map(len, texts)), len(texts))}


def judge_prompts(cases: Iterable[Case]) -> Asking:
    """What a judge is asked about these cases."""
    prompts = [judge_prompt(case) for case in cases]
    return {JUDGE: Prompts(len(prompts), sum(map(len, prompts)), len(prompts))}


def estimate(
    model: ModelConfig,
    suite: str,
    system: str,
    times: int,
    asking: Callable[[str, str], Asking],
    recorded: Iterable[RecordedUsage],
    spread: float = 1.0,
) -> Estimate:
    """What a model will be asked on a suite, from the recorded runs most like it.

    They are of the same system, of the same model, of the same suite, in this order.

    Args:
        times: repetitions.
        asking: what a suite asks of a model, both by name, by the contract of that model; nothing where its cases are
            not here, so that runs on it are not reckoned with.
        recorded: runs of this system, and of those like it.
        spread: how far the time may be off; see `pace_spread`.

    Raises:
        UserError: where no run is recorded from which it follows.
    """
    calls = tokens_in = tokens_out = answer_ms = 0.0
    suites = set[str]()
    known = [row for row in recorded if _task(row.purpose) in asking(row.model, row.suite)]
    for task, prompts in asking(model.name, suite).items():
        rows = [row for row in known if _task(row.purpose) == task]
        if not rows:
            raise UserError(f"{system}@{model.name} on {suite}: no run is recorded that tells what {task} takes")
        likeness = [(row.system == system, row.model == model.name, row.suite == suite) for row in rows]
        rows = [row for row, like in zip(rows, likeness, strict=True) if like == max(likeness)]
        runs = {(row.model, row.suite, row.system) for row in rows}
        like = [asking(run[0], run[1])[task] for run in runs]
        count = sum(one.count for one in like)
        calls += sum(row.calls for row in rows) * prompts.count / count
        tokens_in += sum(row.tokens_in for row in rows) * prompts.characters / sum(one.characters for one in like)
        tokens_out += sum(row.tokens_out for row in rows) * prompts.told / sum(one.told for one in like)
        answer_ms += sum(row.answer_ms for row in rows) * prompts.count / count
        suites |= {row.suite for row in rows}
    pace = 60 * calls / model.requests_per_minute if model.requests_per_minute else 0.0
    seconds = times * max(answer_ms / 1000 / model.concurrency, pace)
    usd = model.cost_usd(round(times * tokens_in), round(times * tokens_out)) if model.priced else None
    return Estimate(
        model.name,
        suite,
        system,
        times * calls,
        times * tokens_in,
        times * tokens_out,
        usd,
        seconds / 60,
        spread,
        tuple(sorted(suites)),
    )


def pace_spread(recorded: Iterable[RecordedUsage]) -> float:
    """The largest ratio between the paces at which a model answered the same system on two suites: what else a machine
    does changes how long an answer takes, and is not known beforehand."""
    paces = dict[tuple[str, str], dict[str, list[float]]]()
    for row in recorded:
        answered = paces.setdefault((row.model, row.system), {}).setdefault(row.suite, [0.0, 0.0])
        answered[0] += row.answer_ms
        answered[1] += row.calls
    found = [[ms / calls for ms, calls in suites.values()] for suites in paces.values()]
    return max((max(pace) / min(pace) for pace in found), default=1.0)


@dataclass(frozen=True, slots=True)
class _Run:
    """A file for which a model is asked."""

    path: Path
    model: str
    suite: str
    system: str


def _runs(config: Config) -> Iterator[_Run]:
    """What a configuration has models asked for that may be asked, whether it is there or not."""
    entries, results = all_configurations(config), Path(config.output_dir, "results")
    for suite in chosen_suites(config):
        not_run = reasons_not_run(config, suite)
        for name, entry in entries.items():
            if entry.asks_model and name not in not_run and is_live(config, entry.model):
                yield _Run(results / "runs" / suite / f"{name}.parquet", entry.model, suite, entry.system)
    for suite in {config.paper.adversarial_suite, RELEASED_SUITES["adversarial"]}:
        if suite in chosen_suites(config):
            not_judged = reasons_not_judged(config, suite)
            for name in config.judges:
                if name not in not_judged and is_live(config, name):
                    yield _Run(results / "judging" / suite / f"{name}.parquet", name, suite, JUDGE)


def already_there(config: Config) -> list[Path]:
    """The files for which a model was asked and that are there; what changed since may have Snakemake make them again,
    which `estimates` does not see."""
    return [run.path for run in _runs(config) if run.path.is_file()]


def there_line(there: Sequence[Path]) -> str:
    """What people read of the files that are not reckoned with."""
    are, they = ("file", "it runs") if len(there) == 1 else ("files", "they run")
    return (
        f"not reckoned with: {len(there)} {are} of asked models that the output folder has; where the configuration or "
        f"the code changed since, {they} again, as `forgeteval why {there[0]}` says"
    )


def estimates(config: Config, made: Collection[str] | None = None) -> tuple[list[Estimate], list[Unknown]]:
    """What the models that may be asked will be asked in a run of a configuration, and what cannot be reckoned.

    Models that answer from recordings are left out.

    Args:
        made: the files that the run makes; if not given, those that are not there.
    """
    recorded, entries = read_usage(Path(config.llm.answers)), all_configurations(config)
    hooks = {entry.system for entry in entries.values() if entry.hook == "llm" and entry.gateway != "chat"}
    found, unknown, asked = list[Estimate](), list[Unknown](), _Asked(config)
    spread = pace_spread(recorded)
    for run in _runs(config):
        if run.path.is_file() if made is None else str(run.path) not in made:
            continue
        name, suite, system = run.model, run.suite, run.system
        model = ModelConfig.from_config(name, config.models[name].model_dump(exclude_unset=True))
        alike = hooks if system in hooks else {system}
        rows = [row for row in recorded if row.system in alike]
        kind = "hook" if system in hooks else "judge" if system == JUDGE else "system"
        times = 1 if system == JUDGE else repetitions(config, name)
        try:
            found.append(estimate(model, suite, system, times, asked.by(kind), rows, spread))
        except UserError as error:
            unknown.append(Unknown(str(error), model.priced))
    return found, unknown


def estimate_lines(found: Sequence[Estimate], unknown: Sequence[Unknown]) -> list[str]:
    """What people read: a line for each configuration, and the sum; nothing where no model may be asked."""
    if not found and not unknown:
        return []
    usd, least, most = _usd(found), sum(one.least_minutes for one in found), sum(one.most_minutes for one in found)
    free = sum(one.usd is None for one in found)
    unpriced = f" and {free} without a price" if free else ""
    lacking = f", and what {len(unknown)} more take, which is not known" if unknown else ""
    total = (
        f"expected: {sum(one.calls for one in found):,.0f} calls, {usd:.2f} USD{unpriced}, {least:,.0f} to {most:,.0f} "
        f"min at the pace of the recorded models{lacking}; equal requests are asked once, and a model that reasons "
        "writes more"
    )
    return [*(one.line() for one in found), *(one.reason for one in unknown), total]


def begin_run(config: Config, on_terminal: bool, made: Collection[str] | None = None, whole: bool = False) -> None:
    """Say on standard error what a run is expected to ask and cost, and have it agreed to; see `estimates`.

    Args:
        whole: every configuration is asked for; say which do not run, and why.

    Raises:
        UserError: where it may cost more than was agreed to, or nobody knows what, and nobody agrees.
    """
    found, unknown = estimates(config, made)
    left_out = left_out_lines(config) if whole else ()
    for line in (*left_out, *estimate_lines(found, unknown), *cap_lines(config, found)):
        print(line, file=sys.stderr)
    problem = to_be_agreed(config, found, unknown)
    more = " and what is not known" if any(one.priced for one in unknown) else ""
    asked = f"Spend about {_usd(found):.2f} USD{more}? [y/N] "
    if problem and not (on_terminal and input(asked).strip().lower() in ("y", "yes")):
        raise UserError(problem)


def cap_lines(config: Config, found: Sequence[Estimate]) -> Iterator[str]:
    """A line for each model that a cap stops before it is through; of two caps, on the one that is reached first."""
    for name, model in config.models.items():
        of_model = [one for one in found if one.model == name]
        sums = ("max_calls", round(sum(one.calls for one in of_model))), ("max_usd", _usd(of_model))
        caps = [(getattr(model, key), key, expected) for key, expected in sums if getattr(model, key) is not None]
        below = [(cap / expected, cap, key, expected) for cap, key, expected in caps if cap < expected]
        if below:
            _, cap, key, expected = min(below)
            more = f"{expected:,.2f}" if key == "max_usd" else f"{expected:,}"
            yield (
                f"models.{name}.{key}: {cap:g} is less than the {more} expected, so that the run will stop there, or "
                "earlier if some was spent before; raise it to have all"
            )


def to_be_agreed(config: Config, found: Sequence[Estimate], unknown: Sequence[Unknown]) -> str:
    """What of a run nobody has agreed to: a sum, or a price whose sum is not known; empty for nothing."""
    usd, (agreed, named) = _usd(found), _agreed(config)
    remedy = "`forgeteval estimate --yes` with the same configuration agrees to"
    for one in unknown:
        if one.priced and one.reason not in named:
            return f"{one.reason}, and the model has a price; {remedy} whatever it costs"
    if usd > agreed:
        return f"this run is expected to cost {usd:.2f} USD, more than {agreed:.2f} USD (llm.agreed_usd); {remedy} it"
    return ""


def agree(config: Config, found: Sequence[Estimate], unknown: Sequence[Unknown]) -> None:
    """Let the runs of a configuration cost this much, and whatever these cost."""
    lines = f"{_usd(found):.6f}", *(one.reason for one in unknown if one.priced)
    write_text(Path(config.output_dir, AGREED), "".join(f"{line}\n" for line in lines))


def _agreed(config: Config) -> tuple[float, list[str]]:
    """What a run may be expected to cost, by its configuration or by what was agreed to since, and of what it is not
    known."""
    path = Path(config.output_dir, AGREED)
    usd, *named = path.read_text(encoding="utf-8").splitlines() or [""] if path.is_file() else ["0"]
    try:
        return max(config.llm.agreed_usd, float(usd)), named
    except ValueError as error:
        raise UserError(f"{path}: is not a number; remove it and run `forgeteval estimate --yes`") from error


def _usd(found: Iterable[Estimate]) -> float:
    return sum(one.usd or 0.0 for one in found)


class _Asked:
    """What the suites of a configuration ask, each reckoned once."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._cases = dict[str, list[Case]]()
        self._known = dict[tuple[str, str, str], Asking]()

    def by(self, kind: str) -> Callable[[str, str], Asking]:
        """What a suite asks of a model, both by name, through a hook, a judge or a system."""
        return functools.partial(self._of, kind)

    def _of(self, kind: str, model: str, suite: str) -> Asking:
        entry = self._config.models[model]
        key = kind, suite, entry.contract
        if key not in self._known:
            cases = self._cases_of(suite)
            options = ChatOptions(model, 0.0, 1, contract=entry.contract)
            asked = {"judge": judge_prompts, "system": system_prompts}
            self._known[key] = hook_prompts(cases, options) if kind == "hook" else asked[kind](cases)
        return self._known[key]

    def _cases_of(self, suite: str) -> list[Case]:
        if suite not in self._cases:
            self._cases[suite] = []
            # Of a suite whose cases are not here, recorded runs tell nothing.
            with contextlib.suppress(UserError, KeyError):
                self._cases[suite] = build_suite(suite, self._config.suites[suite].options())
        return self._cases[suite]


def _task(purpose: str) -> str:
    """What is asked, by whatever contract, at first or again."""
    return purpose.removesuffix("_repair").removesuffix("_match").removeprefix("rows_")
