"""The steps of the analysis with the files that they work on: what the rules run, and what the audit repeats.

Every module of `lethe.study.steps` is one; its name is that of its rule.
"""

from collections.abc import Iterable, Mapping
from graphlib import TopologicalSorter
from importlib import import_module

from lethe.fingerprints import found_modules
from lethe.study.setup import Setup
from lethe.study.step import Planned, Step

FOUND_MODULES = ("lethe.study.steps",)


def module_of(step: str) -> str:
    """The module of a step, by the name of its rule."""
    return f"{FOUND_MODULES[0]}.{step}"


STEPS: Mapping[str, Step] = {
    name.rpartition(".")[2]: import_module(name).STEP for package in FOUND_MODULES for name in found_modules(package)
}


def every_step(setup: Setup) -> list[Planned]:
    """Every step that can run with this record, each after those that it reads from."""
    steps = [step.on(setup, **names) for step in STEPS.values() for names in step.over(setup)]
    makers = {path: number for number, planned in enumerate(steps) for path in planned.outputs}
    after = {number: {makers[path] for path in planned.reads & makers.keys()} for number, planned in enumerate(steps)}
    return [steps[number] for number in TopologicalSorter(after).static_order()]


def results_behind(setup: Setup, paths: Iterable[str]) -> list[str]:
    """The files of `paths`, with those of the steps that they follow from, sorted."""
    steps = every_step(setup)
    found, before = set(paths), set[str]()
    while found != before:
        before = set(found)
        found.update(*(planned.reads.union(planned.outputs) for planned in steps if planned.outputs.keys() & before))
    return sorted(found)
