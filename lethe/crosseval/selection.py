"""The benchmarks that run, the configurations that each runs on, and the reasons for the others."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from forgeteval.errors import UserError
from lethe.config.selection import all_configurations, reasons_not_run

BENCHMARKS = ("memora", "factcons", "longmemeval")
HYBRID = ("longmemeval",)
"""Recalled by a system's hybrid retrieval, where it has one (docs/systems.md, "Exactness")."""
_UNMUTATED = ("factcons",)
"""Nothing is mutated, and every configuration of a store recalls alike (a hook hides a hybrid retrieval)."""

_NOT_READ = ("url", "sha256", "long_systems")
"""Options that change nothing that is read from the files."""


def check_selection(config: Mapping[str, Any]) -> None:
    """Raises UserError where `crosseval` names a system that `config/systems.yaml` lacks."""
    options = config["crosseval"]
    known = config["systems"].keys() | all_configurations(config).keys()
    for key, named in (("systems", options["systems"]), ("factcons.long_systems", options["factcons"]["long_systems"])):
        for name in [] if named == "all" else named:
            if name not in known:
                listed = ", ".join(config["systems"])
                raise UserError(f"config: crosseval.{key}: unknown name {name!r}; config/systems.yaml knows {listed}")


def reason_absent(config: Mapping[str, Any], benchmark: str) -> str | None:
    """The reason that a whole benchmark is not run, for the table it keeps; None where it is."""
    if benchmark not in config["crosseval"]["benchmarks"]:
        return "not run: left out by crosseval.benchmarks"
    path = Path(config["crosseval"][benchmark]["path"])
    return None if path.exists() else f"not run: no data at crosseval.{benchmark}.path ({path})"


def crosseval_reasons(config: Mapping[str, Any], benchmark: str) -> dict[str, str]:
    """The reason of each configuration that does not run on a benchmark."""
    chosen = config["crosseval"]["systems"]
    reasons = reasons_not_run(config, benchmark)
    for name, entry in all_configurations(config).items():
        if name in reasons:
            continue
        if chosen != "all" and entry.system not in chosen and name not in chosen:
            reasons[name] = "not run: left out by crosseval.systems"
        elif entry.backend == "oracle":
            reasons[name] = "not run: the benchmark gives no gold rows"
        elif entry.hook == "llm" and benchmark in HYBRID:
            reasons[name] = "not run: nothing is mutated, so the hook never decides"
    return reasons


def crosseval_configurations(config: Mapping[str, Any], benchmark: str) -> list[str]:
    """Names of the configurations that run on a benchmark; none where the benchmark is not run."""
    if reason_absent(config, benchmark) is not None:
        return []
    reasons = crosseval_reasons(config, benchmark)
    return [name for name in all_configurations(config) if name not in reasons]


def lengths_of(config: Mapping[str, Any], name: str) -> list[str]:
    """The lengths of FactConsolidation that a configuration runs on, shortest first."""
    options = config["crosseval"]["factcons"]
    system = all_configurations(config)[name].system
    long = options["long_lengths"] if {name, system} & set(options["long_systems"]) else []
    return [*options["lengths"], *(length for length in long if length not in options["lengths"])]


def equal_runs(config: Mapping[str, Any], benchmark: str) -> dict[str, str]:
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


def reading_options(config: Mapping[str, Any], benchmark: str) -> dict[str, Any]:
    """The options that decide which histories are read; of the long lengths of FactConsolidation, those run."""
    options = {key: value for key, value in config["crosseval"][benchmark].items() if key not in _NOT_READ}
    if benchmark == "factcons":
        run = {length for name in crosseval_configurations(config, benchmark) for length in lengths_of(config, name)}
        options["long_lengths"] = [length for length in options["long_lengths"] if length in run]
    return options
