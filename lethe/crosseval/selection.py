"""The benchmarks that run, the configurations that each runs on, and the reasons for the others."""

from pathlib import Path
from typing import Any

from lethe.config.configurations import Configuration
from lethe.config.model import Config
from lethe.config.selection import all_configurations, no_data, reasons_not_run
from lethe.crosseval.datasets import missing_data
from lethe.crosseval.released import RELEASED

PRINTED = ("memora", "factcons", "longmemeval")
"""Those of the paper."""
BENCHMARKS = (*PRINTED, "locomo")
MEMORA_EVIDENCE = "released"
"""How Memora's required values are read; the table `memora_readings` has the others (docs/crosseval.md)."""
HYBRID = ("longmemeval",)
"""Recalled by a system's hybrid retrieval, where it has one (docs/systems.md, "Exactness")."""
_UNMUTATED = ("factcons",)
"""Nothing is mutated, and every configuration of a store recalls alike (a hook hides a hybrid retrieval)."""


def data_path(config: Config, benchmark: str) -> Path:
    """Where the data of a benchmark stand."""
    return config.placed(RELEASED[benchmark].path)


def reason_absent(config: Config, benchmark: str) -> str | None:
    """The reason that a whole benchmark is not run, for the table it keeps; None where it is."""
    if benchmark not in config.run.workloads:
        return "not run: left out by run.workloads"
    missing = missing_data(benchmark, data_path(config, benchmark))
    return None if missing is None else no_data(missing, benchmark)


def crosseval_reasons(config: Config, benchmark: str, *, anywhere: bool = False) -> dict[str, str]:
    """The reason of each configuration that does not run on a benchmark.

    Where nothing is mutated a hook is never asked: its configuration takes over its store's run (`equal_runs`), and
    needs no model where that runs. `anywhere` as of `reasons_not_run`.
    """
    reasons, entries = reasons_not_run(config, benchmark, anywhere=anywhere), all_configurations(config)
    if benchmark in _UNMUTATED:
        unasked = reasons_not_run(config, benchmark, hooks_decide=False, anywhere=anywhere)
        asked = [entry.for_recall() for name, entry in entries.items() if name not in reasons]
        for name in reasons.keys() - unasked.keys():
            if entries[name].for_recall() in asked:
                del reasons[name]
    stores: list[Configuration] = []
    # A store is asked under its own name, wherever a further configuration of it stands.
    for name, entry in sorted(entries.items(), key=lambda item: item[1].system != item[1].backend):
        if name in reasons:
            continue
        if benchmark == "locomo" and entry.for_recall() in stores:
            reasons[name] = "not run: nothing is mutated, and its store is asked under another name"
        stores.append(entry.for_recall())
        if entry.backend == "oracle":
            reasons[name] = "not run: the benchmark gives no gold rows"
        elif entry.hook == "llm" and benchmark in HYBRID:
            reasons[name] = "not run: nothing is mutated, so the hook never decides"
    return reasons


def crosseval_configurations(config: Config, benchmark: str) -> list[str]:
    """Names of the configurations that run on a benchmark; none where the benchmark is not run."""
    if reason_absent(config, benchmark) is not None:
        return []
    reasons = crosseval_reasons(config, benchmark)
    return [name for name in all_configurations(config) if name not in reasons]


def lengths_of(config: Config, name: str) -> list[str]:
    """The lengths of FactConsolidation that a configuration runs on, shortest first."""
    system, lengths = all_configurations(config)[name].system, config.crosseval.factcons_lengths
    return [length for length, systems in lengths.items() if systems == "all" or {name, system} & set(systems)]


def equal_runs(config: Config, benchmark: str) -> dict[str, str]:
    """Each configuration whose run that of another holds, and that one: they differ in mutations, of which none is."""
    if benchmark not in _UNMUTATED:
        return {}
    entries, equal = all_configurations(config), dict[str, str]()
    run = [name for name in crosseval_configurations(config, benchmark) if entries[name].gateway != "chat"]
    separate: list[str] = []
    for name in sorted(run, key=lambda name: -len(lengths_of(config, name))):
        as_run = entries[name].for_recall()
        if first := next((other for other in separate if entries[other].for_recall() == as_run), None):
            equal[name] = first
        else:
            separate.append(name)
    return equal


def reading_options(config: Config, benchmark: str) -> dict[str, Any]:
    """The options that decide which histories are read, of FactConsolidation those lengths that some system runs on."""
    options: dict[str, Any] = {"path": str(data_path(config, benchmark))}
    if benchmark == "memora":
        options["evidence"] = MEMORA_EVIDENCE
    if benchmark == "factcons":
        run = {length for name in crosseval_configurations(config, benchmark) for length in lengths_of(config, name)}
        options["lengths"] = [length for length in config.crosseval.factcons_lengths if length in run]
    if benchmark == "locomo":
        options["conversations"] = config.crosseval.locomo_conversations
    return options
