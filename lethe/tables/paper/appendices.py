"""The paper's appendices of examples and readings: reported failures, what fails everywhere, worked cases, prompts."""

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from forgeteval.planners.llm.planner import PROMPTS, TASKS
from lethe import schemas
from lethe.config.configurations import Configuration
from lethe.parquet import Row
from lethe.schemas import ALL
from lethe.study import inputs
from lethe.study.inputs import Input, keyed
from lethe.study.published import Published
from lethe.study.real_world import FailureClass, Part, failure_classes, passed
from lethe.study.released.compare import Verdicts, measured_verdicts
from lethe.study.released.runs import Run, runs_of
from lethe.study.released.universal import CAUSES, PRINTED_SYSTEMS, Universal, universal_failures
from lethe.study.setup import Setup
from lethe.study.worked_examples import chosen_examples
from lethe.tables import cells
from lethe.tables.latex_text import is_set
from lethe.tables.registry import table
from lethe.tables.sources import Source, published_numbers, record, rows, rows_if
from lethe.tables.table import Cell, Table, numbers

_HOOKED = {
    "Lethe+LLM": Run("lethe+llm", "deepseek-ai/DeepSeek-V3", "substring", "v0.5"),
    "LangGraph+LLM": Run("langgraph+llm", "deepseek-ai/DeepSeek-V3", "substring", "v0.5"),
}
"""The released runs of the paper's hook on the 385 cases."""
_SHOWN_TEXTS, _TEXT_WIDTH = 4, 72
"""Of what was recalled in an example: how many texts, and how many letters of each."""
_NOT_COMPARED = "not run: the published cases are not run"
_ADVERSARIAL, _EXTERNAL = "adversarial", "external"


def _of(kind: schemas.Table, released: str) -> Source:
    """Rows of a Parquet file about a released suite, by the release's name."""

    def source(setup: Setup) -> Input | str:
        suite = setup.compared_suites().get(released)
        return inputs.rows(kind, suite=suite) if suite else setup.release.absent or _NOT_COMPARED

    return source


def _shown(setup: Setup, suite: str, which: Callable[[Configuration], bool]) -> list[str]:
    """Names of configurations that run on a suite and that a condition holds for."""
    return [name for name, entry in setup.configurations.items() if setup.runs(name, suite) and which(entry)]


def _is_deterministic(entry: Configuration) -> bool:
    return entry.regime == "deterministic" and not entry.extended


def _measured(verdicts: Sequence[Row], scorer: str) -> dict[str, Verdicts]:
    return {name: own for (name, _, used), own in measured_verdicts(verdicts).items() if used == scorer}


@table(
    "real_world_mapping",
    inputs=(
        _of(schemas.CASES, _ADVERSARIAL),
        _of(schemas.VERDICTS, _ADVERSARIAL),
        rows(schemas.RELEASED_VERDICTS),
        record,
        published_numbers,
    ),
)
def real_world_table(
    cases: Sequence[Row], verdicts: Sequence[Row], released: Sequence[Row], setup: Setup, published: Published
) -> Table:
    """The paper's classes of reported failures, with the passes on the cases that each is tied to.

    Args:
        cases, verdicts: rows of `lethe.schemas.CASES` and `VERDICTS` of the released 385 cases.
        released: rows of `lethe.schemas.RELEASED_VERDICTS`.
    """
    suite, measured = setup.compared_suites()[_ADVERSARIAL], _measured(verdicts, setup.scorer)
    names = _shown(setup, suite, _is_deterministic)
    runs = runs_of(released, _ADVERSARIAL)
    hooked = {label: runs[run] for label, run in _HOOKED.items() if run in runs}

    def counts(own: Sequence[str]) -> list[Cell]:
        found = [passed(measured[name], own) for name in names if name in measured]
        ends = [cells.passes_of(end(found), len(own)) if found else cells.DASH for end in (min, max)]
        alone = measured.get(setup.reference)
        return [
            cells.count(len(own)),
            *ends,
            cells.passes_of(passed(alone, own), len(own)) if alone else cells.DASH,
            *(
                replace(cells.passes_of(passed(hooked[label], own), len(own)), state="published")
                if label in hooked and own
                else cells.DASH
                for label in _HOOKED
            ),
            _gap(alone, hooked.get("Lethe+LLM"), own),
        ]

    def part_row(title: str, part: Part) -> list[Cell]:
        tied = cells.named(part.category or part.family) if not part.cases else cells.label("Cases named")
        return [cells.label(title), cells.label(part.failure), tied, *counts(part.tied(cases)), cells.BLANK]

    def section(one: FailureClass) -> list[list[Cell]]:
        rest = [part_row(one.failure_class, part) for part in one.parts]
        together = [cells.label(one.failure_class), cells.label("All of these"), cells.BLANK]
        return [*rest, [*together, *counts(one.tied(cases)), _printed_gap(published, one)]]

    labels = ", ".join(setup.configurations[name].label for name in names)
    return Table(
        "real_world_mapping",
        "Reported failures that the paper maps to its cases, class by class, and passes on the released 385 cases. "
        "The mapping is the paper's: no reported incident was run. Lowest and highest: of the deterministic systems "
        f"measured here ({labels}; N/A counts as not passed). With DeepSeek-V3: counted from the released verdicts, "
        "not run here. Difference: Lethe+LLM less Lethe, in points; the paper prints it for the first class.",
        (
            "Class",
            "What fails",
            "Category or family",
            "Cases",
            "Lowest",
            "Highest",
            "Lethe",
            *_HOOKED,
            "Difference",
            "Printed",
        ),
        [section(one) for one in failure_classes()],
        wide=True,
        groups=("", "", "", "", *["Measured here"] * 3, *["With DeepSeek-V3"] * 2, *["Points"] * 2),
        kinds=("label", "label", "label", *numbers(8)),
        section=0,
    )


def _gap(alone: Verdicts | None, hooked: Verdicts | None, cases: Sequence[str]) -> Cell:
    if alone is None or hooked is None or not cases:
        return cells.DASH
    return cells.points((passed(hooked, cases) - passed(alone, cases)) / len(cases))


def _printed_gap(published: Published, one: FailureClass) -> Cell:
    if not one.printed:
        return cells.BLANK
    name, row = one.printed
    low, high = (published.value(name, row, end, "points") for end in ("low", "high"))
    return cells.published_text(f"{low} to {high}", low)


def _reference_trials(setup: Setup) -> Input | str:
    suite = setup.compared_suites().get(_EXTERNAL)
    if suite is None:
        return setup.release.absent or _NOT_COMPARED
    if not setup.runs(setup.reference, suite):
        return f"not run: {setup.reference_label} does not run on the released cases"
    return inputs.rows(schemas.TRIALS, suite=suite, system=setup.reference)


@table(
    "external_failures",
    inputs=(
        _of(schemas.CASES, _EXTERNAL),
        _of(schemas.VERDICTS, _EXTERNAL),
        _reference_trials,
        rows(schemas.RELEASED_VERDICTS),
        record,
        published_numbers,
    ),
)
def external_failures_table(
    cases: Sequence[Row],
    verdicts: Sequence[Row],
    reference: Sequence[Row],
    released: Sequence[Row],
    setup: Setup,
    published: Published,
) -> Table:
    """What fails everywhere of the outside authors' cases, by the paper's causes (appendix "External-authored subset").

    Args:
        cases, verdicts: rows of `lethe.schemas.CASES` and `VERDICTS` of these cases.
        reference: rows of `lethe.schemas.TRIALS` of the reference system.
        released: rows of `lethe.schemas.RELEASED_VERDICTS`.
    """
    runs, controls = runs_of(released, _EXTERNAL), setup.controls()
    header = (
        "Cause in the paper", "Category", "Cases", "Six, released", "Six, run here", "All released", "All",
        "Forbidden recalled", "Required missing", "Forbidden is stored", "Printed",
    )  # fmt: skip
    if missing := [run.name for run in PRINTED_SYSTEMS if run not in runs]:
        reason = f"not run: no released verdicts of {', '.join(missing)}"
        return Table("external_failures", "What fails everywhere.", header, [[cells.not_run_row(reason, len(header))]])
    measured = {name: own for name, own in _measured(verdicts, setup.scorer).items() if name not in controls}

    def row(found: Universal) -> list[Cell]:
        printed = published.find("text_external", "universal_failures", found.category, "cases")
        return [
            cells.label("Together" if found.category == ALL else CAUSES.get(found.category, "No cause given")),
            cells.named(found.category),
            *map(cells.count, (found.cases, found.by_printed, found.with_measured, found.by_released, found.by_all)),
            *map(cells.count, (found.leaked, found.missing, found.stored)),
            cells.published_fraction(printed),
        ]

    *by_category, total = universal_failures(cases, runs, measured, reference)
    named = [found for found in by_category if found.category in CAUSES]
    rest = [found for found in by_category if found.category not in CAUSES]
    return Table(
        "external_failures",
        f"Cases of the outside authors that no system passes. Six: Lethe, LangGraph, MemPalace, Mem0, Lethe+LLM and "
        f"LangGraph+LLM, the systems of the paper's table, by the released verdicts; run here: the four without a hook "
        f"as measured here, the two hooks as released. All released: {len(runs)} runs; all: these and "
        f"{len(measured)} configurations here. How they fail: of those that fail in the six, trials of "
        f"{setup.reference_label} measured here in which a forbidden string was recalled, or a required one was not, "
        "and cases in which a mutation stores a forbidden string itself.",
        header,
        [*([row(found)] for found in named), [row(found) for found in rest], [row(total)]],
        [f"Released runs of the six: {'; '.join(run.name for run in PRINTED_SYSTEMS)}."],
        wide=True,
        groups=("", "", "", *["Failing everywhere"] * 4, *["How they fail"] * 3, ""),
        kinds=("label", "label", *numbers(9)),
        section=0,
    )


def _example_suite(setup: Setup) -> str:
    """The released cases where they are run, otherwise the adversarial suite."""
    return setup.compared_suites().get(_ADVERSARIAL, setup.adversarial_suite)


def _example_cases(setup: Setup) -> Input | str:
    suite = _example_suite(setup)
    return inputs.rows(schemas.CASES, suite=suite) if suite in setup.suites else "not run: left out by run.suites"


def _example_trials(setup: Setup) -> Input:
    """Trials by configuration: of the paper's systems without a hook."""
    suite = _example_suite(setup)
    names = _shown(
        setup,
        suite,
        lambda entry: not (entry.extended or entry.hook or entry.regime == "control" or entry.contract == "uniform"),
    )
    return keyed({name: inputs.rows(schemas.TRIALS, suite=suite, system=name) for name in names})


@table(
    "worked_examples",
    inputs=(_example_cases, _example_trials, rows_if(schemas.RELEASED_VERDICTS, Setup.compared_suites), record),
)
def worked_examples_table(
    cases: Sequence[Row], trials: Mapping[str, Sequence[Row]], released: Sequence[Row], setup: Setup
) -> Table:
    """One case of each category, with what each system made of it (paper, appendix "Worked case examples").

    Args:
        cases: rows of `lethe.schemas.CASES`.
        trials: rows of `lethe.schemas.TRIALS` by configuration.
        released: rows of `lethe.schemas.RELEASED_VERDICTS`.
    """
    kept = {
        name: {trial["case_id"]: trial for trial in own if trial["repetition"] == 0} for name, own in trials.items()
    }
    runs = runs_of(released, _ADVERSARIAL) if _ADVERSARIAL in setup.compared_suites() else {}
    hooked = {label: runs[run] for label, run in _HOOKED.items() if run in runs}
    told = {name: {case: trial["verdict"] for case, trial in own.items()} for name, own in kept.items()}
    examples = chosen_examples(cases, {**told, **hooked}, is_set)

    def section(case: Row) -> list[list[Cell]]:
        title = cells.named(case["category"], f", {case['case_id']}")
        texts = {
            "Facts": " | ".join(case["setup_facts"]),
            "Mutations": " | ".join(map(_mutation, case["mutations"])),
            "Question": case["final_query"],
            "Required": _quoted(case["must_contain"]),
            "Forbidden": _quoted(case["must_not_contain"]),
        }
        lines = [[title, cells.label(name), cells.BLANK, cells.text(text)] for name, text in texts.items()]
        return [*lines, *([title, *line] for line in _outcomes(case["case_id"], kept, hooked, setup))]

    suite = setup.suite_labels[_example_suite(setup)].lower()
    return Table(
        "worked_examples",
        f"One case of each category of the {suite} suite: that on which the systems shown are most evenly divided, the "
        "first of several, of those in Latin letters where there are any. Systems measured here with what they "
        f"recalled (the first {_SHOWN_TEXTS} texts, shortened); systems that recalled the same share a line. Of runs "
        "with DeepSeek-V3 the released verdict alone is known.",
        ("Case", "", "Verdict", "Text"),
        [section(case) for case in examples] or [[cells.not_run_row("not run: no cases", 4)]],
        wide=True,
        long=True,
        kinds=("label", "label", "label", "text"),
        section=0 if examples else None,
    )


def _outcomes(
    case: str, trials: Mapping[str, Mapping[str, Row]], hooked: Mapping[str, Verdicts], setup: Setup
) -> list[list[Cell]]:
    """Label, verdict and recalled text; systems of which these are equal stand in one line."""
    together: dict[tuple[str, str], list[str]] = {}
    for name, own in trials.items():
        if case in own:
            found = own[case]["verdict"], _recalled(own[case])
            together.setdefault(found, []).append(setup.configurations[name].label)
    measured = [
        [cells.label(", ".join(labels)), cells.text(_verdict(verdict)), cells.text(recalled)]
        for (verdict, recalled), labels in together.items()
    ]
    alike: dict[str, list[str]] = {}
    for label, verdicts in hooked.items():
        if case in verdicts:
            alike.setdefault(_verdict(verdicts[case]), []).append(label)
    released = [
        [cells.label(", ".join(labels)), *map(cells.published_text, (verdict, "released verdict, DeepSeek-V3"))]
        for verdict, labels in alike.items()
    ]
    return [*measured, *released]


def _verdict(verdict: str) -> str:
    return "N/A" if verdict == "na" else verdict


def _recalled(trial: Row) -> str:
    if trial["verdict"] == "na":
        return "cannot express an operation"
    if trial["verdict"] == "error":
        return ""
    texts = [textwrap.shorten(text, _TEXT_WIDTH, placeholder=" …") for text in trial["recalled"]]
    more = len(texts) - _SHOWN_TEXTS
    return " | ".join([*texts[:_SHOWN_TEXTS], *([f"{more} more"] if more > 0 else [])]) or "nothing"


def _mutation(mutation: Mapping[str, str | None]) -> str:
    told = f"{mutation['op']} “{mutation['query']}”"
    return told if mutation["text"] is None else f"{told} by “{mutation['text']}”"


def _quoted(texts: Sequence[str]) -> str:
    return ", ".join(f"“{text}”" for text in texts) or "nothing"


@table("prompts", inputs=())
def prompts_table() -> Table:
    """The hook's three prompts with their examples, as they are sent (paper, appendix "LLM prompts")."""

    def section(task: str) -> list[list[Cell]]:
        lines = (PROMPTS / f"{task}.txt").read_text(encoding="utf-8").splitlines()
        return [[cells.named(task), cells.text(line)] for line in lines if line]

    return Table(
        "prompts",
        "The prompts of the hook, as they are sent, each followed by one block of JSON with the task and its inputs. "
        "They are this project's, written for the paper's three contracts.",
        ("Prompt", "Text"),
        [section(task) for task in TASKS],
        wide=True,
        long=True,
        kinds=("label", "id"),
        section=0,
    )
