"""The paper's tables and figures alone: the part of a configuration that they follow from."""

from collections.abc import Iterator

from lethe.config.configurations import Configuration
from lethe.config.model import RELEASED_SUITES, Config
from lethe.config.selection import all_configurations
from lethe.crosseval.selection import PRINTED
from lethe.study.replication.printed_systems import MODELS, SYSTEMS

_LENGTHS = ("6k", "32k")
"""The lengths of FactConsolidation that the paper has."""


def paper_alone(config: Config) -> Config:
    """The same configuration without what nothing of the paper's tables and figures follows from.

    Suites, systems and benchmarks that it leaves out stay left out. A hook with another chat model than the paper's
    runs where it asks none, on the benchmarks, and one such is enough.
    """
    run = config.run
    released = (RELEASED_SUITES["adversarial"], RELEASED_SUITES["external"])
    suites = (config.paper.template_suite, config.paper.adversarial_suite, *released)
    every = all_configurations(config)
    of_paper = [
        name
        for name, entry in every.items()
        if (entry.regime == "control" and not entry.hook) or _is_papers(config, entry)
    ]
    chosen = of_paper + list(_asking_nothing(every, of_paper))
    asked = {
        "suites": [name for name in config.suites if name in suites and (run.suites == "all" or name in run.suites)],
        "systems": [name for name in chosen if run.systems == "all" or {name, every[name].system} & {*run.systems}],
        "workloads": [name for name in run.workloads if name in PRINTED],
        "only": {**dict.fromkeys(suites, of_paper), **run.only},
    }
    lengths = {name: systems for name, systems in config.crosseval.factcons_lengths.items() if name in _LENGTHS}
    crosseval = config.crosseval.model_copy(update={"factcons_lengths": lengths})
    return config.model_copy(update={"run": run.model_copy(update=asked), "crosseval": crosseval})


def _is_papers(config: Config, entry: Configuration) -> bool:
    """Whether a configuration is one of the paper's, with its chat model where it has one."""
    paper = next((paper for paper in SYSTEMS.values() if paper.system == entry.system), None)
    if paper is None or not entry.model:
        return paper is not None
    if entry.hook_contract not in ("", "paper"):
        return False
    label = config.models[entry.model].label or ""
    return any(model.is_named(entry.model, label) for model in MODELS.values())


def _asking_nothing(every: dict[str, Configuration], of_paper: list[str]) -> Iterator[str]:
    """The first configuration of each hook of the paper's that none of `of_paper` stands for."""
    hooks = [name for name, paper in SYSTEMS.items() if paper.model and paper.system == name and "+" in name]
    for hook in hooks:
        names = [name for name, entry in every.items() if entry.system == hook and entry.hook_contract != "rows"]
        if not set(names) & set(of_paper):
            yield from names[:1]
