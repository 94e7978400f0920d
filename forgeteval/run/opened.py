"""A store that is built once and put to one case after the other, in this process or in one of its own."""

import contextlib
import inspect
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import UnionType
from typing import Any, Protocol, get_args

from forgeteval.cases.case import Case
from forgeteval.cases.history import History
from forgeteval.cases.library import Suite
from forgeteval.embed.disk_cache import DiskCache, remembering
from forgeteval.embed.embedder import CachedEmbedder
from forgeteval.embed.given import DEFAULT, as_embedder, embedder_named
from forgeteval.errors import RAISED_BY_OTHERS, ModelFailed, UserError, check_name
from forgeteval.planners.chat import Used
from forgeteval.planners.oracle import OraclePlanner
from forgeteval.planners.protocol import Planner
from forgeteval.progress import progress as shown_progress
from forgeteval.run.isolated import CannotBuild, IsolatedStore
from forgeteval.run.raised import describe, traced
from forgeteval.run.replay import Replay, ReplayOptions, replay
from forgeteval.run.trials import Trial, score_trial
from forgeteval.stores.contract import Adapter
from forgeteval.stores.given import UNIFORM, build_store, check_policies, find_store, name_of, wants_vectors
from forgeteval.stores.hook import HookedAdapter, WhenUnsure

MOST_BROKEN = {"it hung": 3, "its process": 10}
"""After so many cases in a row whose error begins so, the rest is not run."""
_LONGEST_CASE_S = 1_000_000
_LARGEST_K = 1 << 53
"""Of a larger number, files of results would not hold every digit."""
NOT_RUN = "not run, "
"""With what the error begins of a case that was not run."""
Advance = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a store is run; see `forgeteval.evaluate`, whose arguments these are."""

    k: int = 10
    policies: Mapping[str, str] | None = None
    hook: Any = None
    unsure: WhenUnsure = "policy"
    embedder: Any = None
    isolated: bool = False
    case_timeout_s: float = 30.0

    def __post_init__(self) -> None:
        if not _is_number(self.k, int) or self.k < 1:
            raise UserError(f"k: {self.k!r:.80} is no whole number from 1 on")
        if self.k > _LARGEST_K:
            raise UserError(f"k: {self.k!r:.80} is more than {_LARGEST_K}")
        if not _is_number(self.case_timeout_s, int | float) or not 0 < self.case_timeout_s <= _LONGEST_CASE_S:
            raise UserError(f"case_timeout_s: {self.case_timeout_s!r:.80} is no number of seconds above 0")
        if self.policies is not None and not isinstance(self.policies, Mapping):
            raise UserError(f"policies: {self.policies!r:.80} does not map operations to policies")
        if self.unsure not in get_args(WhenUnsure):
            raise UserError(f"unsure: {self.unsure!r:.80} is none of {', '.join(get_args(WhenUnsure))}")


def _is_number(given: Any, kinds: type[int] | UnionType) -> bool:
    return isinstance(given, kinds) and not isinstance(given, bool)


class _Runner(Protocol):
    """Where the store is."""

    def replay(self, history: History, seconds: float) -> Replay: ...


class OpenStore:
    """A store that has been built; `open_store` makes it.

    Attributes:
        label: name of the store.
    """

    def __init__(
        self, label: str, options: RunOptions, runner: _Runner, embedder: "_Embedder", planner: Planner | None
    ) -> None:
        self.label = label
        self._options, self._runner, self._embedder, self._planner = options, runner, embedder, planner
        # Of a planner of one's own, `ask` may be anything.
        ask: Any = _attribute(planner, "ask")
        self._ask: Any = ask if isinstance(_attribute(ask, "used"), Used) else None
        self._broken: list[str] = []
        self._used = Used()

    def trial(self, case: Case, suite: str) -> Trial:
        """Put the store to a case, from an empty store; what it raises is an error of the trial.

        Args:
            suite: name of the suite that the case is taken from.

        Raises:
            ModelFailed: where the chat model of the hook will answer no other case either.
        """
        trial = Trial(suite, self.label, self._ask.model if self._ask is not None else "", 0, case.case_id)
        if reason := _given_up(self._broken):
            trial.error = reason
            return trial
        self._embedder.prefetch([case])
        if isinstance(self._planner, OraclePlanner):
            self._planner.begin(case)
        if self._ask is not None:
            self._ask.used = Used()
        score_trial(trial, case, replayed := self._runner.replay(case.to_history(), self._options.case_timeout_s))
        if self._ask is not None and (lacking := self._ask.stop) is not None:
            raise ModelFailed(f"{suite}, {case.case_id}: {lacking}")
        if self._ask is not None:
            self._count(trial, self._ask.used)
        if self._planner is not None:
            trial.llm_fallbacks = replayed.fallbacks
        self._broken = [*self._broken, trial.error] if trial.error is not None else []
        return trial

    def _count(self, trial: Trial, used: Used) -> None:
        trial.llm_calls, trial.tokens_in, trial.tokens_out = used.calls, used.tokens_in, used.tokens_out
        self._used += used

    def notes(self) -> list[str]:
        """What a reader of the results should know besides."""
        notes = []
        if calls := self._used.calls:
            kept = self._used.kept
            notes.append(f"of the {calls:,} calls of the model {calls - kept:,} were asked now, {kept:,} were kept")
        if self._used.cut_off:
            from forgeteval.chat.llm import cut_off

            notes.append(f"{self._used.cut_off} answers of the model were {cut_off(self._ask.max_tokens)}")
        if self._used.unreported:
            notes.append(f"{self._used.unreported} answers of the model came without their tokens, which count as none")
        if isinstance(self._runner, IsolatedStore) and (printed := self._runner.printed()).lines:
            notes.append(f"the store wrote {printed.lines:,} lines to standard output, the first: {printed.first}")
        if self._options.embedder is not None and self._embedder.name is None:
            notes.append("the store asks for no embedder; the one that was given is not used")
        return notes

    def settings(self) -> dict[str, Any]:
        """How it is run, for the results."""
        options = self._options
        return {
            "k": options.k,
            "policies": _policies(options),
            "hook": None if self._planner is None else _hook_name(options.hook),
            "unsure": None if self._planner is None else options.unsure,
            "embedder": self._embedder.name,
            "case_timeout_s": options.case_timeout_s if options.isolated else None,
        }


@contextlib.contextmanager
def open_store(
    store: Any, options: RunOptions, cases: Sequence[Case] = (), name: str | None = None, progress: bool = False
) -> Iterator[OpenStore]:
    """Build a store, and end it with the block.

    Args:
        store: a class, a factory, an instance or its name; see `forgeteval.evaluate`.
        cases: whose texts are embedded at once, if the store asks for an embedder; those of others when their turn
            comes.
        name: of the store, in the results.
        progress: show on standard error how far the embedding is.

    Raises:
        UserError: where store or options are not usable.
        CannotBuild: where the store's module or constructor raises.
        StoreBroke: where its own process ends or hangs before it is built.
    """
    policies, label = _policies(options), name or name_of(store)
    check_policies(policies)
    check_name("store", label)
    planner = _planner(options.hook)
    if planner is not None:
        check_name("hook", _hook_name(options.hook))
    embedder, replayed = _Embedder(options.embedder, cases, progress), ReplayOptions(options.k, strict=True)
    with contextlib.ExitStack() as stack:
        if options.isolated:
            path = store if isinstance(store, str) else _importable(store)
            runner: _Runner = stack.enter_context(
                IsolatedStore(
                    path,
                    policies,
                    replayed,
                    embedder.made,
                    planner,
                    options.unsure,
                    without=_hidden_variables(options.hook),
                )
            )
        else:
            adapter = _built_here(store, policies, embedder)
            stack.callback(_close, adapter, name_of(store))
            if planner is not None:
                adapter = HookedAdapter(adapter, planner, unsure=options.unsure)
            runner = _Here(adapter, replayed)
        yield OpenStore(label, options, runner, embedder, planner)


def select_cases(suite: Suite, categories: Sequence[str] = (), limit: int | None = None) -> list[Case]:
    """The cases of these categories, or of all, and only so many of them, the first ones.

    Raises:
        UserError: where there is no such category, or `limit` is no number of cases.
    """
    if limit is not None and (not _is_number(limit, int) or limit < 1):
        raise UserError(f"limit: {limit!r:.80} is no whole number from 1 on")
    if isinstance(categories, str) or not isinstance(categories, Iterable):
        raise UserError(f"categories: {categories!r:.80} is no list of categories")
    categories = list(categories)
    for category in categories:
        if category not in suite.categories:
            known = ", ".join(suite.categories)
            raise UserError(f"category {category!r}: {suite.name} has none of this name; it has {known}")
    cases = [case for case in suite if not categories or case.category in categories]
    return cases if limit is None else cases[:limit]


def parse_policies(given: Sequence[str]) -> dict[str, str] | None:
    """The policies that a command line gives; None where it gives none.

    >>> parse_policies(["purge=best_match", "supersede=none"])
    {'release': 'largest_gap', 'purge': 'best_match'}

    Raises:
        UserError: where one is not OPERATION=POLICY, or an operation has two.
    """
    if not given:
        return None
    chosen, said = dict(UNIFORM), set[str]()
    for text in given:
        operation, equals, policy = text.partition("=")
        if operation in said:
            raise UserError(f"--policy {text}: {operation} has a policy already; give one for each operation")
        said.add(operation)
        if not equals:
            raise UserError(f"--policy {text}: give OPERATION=POLICY, such as purge=best_match")
        if policy == "none" and operation in UNIFORM:
            chosen.pop(operation, None)
        else:
            chosen[operation] = policy
    return chosen


class _Here:
    """A store in this process, where no time limit is kept."""

    def __init__(self, adapter: Adapter, options: ReplayOptions) -> None:
        self._adapter, self._options = adapter, options

    def replay(self, history: History, seconds: float) -> Replay:
        return replay(self._adapter, history, self._options)


def _built_here(store: Any, policies: Mapping[str, str], embedder: "_Embedder") -> Adapter:
    try:
        found = find_store(store) if isinstance(store, str) else store
        return build_store(found, policies, embedder.made() if wants_vectors(found) else None)
    except UserError:
        raise
    except RAISED_BY_OTHERS as error:
        raise CannotBuild(describe(error), traced(error)) from error


def _close(adapter: Adapter, name: str) -> None:
    """End a store; that it cannot be ended is no reason to lose what came of its cases."""
    try:
        adapter.close()
    except RAISED_BY_OTHERS as error:
        warnings.warn(f"{name}: close raised {describe(error)}", stacklevel=1)


class _Embedder:
    """The embedder of a store that asks for one: made when it does, and remembering its vectors.

    Args:
        given: by the caller, or its name.
        cases: those at hand, whose texts are embedded when it is made.
    """

    def __init__(self, given: Any, cases: Sequence[Case], progress: bool) -> None:
        self._given, self._cases, self._progress = given, cases, progress
        self._made: DiskCache | CachedEmbedder | None = None

    @property
    def name(self) -> str | None:
        """What people read for it; None where the store asks for none."""
        return None if self._made is None else str(getattr(self._made, "name", name_of(self._given)))

    def made(self) -> DiskCache | CachedEmbedder:
        """The embedder.

        Raises:
            UserError: where there is none of this name, or it is not installed.
        """
        if self._made is None:
            named = isinstance(self._given, str) or self._given is None
            self._made = remembering(embedder_named(self._given or DEFAULT) if named else as_embedder(self._given))
            check_name("embedder", self.name)
            self.prefetch(self._cases, self._progress)
        return self._made

    def prefetch(self, cases: Sequence[Case], progress: bool = False) -> None:
        """Embed the texts of these cases at once, if the store has asked for an embedder."""
        if self._made is None:
            return
        texts = list(dict.fromkeys(text for case in cases for text in case.texts()))
        with shown_progress("embedding", len(texts)) if progress else _quiet() as advance:
            if isinstance(self._made, DiskCache):
                self._made.prefetch(texts, advance)
            else:
                self._made.embed(texts)


def _given_up(broken: Sequence[str]) -> str | None:
    """Why no further case is run, after these errors in a row; None where the next one is."""
    for how, most in MOST_BROKEN.items():
        last = broken[-most:]
        if len(last) == most and all(error.startswith(how) for error in last):
            return f"{NOT_RUN}after {most} cases in a row with: {last[-1]}"
    return None


@contextlib.contextmanager
def _quiet() -> Iterator[Advance]:
    yield lambda n: None


def _policies(options: RunOptions) -> dict[str, str]:
    return dict(UNIFORM if options.policies is None else options.policies)


def _planner(hook: Any) -> Planner | None:
    if hook is None:
        return None
    decides = [_attribute(hook, name) for name in UNIFORM]
    if all(callable(method) for method in decides):
        if inspect.isclass(hook) or any(inspect.iscoroutinefunction(method) for method in decides):
            wrong = "is a class; give an instance" if inspect.isclass(hook) else "is async; write its methods with def"
            raise UserError(f"hook: {name_of(hook)} {wrong}")
        planner: Planner = hook
        return planner
    from forgeteval.chat.llm import model_planner

    return model_planner(hook)


def _hook_name(hook: Any) -> str:
    model = _attribute(hook, "model")
    return model if isinstance(model, str) else name_of(hook)


def _attribute(given: Any, name: str) -> Any:
    """An attribute of what is somebody's own; None also where looking at it raises."""
    with contextlib.suppress(Exception):
        return getattr(given, name, None)
    return None


def _hidden_variables(hook: Any) -> tuple[str, ...]:
    if hook is None:
        return ()
    from forgeteval.chat.llm import hidden_variables

    return hidden_variables(hook)


def _importable(store: Any) -> str:
    if not hasattr(store, "__qualname__"):
        raise UserError(f"{name_of(store)}: another process makes its own; give the class or its name, not an instance")
    name = f"{getattr(store, '__module__', '__main__')}:{store.__qualname__}"
    if name.startswith("__main__:") or "<" in name:
        raise UserError(
            f"{name_of(store)}: another process cannot import it; put the class, by its name, at the top of a file of "
            "its own"
        )
    return name
