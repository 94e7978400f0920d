"""The recorded systems of the atlas, as tables and audit know them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lethe.config.atlas import (
    Entry,
    Recorded,
    entry_folders,
    long_fingerprint,
    read_entry,
    read_record,
    take_labels,
)
from lethe.config.look_alikes import skeleton
from lethe.config.model import Config
from lethe.config.selection import all_configurations


@dataclass(frozen=True, slots=True)
class AtlasSystem:
    """A system of the atlas with what is recorded of it.

    Attributes:
        labels: of its configurations, by name.
        promise: what it promises on forgetting.
        day: of the run that is recorded, ISO date; empty where none is.
        suites: those whose trials are shown.
        not_shown: each other suite with the reason.
        reviewed: whether somebody who did not write its adapter read that.
        skipped: the suites and workloads of which nothing is kept of a configuration, by its name.
        cases: SHA-256 of the cases of each suite that was recorded; of other cases no trials are taken up.
    """

    package: str
    version: str
    labels: Mapping[str, str]
    promise: str
    day: str
    suites: Sequence[str]
    not_shown: Mapping[str, str]
    reviewed: bool
    skipped: Mapping[str, Sequence[str]] = field(default_factory=dict)
    cases: Mapping[str, str] = field(default_factory=dict)


def atlas_of(config: Config, atlas: Path, versions: Mapping[str, int]) -> dict[str, AtlasSystem]:
    """Every system of the atlas in a folder, by the name of its own.

    Args:
        versions: of the suites that are run.

    Raises:
        UserError: where an entry or a record is wrong, or a label is that of another system.
    """
    taken = {skeleton(own.label): own.system for own in all_configurations(config).values()}
    found = {}
    for name, folder in entry_folders(atlas).items():
        entry, recorded = read_entry(folder), read_record(folder)
        labels = {configuration: system.label for configuration, system in entry.systems.items()}
        take_labels(folder, labels, taken)
        not_shown = {}
        for suite, cases in (recorded.suites if recorded else {}).items():
            here = versions.get(suite, 0)
            if not here:
                not_shown[suite] = "the suite is not run here"
            elif cases.version != here:
                not_shown[suite] = f"its cases are of version {cases.version}, those here of version {here}"
        if recorded and recorded.k != config.run.k:
            reason = f"recorded with {recorded.k} memories a recall; the tables here are of k = {config.run.k}"
            not_shown = dict.fromkeys([*recorded.suites, "long", "erasure"], reason)
        elif recorded and recorded.long not in ("", long_fingerprint(config)):
            not_shown["long"] = "the long histories are not run here, or are others"
        found[name] = AtlasSystem(
            entry.package,
            entry.version,
            labels,
            entry.promise,
            recorded.day if recorded else "",
            [suite for suite in (recorded.suites if recorded else ()) if suite not in not_shown],
            not_shown,
            entry.reviewed is not None,
            _skipped(entry, recorded) if recorded else {},
            {suite: cases.cases_sha256 for suite, cases in recorded.suites.items()} if recorded else {},
        )
    return found


def labels_of(systems: Mapping[str, AtlasSystem]) -> dict[str, str]:
    """The label of each configuration of the atlas, by its name."""
    return {name: label for system in systems.values() for name, label in system.labels.items()}


def _skipped(entry: Entry, recorded: Recorded) -> dict[str, list[str]]:
    nowhere = [] if recorded.long else ["long"]
    skipped = {name: sorted({*system.skip_suites, *nowhere}) for name, system in entry.systems.items()}
    return {name: places for name, places in skipped.items() if places}
