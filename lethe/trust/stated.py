"""What the record of a run says otherwise than the configuration that it was made from, or this project's atlas."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, is_dataclass, replace
from typing import Any

from lethe.config.answering import reasons_of_model
from lethe.config.configurations import ATLAS
from lethe.config.look_alikes import skeleton
from lethe.config.model import RELEASED_SUITES, Config
from lethe.config.selection import (
    all_configurations,
    erasure_reasons,
    long_reasons,
    no_data,
    reason_suite_empty,
    reasons_not_run,
    reasons_of_machine,
)
from lethe.crosseval.selection import BENCHMARKS, crosseval_reasons
from lethe.fingerprints import PROJECT
from lethe.study.atlas import atlas_of, labels_of
from lethe.study.configured import (
    following,
    reasons_no_release,
    stated_by,
    stated_of_judges,
    stated_of_suite,
    suite_labels,
)
from lethe.study.handed_in import faults_of_handed_in
from lethe.study.setup import EmptySuite, Release, Setup
from lethe.trust.folder import VERSIONS_FILE
from lethe.trust.recipe import RECIPE_FILE
from lethe.trust.record import Audit

_PLACE = re.compile(r"(?<=no data at ).*?(?=; | \()")


def check_stated(setup: Setup, config: Config, audit: Audit) -> Iterator[str]:
    """Hold each field of the record against the configuration; what its machine lacked is believed where it can."""
    running = [name for name in setup.configurations if setup.runs(name, config.paper.adversarial_suite)]
    benchmarks = {name: (found.absent, found.not_run) for name, found in setup.benchmarks.items()}
    gives = stated_by(config) | following(config, running, setup.long.not_run, setup.erasure.not_run, benchmarks)
    for name, value in gives.items():
        if _plain(getattr(setup, name)) != _plain(value):
            yield f"{RECIPE_FILE}: {name} is not what the configuration in {VERSIONS_FILE} gives"
    yield from _check_judges(setup, config)
    yield from _check_suites(setup, config)
    yield from _check_release(setup.release, config)
    yield from _check_benchmarks(setup, config)
    yield from _check_reasons(config, "long", setup.long.not_run, long_reasons(config, anywhere=True))
    yield from _check_reasons(config, "erasure", setup.erasure.not_run, erasure_reasons(config, anywhere=True))
    yield from _check_handed_in(setup, config, audit)
    yield from _check_atlas(setup, config, audit)


def _anywhere(reason: str) -> str:
    """The reason without the place of data, which is another on each machine."""
    return _PLACE.sub("", reason)


def _plain(value: Any) -> Any:
    """As JSON has it, lists without their order: the configuration is kept sorted by key, which changes that. A list in
    a list, such as a pair, keeps its own."""
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return sorted((list(part) if isinstance(part, list | tuple) else _plain(part) for part in value), key=repr)
    return value


def _holds(says: Any, gives: Mapping[str, Any]) -> bool:
    return all(_plain(getattr(says, name)) == _plain(value) for name, value in gives.items())


def _check_judges(setup: Setup, config: Config) -> Iterator[str]:
    stated = stated_of_judges(config)
    if setup.judges.keys() != stated.keys():
        yield f"{RECIPE_FILE}: judges is not what the configuration in {VERSIONS_FILE} gives"
        return
    for name, judge in setup.judges.items():
        if not _holds(judge, {**stated[name], "recorded": name in setup.recorded}):
            yield f"{RECIPE_FILE}: the judge {name} is not what the configuration in {VERSIONS_FILE} gives"
        can_be = {f"not run: {reason}" for reason in reasons_of_model(name)}
        for place in judge.not_run.keys() - setup.suite_labels.keys():
            yield f"{RECIPE_FILE}: the judge {name} does not run on {place}, of which the configuration knows nothing"
        for place, reason in judge.not_run.items():
            if reason not in can_be:
                yield f"{RECIPE_FILE}: {place}: no machine gives {reason!r:.120} as the reason of {name}"


def _check_suites(setup: Setup, config: Config) -> Iterator[str]:
    known = config.suites
    for name, suite in setup.suites.items():
        if name not in known or not _holds(suite, stated_of_suite(config, name)):
            yield f"{RECIPE_FILE}: the suite {name} is not what the configuration in {VERSIONS_FILE} gives"
            continue
        if known[name].folder is None and (suite.version or suite.withdrawn):
            yield f"{RECIPE_FILE}: the suite {name} has no versions, and none of its cases is withdrawn"
        yield from _check_reasons(config, name, suite.not_run, reasons_not_run(config, name, anywhere=True))
    for name in known if config.run.suites == "all" else config.run.suites:
        if name not in setup.suites and name not in setup.empty_suites:
            yield f"{RECIPE_FILE}: lacks the suite {name}, which the configuration in {VERSIONS_FILE} asks for"
    for name, empty in setup.empty_suites.items():
        may_be = name in known and name not in setup.suites and bool(known[name].source or known[name].intake)
        stated = (
            EmptySuite(suite_labels(config)[name], _anywhere(reason_suite_empty(name, known[name]))) if may_be else None
        )
        if stated != replace(empty, reason=_anywhere(empty.reason)):
            yield f"{RECIPE_FILE}: the empty suite {name} is not what the configuration in {VERSIONS_FILE} gives"


def _check_release(release: Release, config: Config) -> Iterator[str]:
    reasons = {_anywhere(reason) for reason in reasons_no_release(config).values()}
    if (release.absent and _anywhere(release.absent) not in reasons) or dict(release.suites) != dict(RELEASED_SUITES):
        yield f"{RECIPE_FILE}: release is not what the configuration in {VERSIONS_FILE} gives"


def _check_benchmarks(setup: Setup, config: Config) -> Iterator[str]:
    if setup.benchmarks.keys() != set(BENCHMARKS):
        yield f"{RECIPE_FILE}: the benchmarks are {', '.join(setup.benchmarks)}, not {', '.join(BENCHMARKS)}"
        return
    for name, found in setup.benchmarks.items():
        if name not in config.run.workloads:
            can_be = found.absent == "not run: left out by run.workloads"
        else:
            can_be = found.absent is None or _anywhere(found.absent) == _anywhere(no_data("", name))
        if not can_be:
            yield f"{RECIPE_FILE}: no machine gives {found.absent!r:.120} as the reason of {name}"
        # Where its store does not run either, a hook that would not be asked has the reason that it has elsewhere.
        others = reasons_not_run(config, name, anywhere=True)
        yield from _check_reasons(config, name, found.not_run, crosseval_reasons(config, name, anywhere=True), others)


def _check_reasons(
    config: Config,
    place: str,
    says: Mapping[str, str],
    stated: Mapping[str, str],
    others: Mapping[str, str] | None = None,
) -> Iterator[str]:
    """That a configuration does not run where the configuration says so, or its machine may lack what it needs.

    Args:
        says: the reasons of the record.
        stated: those that hold on every machine.
        others: further ones, of which each may hold.
    """
    entries = all_configurations(config)
    for name in says.keys() - entries.keys():
        yield f"{RECIPE_FILE}: {place}: the configuration knows no {name}, which is said not to run"
    for name, entry in entries.items():
        reason, expected = says.get(name), stated.get(name)
        if reason is None and expected is not None:
            yield f"{RECIPE_FILE}: {place}: {name} is said to run; the configuration leaves it out ({expected})"
        elif reason not in (expected, (others or {}).get(name), *reasons_of_machine(entry)):
            yield f"{RECIPE_FILE}: {place}: no machine gives {reason!r:.120} as the reason of {name}"


def _check_handed_in(setup: Setup, config: Config, audit: Audit) -> Iterator[str]:
    for handed in setup.handed_in:
        whose = f"{handed.name:.80}, handed in by {handed.by:.80}"
        for fault in faults_of_handed_in(handed, config, labels_of(setup.atlas)):
            yield f"{RECIPE_FILE}: {whose}: {fault}"
        audit.taken.append(f"{whose}: {handed.rerun} trials run again, {handed.same} with the same verdict")
        audit.taken += [f"{whose}: not shown on {suite}: {reason}" for suite, reason in handed.not_shown.items()]


def _check_atlas(setup: Setup, config: Config, audit: Audit) -> Iterator[str]:
    folder = PROJECT / ATLAS
    if not setup.atlas:
        audit.taken.append("the atlas: no system of it is shown")
        return
    if not folder.is_dir():
        audit.taken.append("the atlas: its systems and their records, as they are handed on; there is none here")
        return
    here = atlas_of(config, folder, {name: suite.version for name, suite in setup.suites.items()})
    labels = {name: own.label for name, own in all_configurations(config).items()} | labels_of(here)
    taken = {skeleton(label): name for name, label in labels.items()}
    for name in sorted(here.keys() | setup.atlas.keys()):
        if name not in setup.atlas:
            yield f"{RECIPE_FILE}: atlas: lacks {name}, which this project's has"
        elif name not in here:
            audit.taken.append(f"the atlas: {name}, which is not of this project, with its records, as handed on")
            for own, label in setup.atlas[name].labels.items():
                if own.partition("+")[0] != name or taken.setdefault(skeleton(label), own) != own:
                    yield f"{RECIPE_FILE}: atlas: {name}: {own!r:.80}, {label!r:.80}: name or label of another system"
        elif _plain(setup.atlas[name]) != _plain(here[name]):
            yield f"{RECIPE_FILE}: atlas: {name} is not what this project's atlas and the configuration give"
