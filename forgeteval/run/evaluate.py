"""Evaluating a store: every case of a suite on it, scored, with the controls beside it."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from forgeteval.cases.case import Case
from forgeteval.cases.history import History
from forgeteval.cases.library import Suite, load_suite
from forgeteval.embed.embedder import Embedder
from forgeteval.errors import UserError
from forgeteval.planners.protocol import Planner
from forgeteval.progress import progress as shown_progress
from forgeteval.run.isolated import IsolatedStore
from forgeteval.run.replay import Replay, ReplayOptions, replay
from forgeteval.run.results import ControlResult, Results, SuiteDescription
from forgeteval.run.trials import Trial, score_trial
from forgeteval.stores.contract import Adapter
from forgeteval.stores.controls import Frozen, Nuke, Null, Oracle, Verbatim
from forgeteval.stores.given import UNIFORM, build_store, check_policies, find_store, name_of, wants_vectors
from forgeteval.stores.hook import HookedAdapter

CONTROLS: Mapping[str, type[Null]] = {
    "null": Null,
    "nuke": Nuke,
    "verbatim": Verbatim,
    "frozen": Frozen,
    "oracle": Oracle,
}
MOST_HANGS = 3
"""After so many cases in a row that hung, the rest is not run."""
Advance = Callable[[int], object]


class _Runner(Protocol):
    """Where the store is."""

    def replay(self, history: History, seconds: float) -> Replay: ...


def evaluate(
    store: Any,
    suite: str | Path | Sequence[Case | Mapping[str, Any]] | Suite = "adversarial",
    *,
    k: int = 10,
    policies: Mapping[str, str] | None = None,
    hook: Planner | Any = None,
    embedder: Any = None,
    isolated: bool = False,
    case_timeout_s: float = 30.0,
    categories: Sequence[str] = (),
    limit: int | None = None,
    controls: bool = True,
    progress: bool = False,
    data: Path | None = None,
    name: str | None = None,
) -> Results:
    """Run a suite on a store and score what it recalls.

    >>> from forgeteval import Backend, Hit, evaluate
    >>> class Shelf(Backend):
    ...     def reset(self):
    ...         self.texts = []
    ...     def add(self, texts):
    ...         self.texts += texts
    ...     def search(self, query, k):
    ...         words = set(query.lower().split())
    ...         hits = [Hit(text, text, len(words & set(text.lower().split()))) for text in self.texts]
    ...         return sorted(hits, key=lambda hit: -hit.score)[:k]
    ...     def delete(self, id):
    ...         self.texts.remove(id)
    >>> results = evaluate(Shelf, suite="adversarial")
    >>> results.passed, results.total, results.count("error")
    (82, 385, 0)

    Args:
        store: a class, a factory or an instance with the five methods of `forgeteval.Backend`, or with the paper's six
            (`reset`, `inscribe`, `recall_texts`, `supersede`, `release`, `purge`); sync or async. Or its name,
            "module:Class", as on the command line.
        suite: a name, a path, or cases; see `forgeteval.load_suite`.
        k: how many memories a question recalls.
        policies: how mutations are composed of search, add and delete, by operation; by default supersede best_match,
            release largest_gap, purge equal_text. An operation without a policy is N/A.
        hook: a `forgeteval.Planner` that decides each mutation instead, or a chat model: its name, or
            `forgeteval.chat.LLM(...)`.
        embedder: for a store whose constructor asks for one: an object with `dim` and `embed(texts)`, or a function
            from texts to vectors. By default the one that `pip install "forgeteval[embed]"` brings; its vectors are
            kept on disk.
        isolated: run the store in a process of its own, with `case_timeout_s`, as the command line does. The store
            must then be found by name.
        case_timeout_s: seconds for one case; in this process no limit is kept.
        categories: only these.
        limit: only so many cases, the first ones.
        controls: score the five controls on the same cases too; the results say whether they came out right.
        progress: show on standard error how far it is.
        data: folder with other authors' cases; see `forgeteval.load_suite`.
        name: of the store, in the results.

    Raises:
        UserError: where store, suite or another argument is not usable. What the store raises is no exception here but
            an error of its trial.
    """
    chosen = suite if isinstance(suite, Suite) else load_suite(suite, data)
    cases = _selected(chosen, categories, limit)
    composed = dict(UNIFORM if policies is None else policies)
    check_policies(composed)
    planner = _planner(hook)
    found = find_store(store) if isinstance(store, str) else store
    vectors = _embedder(embedder, cases, progress) if wants_vectors(found) else None
    options = ReplayOptions(k, strict=True)
    label = name or name_of(store)
    notes: list[str] = []
    with contextlib.ExitStack() as stack:
        if isolated:
            path = store if isinstance(store, str) else _importable(store)
            child = IsolatedStore(path, composed, options, vectors, planner, without=_hidden_variables(planner))
            runner: _Runner = stack.enter_context(child)
        else:
            runner = stack.enter_context(_in_process(found, composed, options, vectors, planner))
        trials = list(_trials(runner, chosen, cases, label, case_timeout_s, progress, planner))
        if isolated and (printed := child.printed()):
            notes.append(f"the store wrote {len(printed)} lines to standard output, the first: {printed[0][:100]}")
    settings = {
        "k": k,
        "policies": composed,
        "hook": None if planner is None else name_of(hook),
        "embedder": None if vectors is None else getattr(vectors, "name", name_of(embedder)),
        "case_timeout_s": case_timeout_s if isolated else None,
    }
    described = SuiteDescription(
        chosen.name, chosen.label, chosen.version, chosen.sha256, len(cases) if len(cases) < len(chosen) else None
    )
    scored = tuple(run_controls(cases, k)) if controls else ()
    return Results(label, described, settings, tuple(cases), tuple(trials), scored, tuple(notes))


def run_controls(cases: Sequence[Case], k: int = 10) -> Iterator[ControlResult]:
    """What the five controls come to on cases.

    Where every case says what has to become of each fact, null, nuke, verbatim and frozen have to fail each, and the
    oracle has to pass each; of a twin, which asks for nothing that is stored, verbatim has to pass.
    """
    stated = all(case.states is not None and case.gold_rows is not None for case in cases)
    twins = sum(case.twin_of is not None for case in cases)
    for name, control in CONTROLS.items():
        asked = [case for case in cases if name != "oracle" or case.gold_rows is not None]
        passed = sum(_passes(control(), case, k) for case in asked)
        expected: int | None = len(asked) if name == "oracle" else 0
        if name == "verbatim":
            expected = twins
        if not stated or (name == "frozen" and twins):
            expected = None
        yield ControlResult(name, passed, len(asked), expected)


def _passes(control: Null, case: Case, k: int) -> bool:
    replayed = replay(control, case.to_history(anchored=False), ReplayOptions(k, strict=True))
    return score_trial(Trial(case.suite, "", "", 0, case.case_id), case, replayed).verdict == "pass"


def _selected(suite: Suite, categories: Sequence[str], limit: int | None) -> list[Case]:
    known = suite.categories
    for category in categories:
        if category not in known:
            raise UserError(f"category {category!r}: {suite.name} has none of this name; it has {', '.join(known)}")
    cases = [case for case in suite if not categories or case.category in categories]
    return cases if limit is None else cases[:limit]


def _planner(hook: Any) -> Planner | None:
    if hook is None:
        return None
    if all(callable(getattr(hook, name, None)) for name in ("supersede", "release", "purge")):
        planner: Planner = hook
        return planner
    from forgeteval.chat.llm import model_planner

    return model_planner(hook)


def _hidden_variables(planner: Planner | None) -> tuple[str, ...]:
    if planner is None:
        return ()
    from forgeteval.chat.llm import hidden_variables

    return hidden_variables(planner)


def _embedder(given: Any, cases: Sequence[Case], progress: bool) -> Embedder:
    from forgeteval.embed.choosing import cached_embedder

    embedder = cached_embedder(given)
    texts = list(dict.fromkeys(text for case in cases for text in case.texts()))
    if progress:
        with shown_progress("embedding", len(texts)) as advance:
            embedder.prefetch(texts, advance)
    else:
        embedder.prefetch(texts)
    return embedder


def _importable(store: Any) -> str:
    name = f"{getattr(store, '__module__', '__main__')}:{getattr(store, '__qualname__', '')}"
    if name.startswith("__main__:") or "<" in name or name.endswith(":"):
        raise UserError(f"{name_of(store)}: another process cannot import it; put the class into a file of its own")
    return name


@contextlib.contextmanager
def _in_process(
    store: Any, policies: Mapping[str, str], options: ReplayOptions, embedder: Embedder | None, planner: Planner | None
) -> Iterator[_Runner]:
    adapter = build_store(store, policies, embedder)
    if planner is not None:
        adapter = HookedAdapter(adapter, planner)
    try:
        yield _Here(adapter, options)
    finally:
        adapter.close()


class _Here:
    """A store in this process."""

    def __init__(self, adapter: Adapter, options: ReplayOptions) -> None:
        self._adapter, self._options = adapter, options

    def replay(self, history: History, seconds: float) -> Replay:
        return replay(self._adapter, history, self._options)


def _trials(
    runner: _Runner,
    suite: Suite,
    cases: Sequence[Case],
    label: str,
    seconds: float,
    progress: bool,
    planner: Planner | None,
) -> Iterator[Trial]:
    hung = 0
    with shown_progress(f"{label} on {suite.name}", len(cases)) if progress else _quiet() as advance:
        for case in cases:
            trial = Trial(suite.name, label, "", 0, case.case_id)
            if hung >= MOST_HANGS:
                trial.error = f"not run: the store hung in {hung} cases in a row"
            else:
                replayed = runner.replay(case.to_history(), seconds)
                score_trial(trial, case, replayed)
                if planner is not None:
                    trial.llm_fallbacks = replayed.fallbacks
                hung = hung + 1 if (trial.error or "").startswith("it hung") else 0
            advance(1)
            yield trial


@contextlib.contextmanager
def _quiet() -> Iterator[Advance]:
    yield lambda n: None
