"""What others handed in, as tables and audit know it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from forgeteval.cases.errata import suite_version
from forgeteval.errors import UserError
from lethe.config.configurations import Configuration
from lethe.config.model import HANDED_IN, Config
from lethe.config.selection import all_configurations, chosen_suites
from lethe.config.submission import Admission, Submission, faults_of_names, faults_of_own_adapter


@dataclass(frozen=True, slots=True)
class HandedIn:
    """A configuration that ran elsewhere, whose trials somebody handed in.

    Attributes:
        name: of the configuration there, SYSTEM or SYSTEM@MODEL.
        label: this project's, for a configuration of its own.
        own_adapter: it is none of this project's, so that it was judged by its trials alone.
        rerun, same: how many of its trials were run again here, and how many of these came to the same verdict.
        suites: those whose trials are shown.
        not_shown: each other suite that it ran on with the reason.
        gateway: what it asked of the gateway itself, as of `Configuration`.
    """

    by: str
    name: str
    system: str
    model: str
    label: str
    repetitions: int
    own_adapter: bool
    rerun: int
    same: int
    suites: Sequence[str]
    not_shown: Mapping[str, str]
    gateway: str = ""


def handed_in_of(
    submission: Submission, admission: Admission, config: Config, atlas: Mapping[str, str] = MappingProxyType({})
) -> HandedIn:
    """What is shown of it under a configuration, and why the rest is not.

    Args:
        atlas: labels of the systems of the atlas, by their names.

    Raises:
        UserError: where that configuration has no longer what it was admitted as.
    """
    entry, running = submission.configuration, chosen_suites(config)
    not_shown = {}
    for name, suite in submission.suites.items():
        here = suite_version(config.suites[name].options()) if name in running else 0
        if name not in running:
            not_shown[name] = "the suite is not run here"
        elif suite.version != here:
            not_shown[name] = f"its cases are of version {suite.version}, those here of version {here}"
        elif submission.k != config.run.k:
            not_shown[name] = f"run with {submission.k} memories a recall; the tables here are of k = {config.run.k}"
    shown = [name for name in submission.suites if name not in not_shown]
    checked = (admission.own_adapter, admission.rerun, admission.same)
    own = None if admission.own_adapter else all_configurations(config).get(entry.name)
    label = entry.label if own is None else own.label
    named = (submission.by, entry.name, entry.system, entry.model, label, submission.repetitions)
    handed = HandedIn(*named, *checked, shown, not_shown, entry.gateway)
    for fault in faults_of_handed_in(handed, config, atlas):
        raise UserError(f"{HANDED_IN}/{handed.by}/{handed.name}: {fault}; remove the folder and admit its bundle again")
    return handed


def faults_of_handed_in(handed: HandedIn, config: Config, atlas: Mapping[str, str]) -> list[str]:
    """What of its names, of whose system it is said to be, and of what was run again, cannot be under a configuration.

    Args:
        atlas: labels of the systems of the atlas, by their names.
    """
    if not 0 <= handed.same <= handed.rerun:
        return [f"{handed.same} of {handed.rerun} trials are said to have come out alike"]
    if handed.name != Configuration(handed.system, model=handed.model).name:
        return [f"its system and model are {handed.system!r:.60} and {handed.model!r:.60}"]
    if handed.own_adapter:
        faults = faults_of_own_adapter(handed.by, handed.name, handed.label, config, atlas)
        again = "a system that is none of this project is said to have been run again here"
        return [*faults, again] if handed.rerun else faults
    own = all_configurations(config).get(handed.name)
    if own is None:
        return ["the configuration has no system of this name, of which it is said to be"]
    if (own.label, own.gateway) != (handed.label, handed.gateway):
        return [f"its label or what it asks of the gateway is not that of {own.name} here"]
    return faults_of_names(handed.by, handed.name)
