"""Evaluating a store: every case of a suite on it, scored, with the controls beside it."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from forgeteval.cases.case import Case
from forgeteval.cases.library import Suite, load_suite
from forgeteval.planners.protocol import Planner
from forgeteval.progress import progress as shown_progress
from forgeteval.run.hooked import hook_lines
from forgeteval.run.opened import RunOptions, open_store, select_cases
from forgeteval.run.replay import ReplayOptions, replay
from forgeteval.run.results import ControlResult, Results, SuiteDescription
from forgeteval.run.trials import Trial, score_trial
from forgeteval.stores.controls import Frozen, Nuke, Null, Oracle, Verbatim
from forgeteval.stores.hook import WhenUnsure

CONTROLS: Mapping[str, type[Null]] = {
    "null": Null,
    "nuke": Nuke,
    "verbatim": Verbatim,
    "frozen": Frozen,
    "oracle": Oracle,
}


def evaluate(
    store: Any,
    suite: str | Path | Sequence[Case | Mapping[str, Any]] | Suite = "adversarial",
    *,
    k: int = 10,
    policies: Mapping[str, str] | None = None,
    hook: Planner | Any = None,
    unsure: WhenUnsure = "policy",
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
    (67, 385, 0)

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
        unsure: what happens where the hook is not sure: the store's own policy runs ("policy"), or nothing is forgotten
            and the caller is asked ("ask"), which the trial's `decisions` note.
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
        UserError: where store, suite or another argument is not usable, or the hook's model fails for good. What the
            store raises is no exception here but an error of its trial.
    """
    chosen = suite if isinstance(suite, Suite) else load_suite(suite, data)
    cases = select_cases(chosen, categories, limit)
    options = RunOptions(k, policies, hook, unsure, embedder, isolated, case_timeout_s)
    with open_store(store, options, cases, name, progress) as opened:
        shown = shown_progress(f"{opened.label} on {chosen.name}", len(cases)) if progress else contextlib.nullcontext()
        trials = []
        with shown as advance:
            for case in cases:
                trials.append(opened.trial(case, chosen.name))
                if advance is not None:
                    advance(1)
        label, settings, notes = opened.label, opened.settings(), opened.notes()
    if settings["hook"] is not None:
        notes += hook_lines(settings["hook"], trials)
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
