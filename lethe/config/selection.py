"""Which suites and configurations there are, which of them run, and the reasons why the others do not."""

import shutil
from collections import defaultdict
from collections.abc import Collection
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

from forgeteval.cases.suites import INTAKE_FILE
from forgeteval.errors import UserError
from forgeteval.planners.protocol import CANDIDATES
from lethe.config.answering import is_live, model_label, reason_unanswered, reasons_of_model
from lethe.config.chat_models import ModelConfig
from lethe.config.configurations import Configuration
from lethe.config.model import RELEASED_SUITES, WORKLOADS, Config, Model, Suite
from lethe.installed import lack, reason_lacking
from lethe.stored.answers import JUDGE


def chosen_suites(config: Config) -> list[str]:
    """Names of the suites to run: those asked for that have a case."""
    return [name for name in _asked_suites(config) if not _is_empty(config.suites[name])]


def reasons_suite_empty(config: Config) -> dict[str, str]:
    """Reasons why suites that were asked for are not run, for their tables."""
    asked = {name: config.suites[name] for name in _asked_suites(config)}
    return {name: reason_suite_empty(name, suite) for name, suite in asked.items() if _is_empty(suite)}


def reason_suite_empty(name: str, suite: Suite) -> str:
    """The reason that the tables give for a suite that has no case."""
    if suite.source is not None:
        return no_data(suite.source, name)
    return f"no cases yet (`forgeteval intake FILE --author NAME --out {suite.intake}` takes some in)"


def no_data(path: str | Path, name: str) -> str:
    """The reason of a row whose data are missing, with the remedy."""
    return f"not run: no data at {path}; `forgeteval fetch {name}` brings it"


def related_suite(config: Config, suite: str) -> str:
    """The suite whose texts `suite` shares, since it revises or samples it, or holds its twins; empty for none."""
    related = config.suites[suite].revises or sampled_suite(config, suite) or twinned_suite(config, suite)
    return related if related in chosen_suites(config) else ""


def sampled_suite(config: Config, name: str) -> str:
    """The suite that a suite holds some cases of each category of; empty where it is not a sample of another."""
    suite = config.suites[name]
    if suite.cases_per_category is None:
        return ""
    wholes = (
        other
        for other, entry in config.suites.items()
        if entry.folder == suite.folder and entry.cases_per_category is None
    )
    return next(wholes, "")


def twinned_suite(config: Config, suite: str) -> str:
    """The suite that is run whose twins a suite holds, or a sample of it; empty for none."""
    twins_of = config.suites[suite].twins_of
    found = [name for name in chosen_suites(config) if config.suites[name].folder == twins_of is not None]
    return min(found, key=lambda name: bool(sampled_suite(config, name)), default="")


def long_reasons(config: Config, *, anywhere: bool = False) -> dict[str, str]:
    """The reason of each configuration that does not run on the long histories; `anywhere` as of `reasons_not_run`."""
    reasons = reasons_not_run(config, "long", anywhere=anywhere)
    for name, entry in all_configurations(config).items():
        if name not in reasons and entry.asks_model:
            reasons[name] = "not run: a chat model would be asked for each mutation of each history"
    return reasons


def erasure_reasons(config: Config, *, anywhere: bool = False) -> dict[str, str]:
    """The reason of each configuration that the erasure audit leaves out; `anywhere` as of `reasons_not_run`."""
    reasons = reasons_not_run(config, "erasure", anywhere=anywhere)
    asked = reasons_not_run(config, "erasure", asked_for=True, anywhere=anywhere)
    most = config.erasure.most_rows
    for name, entry in all_configurations(config).items():
        if name in asked:
            continue
        if entry.asks_model:
            reasons[name] = "not run: a chat model would be asked for each memory"
        elif entry.hook or (entry.policies and "purge" not in entry.policies):
            reasons[name] = "not run: its store is audited under another name"
        elif not erasure_stores(config, name):
            reasons[name] = f"not run: each of erasure.rows is above its erasure.most_rows, {most[name]}"
    return reasons


def told_configurations(config: Config, running: Collection[str]) -> list[str]:
    """The configurations that are asked for what they were told before any mutation: those that ask no chat model.

    Args:
        running: those that run on the adversarial suite.
    """
    entries, left_out = all_configurations(config), reasons_not_run(config, "told", anywhere=True)
    return [
        name for name, entry in entries.items() if name in running and name not in left_out and not entry.asks_model
    ]


def erasure_stores(config: Config, name: str) -> list[tuple[int, int]]:
    """The stores in which a configuration is audited, each as its number of memories and its number of cases."""
    audit = config.erasure
    most = audit.most_rows.get(name, max(audit.rows))
    return [(memories, cases) for memories, cases in zip(audit.rows, audit.cases, strict=True) if memories <= most]


def all_configurations(config: Config) -> dict[str, Configuration]:
    """Every configuration, by name: each system of config/systems.yaml, once per model if it asks a chat model.

    A system that asks a chat model (`hook: llm` or `gateway: chat`) becomes one configuration SYSTEM@MODEL for each
    model of config/models.yaml that is not a judge and is for it; without any, it is one configuration that cannot run.
    A model that names no systems is for hooks, and for no system that asks it itself.
    """
    planning = {name: config.models[name] for name in planning_models(config)}
    found: list[Configuration] = []
    for name, system in config.systems.items():
        fields: dict[str, Any] = {key: getattr(system, key) for key in type(system).model_fields if key != "caveat"}
        fields["hook"], _, contract = system.hook.partition("_")
        entry = Configuration(name, **fields, hook_contract=contract, hook_candidates=_shown(contract))
        asked = [model for model, options in planning.items() if _is_asked(options, name, entry)]
        found += [_asking(config, entry, model) for model in asked if entry.asks_model] or [entry]
    return {entry.name: entry for entry in found}


def _asking(config: Config, entry: Configuration, name: str) -> Configuration:
    """A system with one of its models; the label says by which contract that plans, unless it is the paper's."""
    model, label = config.models[name], model_label(config, name)
    if entry.hook != "llm":
        return replace(entry, label=f"{entry.label} ({label})", model=name)
    contract = "" if model.contract == "paper" else f", contract {model.contract}"
    return replace(
        entry,
        label=f"{entry.label} ({label}{contract})",
        model=name,
        hook_contract=model.contract,
        hook_candidates=_shown(model.contract),
    )


def _shown(contract: str) -> int:
    """How many memories a contract shows, by query and by new fact each; the paper's shows as many as its policies."""
    return CANDIDATES if contract == "rows" else 0


def planning_models(config: Config) -> list[str]:
    """Names of the models that systems may ask: those that are not judges and name systems, or none in particular."""
    return [name for name in config.models if name not in config.judges]


def asked_models(config: Config) -> list[str]:
    """Names of the models that a run may ask: those of the configurations that run somewhere, and the judges."""
    suites = chosen_suites(config)
    left_out = [reasons_not_run(config, place) for place in (*suites, *WORKLOADS)]
    entries = all_configurations(config).items()
    planning = [entry.model for name, entry in entries if any(name not in reasons for reasons in left_out)]
    judged = {config.paper.adversarial_suite, RELEASED_SUITES["adversarial"]}.intersection(suites)
    judging = [name for name in config.judges if any(name not in reasons_not_judged(config, suite) for suite in judged)]
    return [name for name in dict.fromkeys([*planning, *judging]) if name and is_live(config, name)]


def lacking_keys(config: Config) -> dict[str, str]:
    """The models that a run may ask and cannot, by name: what is wrong with the variable of the key, and the remedy."""
    found = dict[str, str]()
    for name in asked_models(config):
        try:
            ModelConfig.from_config(name, config.models[name].model_dump(exclude_unset=True)).read_key()
        except UserError as error:
            found[name] = str(error).removeprefix(f"model {name}: ")
    return found


def reasons_not_judged(config: Config, suite: str) -> dict[str, str]:
    """The reasons why judges give no judgement on a suite, by name, as the tables give them."""
    found = {name: reason_unanswered(config, name, suite, JUDGE) for name in config.judges}
    return {name: f"not run: {reason}" for name, reason in found.items() if reason}


def reasons_not_run(
    config: Config, place: str, *, asked_for: bool = False, hooks_decide: bool = True, anywhere: bool = False
) -> dict[str, str]:
    """The reasons why configurations do not run on a suite or as a workload, by name, as the tables give them.

    Args:
        asked_for: leave out the reason that `run.only` names others.
        hooks_decide: whether a hook is ever asked there; one that is not needs no model.
        anywhere: the reasons alone that hold on every machine, whatever it lacks (`reasons_of_machine`).
    """
    chosen, only = config.run.systems, "all" if asked_for else config.run.only.get(place, "all")
    left_out = place in WORKLOADS and place not in config.run.workloads

    def reason(name: str, entry: Configuration) -> str:
        if left_out:
            return "left out by run.workloads"
        if not _names(chosen, name, entry):
            return "left out by run.systems"
        hindrance = _hindrance(entry, config, place, hooks_decide, anywhere)
        return hindrance if hindrance or _names(only, name, entry) else f"left out by run.only.{place}"

    found = {name: reason(name, entry) for name, entry in all_configurations(config).items()}
    return {name: f"not run: {why}" for name, why in found.items() if why}


def reasons_of_machine(entry: Configuration) -> list[str]:
    """The reasons why a machine may not be able to run a configuration, as the tables give them."""
    commands = (some for number in range(len(entry.requires)) for some in combinations(entry.requires, number + 1))
    found = [f"needs {', '.join(lacking)} on the PATH" for lacking in commands]
    found += [lack("matcher")] if entry.hook == "matcher" else []
    found += reasons_of_model(entry.model) if entry.asks_model and entry.model else []
    return [f"not run: {reason}" for reason in found]


def configurations_to_run(config: Config, place: str) -> list[str]:
    """Names of the configurations that run on a suite or as a workload."""
    reasons = reasons_not_run(config, place)
    return [name for name in all_configurations(config) if name not in reasons]


def without_endpoints(config: Config) -> int:
    """How many configurations whose model may be asked are left out, on any suite, for want of the client alone."""
    if not (lacking := reason_lacking("endpoints")):
        return 0
    reasons = [reasons_not_run(config, suite) for suite in chosen_suites(config)]
    return len({name for found in reasons for name, reason in found.items() if reason == f"not run: {lacking}"})


def left_out_lines(config: Config) -> list[str]:
    """A line for each reason why configurations that `run.systems` names run on no suite, or, with a model that is to
    be asked, not on all; and how to ask further."""
    by_suite = {suite: reasons_not_run(config, suite) for suite in chosen_suites(config)}
    found: dict[str, list[str]] = defaultdict(list)
    for name, entry in all_configurations(config).items():
        reasons = {suite: reasons[name] for suite, reasons in by_suite.items() if name in reasons}
        if not reasons or not _names(config.run.systems, name, entry):
            continue
        is_asked = bool(entry.asks_model and entry.model) and is_live(config, entry.model)
        alike = not is_asked or len(set(reasons.values())) == 1
        if alike and len(reasons) == len(by_suite):
            found[reasons.get(config.paper.adversarial_suite) or next(iter(reasons.values()))].append(name)
        elif is_asked:
            for reason in dict.fromkeys(reasons.values()):
                suites = ", ".join(suite for suite, why in reasons.items() if why == reason)
                found[reason].append(f"{name} (on {suites})")
    lines = [f"{reason}: {', '.join(names)}" for reason, names in found.items()]
    return (
        [*lines, "why one suite leaves one out: `forgeteval why results/runs/SUITE/CONFIGURATION.parquet`"]
        if lines
        else []
    )


def _names(chosen: "list[str] | str", name: str, entry: Configuration) -> bool:
    return chosen == "all" or name in chosen or entry.system in chosen


def _asked_suites(config: Config) -> list[str]:
    return list(config.suites) if config.run.suites == "all" else config.run.suites


def _is_empty(suite: Suite) -> bool:
    if suite.url is not None and suite.source is not None:
        return not Path(suite.source).is_file()
    if suite.intake is None:
        return False
    cases = Path(suite.intake) / INTAKE_FILE
    return not cases.is_file() or not cases.stat().st_size


def _hindrance(entry: Configuration, config: Config, place: str, hooks_decide: bool, anywhere: bool) -> str:
    """What keeps a chosen configuration from running on a suite or as a workload; empty for nothing."""
    suite = config.suites.get(place)
    asks = entry.asks_model and (hooks_decide or entry.gateway == "chat")
    here = not anywhere
    unanswered = reason_unanswered(config, entry.model, place, entry.system) if here and asks and entry.model else ""
    extra = reason_lacking("matcher") if here and entry.hook == "matcher" else ""
    lacking = [command for command in entry.requires if here and shutil.which(command) is None]
    hindrances = {
        entry.not_run: bool(entry.not_run),
        "it runs on request alone (run.heavy)": entry.heavy and not config.run.heavy,
        f"too costly for this suite (suites.{place}.costly is false)": (
            (entry.heavy or entry.asks_model) and suite is not None and not suite.costly
        ),
        f"left out of this suite (systems.{entry.system}.skip_suites)": place in entry.skip_suites,
        f"needs {', '.join(lacking)} on the PATH": bool(lacking),
        extra: bool(extra),
        "no states say what becomes of each fact": entry.is_ceiling and (suite is None or suite.folder is None),
        "no model configured": asks and not entry.model,
        "llm.mode is off": asks and config.llm.mode == "off",
        f"the model is not for this suite (models.{entry.model}.suites)": not _is_for(config, entry, place, asks),
        unanswered: bool(unanswered),
    }
    return next((reason for reason, holds in hindrances.items() if holds), "")


def _is_asked(model: Model, name: str, entry: Configuration) -> bool:
    """Whether a system is to ask a model."""
    if model.systems is None:
        return entry.hook == "llm" and entry.gateway != "chat"
    return model.systems == "all" or name in model.systems


def _is_for(config: Config, entry: Configuration, place: str, asks: bool) -> bool:
    """Whether a configuration's model is for a suite or benchmark: asked by a hook, or by the system itself.

    Where a model's entry does not name suites, it is also for those that ask it nothing.
    """
    suites = config.models[entry.model].suites if entry.model else "all"
    if suites == "all":
        return True
    if suites is None:
        paper, named = config.paper, config.models[entry.model].systems
        of_hooks = (
            paper.template_suite,
            paper.adversarial_suite,
            paper.held_out_suite,
            RELEASED_SUITES["adversarial"],
        )
        return not asks or (place in of_hooks if entry.hook else named is not None)
    return place in (suites.hook if entry.hook else suites.inside)


def hook_pairs(configurations: dict[str, Configuration]) -> list[tuple[str, str]]:
    """(configuration without a hook, one with a hook) with the same backend, policies, options and environment."""

    def store(name: str) -> tuple[Any, ...]:
        entry = configurations[name]
        return entry.backend, entry.environment, entry.policies, entry.options

    known = [name for name, entry in configurations.items() if entry.backend]
    plain = [name for name in known if not configurations[name].hook]
    hooked = [name for name in known if configurations[name].hook and not configurations[name].is_ceiling]
    return [(one, other) for one in plain for other in hooked if store(one) == store(other)]
