"""Results as people read them: lines of a table, of a case, of what the controls say."""

import textwrap
from collections.abc import Iterator

from forgeteval.cases.case import Case
from forgeteval.cases.packaged import packaged_suites
from forgeteval.run.hooked import asked_line, hook_lines, who_broke
from forgeteval.run.results import ControlResult, Rate, Results
from forgeteval.run.trials import Trial

MEANINGS = {
    "leak": "released or purged facts that are still recalled",
    "collateral": "facts that had to stay and are gone",
    "stale": "replaced facts that are still recalled",
}
"""What each rate of facts counts."""
_WIDTH = 100


def table_lines(results: Results) -> Iterator[str]:
    """The score, the categories, what became of the facts, errors, controls and notes."""
    yield from (headline(results), "")
    several = len(results.by_category()) > 1
    # A category may be called "all" too.
    rates = [*(results.by_category().items() if several else ()), ("all", results.rate)]
    width = max(len(name) for name in (*dict(rates), *MEANINGS))
    yield f"{'category':{width}}  passed      %   95 % interval"
    yield from (f"{name:{width}}  {_cells(rate)}" for name, rate in rates)
    if facts := results.facts():
        yield from ("", f"{'facts':{width}}   wrong      %   95 % interval")
        yield from (f"{name:{width}}  {_cells(rate):28}  {MEANINGS[name]}" for name, rate in facts.items())
    yield ""
    if counts := counts_line(results):
        yield counts
    if results.controls:
        yield controls_line(results.controls)
    hook = str(results.settings.get("hook") or "")
    if asked := asked_line(hook, results.trials):
        yield asked
    # Older results do not note what their trials say of the hook.
    notes = dict.fromkeys((*results.notes, *hook_lines(hook, results.trials)))
    yield from (f"note: {note}" for note in notes)


def headline(results: Results) -> str:
    """The score in one line."""
    suite = results.suite
    version = f" version {suite.version}" if suite.version else ""
    if not version and suite.name in packaged_suites():
        version = " (a file of that name)"
    selected = f", {suite.selected} of its cases" if suite.selected is not None else ""
    return f"{results.title} on {suite.name}{version}{selected}: {results.rate}"


def controls_line(controls: tuple[ControlResult, ...]) -> str:
    """What the controls came to, and what that says."""
    passed = ", ".join(f"{control.name} {control.passed if control.cases else 'N/A'}" for control in controls)
    verdicts = [control.is_right for control in controls]
    if False in verdicts:
        wrong = next(control for control in controls if control.is_right is False)
        few = "k is too small for what they require, or " if wrong.passed < (wrong.expected or 0) else ""
        return (
            f"controls: {passed} of {wrong.cases}: {wrong.name} should pass {wrong.expected}, "
            f"so {few}these cases prove less than they should; see `forgeteval check-cases`"
        )
    if None in verdicts:
        return f"controls pass: {passed}; a case that one but the oracle passes proves little"
    return f"controls came out right: {passed}"


def first_error(results: Results) -> Iterator[str]:
    """The first error with its traceback; nothing where there is none."""
    errors = results.errors()
    if not errors:
        return
    case, trial = errors[0]
    yield f"first error, in {case.case_id}: {trial.error}"
    if trial.traceback:
        yield from textwrap.indent(trial.traceback.rstrip(), "  ").splitlines()


def case_lines(case: Case, trial: Trial) -> Iterator[str]:
    """A case, what was done, what was recalled, and why that is a pass or a fail."""
    yield f"{case.case_id} ({case.category}): {trial.verdict}"
    yield from ("", "told:")
    yield from _listed(case.setup_facts)
    yield "then:"
    yield from _listed(
        f"{mutation.op}({mutation.query!r}" + (")" if mutation.text is None else f", {mutation.text!r})")
        for mutation in case.mutations
    )
    yield f"asked: {case.final_query}"
    yield "recalled:"
    yield from _listed(trial.recalled or ["nothing"])
    if case.must_contain:
        yield f"required: {_quoted(case.must_contain)}"
    if case.must_not_contain:
        yield f"forbidden: {_quoted(case.must_not_contain)}"
    if trial.missing:
        yield f"missing: {_quoted(trial.missing)}"
    if trial.leaked:
        yield f"leaked: {_quoted(trial.leaked)}"
    if trial.decisions:
        yield "decided:"
        yield from _listed(trial.decisions)
    if trial.error:
        yield f"error: {trial.error}"
    if trial.traceback:
        yield from textwrap.indent(trial.traceback.rstrip(), "  ").splitlines()


def counts_line(results: Results) -> str:
    """How many cases are N/A, and in how many the store broke or its hook failed; empty where there are none."""
    counted = []
    if number := results.count("na"):
        first = next(trial.error for trial in results.trials if trial.verdict == "na")
        counted.append(f"{number} N/A (the store cannot express an operation; the first: {first})")
    if number := results.count("error"):
        counted.append(f"{number} errors ({who_broke(results.trials)})")
    return f"not passed besides fails: {', '.join(counted)}" if counted else ""


def _cells(rate: Rate) -> str:
    interval = f"[{100 * rate.low:.0f}, {100 * rate.high:.0f}]"
    return f"{rate.count:>4}/{rate.total:<4} {100 * rate.share:4.0f}   {interval}"


def _listed(lines: object) -> Iterator[str]:
    assert not isinstance(lines, str)
    for line in lines:  # type: ignore[attr-defined]
        yield from textwrap.wrap(str(line), _WIDTH, initial_indent="  - ", subsequent_indent="    ") or ["  -"]


def _quoted(texts: object) -> str:
    return ", ".join(repr(text) for text in texts)  # type: ignore[attr-defined]
