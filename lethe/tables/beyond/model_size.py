"""The tables of what a hook gains by the size of its chat model, and of what it chooses."""

from collections.abc import Mapping, Sequence

from lethe import schemas
from lethe.config.configurations import Configuration, configuration_name
from lethe.parquet import Row
from lethe.schemas import ALL
from lethe.study.published import Published
from lethe.study.results import SuiteResults
from lethe.study.setup import Setup
from lethe.tables import cells
from lethe.tables.beyond.models import reason_no_run
from lethe.tables.beyond.suites import notes_of_suites, remarks
from lethe.tables.registry import table
from lethe.tables.sources import each_suite, every_results, published_numbers, record
from lethe.tables.table import Cell, Table

_HEADER = (
    "Configuration", "Parameters", "Passed (%)", "95 % interval (%)", "Trials, leak", "Trials, collateral",
    "Usable (%)", "Repairs", "Decided alone (%)", "s/mutation", "USD",
)  # fmt: skip
PUBLISHED_MODELS = {
    "llama-3.1-70b": ("Llama-3.1-70B", 70e9),
    "qwen-2.5-72b": ("Qwen-2.5-72B", 72e9),
    "deepseek-v3": ("DeepSeek-V3", 671e9),
}
"""The paper's chat models by their names in config/published.csv: label and number of parameters."""
PUBLISHED_STORES = {"lethe": "Lethe", "langgraph": "LangGraph"}
_CHOICES = (
    "Suite", "Configuration", "Operation", "Decisions", "Chosen", "Meant", "Shown", "As many", "Fewer", "More",
    "Every one",
)  # fmt: skip


@table("model_size", inputs=(every_results, each_suite(schemas.LLM_RUNS), record, published_numbers))
def model_size_table(
    suites: Mapping[str, SuiteResults], runs: Sequence[Row], setup: Setup, published: Published
) -> Table:
    """Each store without a hook, with the planner that asks no model, and with chat models from the smallest on.

    Args:
        suites: by name.
        runs: rows of `lethe.schemas.LLM_RUNS` of these suites.
    """
    by_run = {(run["suite"], configuration_name(run)): run for run in runs}
    sections, notes = [], []
    for suite, results in suites.items():
        shown: list[str] = []
        for names in families(setup):
            ran = [name for name in names if results.score(name) is not None]
            if any(setup.configurations[name].model for name in ran):
                shown += names
                sections.append([_row(name, results, by_run.get((suite, name)), setup) for name in ran])
        notes.append((results.label, remarks(results, shown)))
    return Table(
        "model_size",
        "What a mutation-time hook gains by the size of its chat model, measured here; below, the paper's models as "
        "published. Trials, leak: in which a forbidden string came back; collateral: in which a required one did not; "
        "usable: decisions with an answer that could be used, after a repair where one was needed; decided alone: "
        "cases passed of those in which no decision fell back to the store's own policy, for lack of a usable answer "
        "or because the model named no memory; s/mutation: time of the answers when they were made, by decision.",
        _HEADER,
        [*(sections or [[cells.not_run_row(reason_no_run(setup), len(_HEADER))]]), _published_rows(published)],
        notes_of_suites(notes),
        wide=True,
        long=True,
    )


@table("hook_choices", inputs=(each_suite(schemas.HOOK_CHOICES), record), latex=False)
def hook_choices_table(choices: Sequence[Row], setup: Setup) -> Table:
    """How many memories each hook chose, and how many were meant.

    Args:
        choices: rows of `lethe.schemas.HOOK_CHOICES`.
    """

    def row(found: Row) -> list[Cell]:
        names = ("decisions", "chosen", "meant", "shown", "as_many", "fewer", "more", "every")
        configuration = setup.configurations[configuration_name(found)]
        where = [
            *cells.labels(setup.suites[found["suite"]].label, configuration.label),
            cells.named(found["operation"]),
        ]
        return [*where, *(cells.count(found[name]) for name in names)]

    order = list(setup.configurations)
    known = sorted(choices, key=lambda found: order.index(configuration_name(found)))
    sections = [[row(found) for found in known if found["suite"] == suite] for suite in setup.suites]
    return Table(
        "hook_choices",
        "Memories that a hook chose and those meant, on the cases with one mutation, a purge or release: decisions "
        "that chose as many as were meant, fewer, more, and all that were shown though not all were meant.",
        _CHOICES,
        [section for section in sections if section] or [[cells.not_run_row("not run: no hook ran", len(_CHOICES))]],
        wide=True,
        long=True,
        groups=("", "", "", "", *["Memories"] * 3, *["Decisions that chose"] * 4),
        section=0 if choices else None,
    )


def parameters_text(count: float) -> str:
    """A number of parameters as people say it: 135M, 1.5B."""
    return f"{count / 1e9:.3g}B" if count >= 1e9 else f"{count / 1e6:.3g}M"


def families(setup: Setup) -> list[list[str]]:
    """Each store without a hook, followed by its hooked twins: without a model, then from the smallest model on."""

    def size(name: str) -> tuple[bool, float]:
        entry = setup.configurations[name]
        return bool(entry.model), setup.parameters.get(entry.model) or float("inf")

    stores = dict.fromkeys(plain for plain, _ in setup.hook_pairs)
    return [
        [plain, *sorted((hooked for one, hooked in setup.hook_pairs if one == plain), key=size)] for plain in stores
    ]


def _published_rows(published: Published) -> list[list[Cell]]:
    return [
        [
            cells.label(f"published: {store}+LLM ({label})"),
            cells.published_text(parameters_text(count), count),
            cells.published_share(published, "cross_llm", system, model),
            *[cells.BLANK] * (len(_HEADER) - 3),
        ]
        for system, store in PUBLISHED_STORES.items()
        for model, (label, count) in PUBLISHED_MODELS.items()
    ]


def _row(name: str, results: SuiteResults, run: Row | None, setup: Setup) -> list[Cell]:
    score, entry = results.score(name, ALL), setup.configurations[name]
    if score is None:
        return cells.not_run_row(results.not_run.get(name, reason_no_run(setup)), len(_HEADER))
    shown = [
        cells.label(f"{results.label}: {entry.label}"),
        _size(entry, setup),
        cells.passes(score),
        cells.ends_of(score),
        cells.count(score["leaks"]),
        cells.count(score["collateral"]),
    ]
    if run is None or not run["decisions"]:
        return [*shown, *[cells.DASH] * 5]
    decided = run["decisions"]
    return [
        *shown,
        cells.passes_of(decided - run["unusable"], decided),
        cells.count(run["repairs"]),
        cells.passes_of(run["alone_passed"], run["alone_cases"]),
        cells.number(run["answer_ms"] / 1000 / decided, 2),
        cells.number(run["cost_usd"], 2),
    ]


def _size(entry: Configuration, setup: Setup) -> Cell:
    """Parameters of a configuration's chat model."""
    if not entry.model:
        return cells.text("0") if entry.hook else cells.DASH
    count = setup.parameters.get(entry.model)
    return cells.text("not stated") if count is None else cells.text(parameters_text(count))
