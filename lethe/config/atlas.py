"""The atlas: memories that promise to forget; a folder of each says what it is and what came of it."""

import re
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from forgeteval.cases.long.material import FILE as MATERIAL_FILE
from forgeteval.errors import UserError
from forgeteval.json_records import from_json, read_object
from forgeteval.yaml_data import read_yaml
from lethe.config.configurations import ATLAS
from lethe.config.look_alikes import skeleton
from lethe.config.model import Config, Name, Part, System, Text, key
from lethe.config.submission import HandedSuite
from lethe.fingerprints import SHIPPED, file_fingerprint, value_fingerprint

ENTRY_FILE, RECORD_FILE = "entry.yaml", "record.json"
PACKAGES_FILE = "environment.in"
"""The packages that a system's environment is made from."""
NODE_LOCK = "node/package-lock.json"
"""The Node packages of a system that has any; its `environment.extras.yaml` names that folder."""
TRIALS_FILE, LONG_FILE, ERASURE_FILE = "trials.parquet", "long.parquet", "erasure.parquet"
RESULT_FILES = (TRIALS_FILE, LONG_FILE, ERASURE_FILE)
SUITES = ("adversarial", "held_out", "twins", "owners", "languages")
"""The suites that each system of the atlas is run on."""
TOLD_SUITE = "adversarial"
"""The one whose cases are also run as told."""
WORKLOADS = ("told", "long", "erasure")
"""What it is run on besides."""
SIZES: Mapping[str, Any] = {
    "long": {"histories": 3, "k": [10]},
    "erasure": {"rows": [10], "cases": [10], "most_rows": {}},
}
"""How many long histories, and cases of the audit, it is run on."""
WHOLE = "atlas"
"""What stands for every system of the atlas in `run.systems`."""
_LONGEST_PROMISE = 300
_SET_HERE = ("environment", "extended", "hook", "gateway")
"""Keys of a system that no entry gives: where it is confined, where it is shown, what it could ask."""
_PACKAGE = re.compile(r"[^=\s]+==[^=\s]+")
_COMPOSED = {"supersede": "best_match", "release": "largest_gap", "purge": "equal_text"}


class Change(Part):
    """something that is switched off, or put in the place of the default"""

    what: Text = key("what is different from a plain installation")
    why: Text = key("the reason")


class Review(Part):
    """an adapter read against its maker's documentation by somebody who did not write it"""

    by: Text = key("who read it")
    day: date = key("when")
    native_forget: Text = key("whether the mutations are the system's own, as its documentation shows them")
    waits: Text = key("whether the adapter waits for what the system writes later")
    stable_ids: Text = key("whether a memory keeps its id")
    floor: Text = key("whether a floor of similarity hides memories from a recall")
    dedup: Text = key("whether facts are merged or dropped when they are told")


class Calls(Part):
    """the maker's own calls that serve the mutations, as the adapter makes them; of one that is not served, none"""

    supersede: str = key("the call that puts a new text in the place of an old one", "")
    release: str = key("the call that forgets", "")
    purge: str = key("the call that erases, the strongest that there is", "")


class Sqlite(Part):
    """the SQLite that writes a system's files, looked up in its environment"""

    version: Text = key("its version, from the head of a file")
    library: Text = key("whose it is, in words")
    secure_delete: Text = key("whether that overwrites what it deletes, and who says so; or that it could not be seen")
    day: date = key("when that was looked up")


class Entry(Part):
    """a system of the atlas"""

    package: Text = key("name of its distribution on the package index, or of its Node package")
    version: Text = key("the version that the lock has")
    released: Text = key("month of that version, YYYY-MM", pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])$")
    licence: Text = key("its licence, as the package says it")
    home: str = key(
        "address of its repository or documentation", "", pattern=r"^(https?://[A-Za-z0-9._~/?#@!&=+,;%:-]+)?$"
    )
    promise: Annotated[str, Field(min_length=1, max_length=_LONGEST_PROMISE)] = key(
        "what it promises on forgetting, in a sentence"
    )
    systems: Annotated[dict[Name, System], Field(min_length=1)] = key(
        "its configurations, as in config/systems.yaml; those without a mutation of its own are composed"
    )
    calls: Calls = key("the maker's calls that serve each mutation", Calls())
    sqlite: Sqlite | None = key("which SQLite writes its files; without it, the page says that this is not known", None)
    changes: list[Change] = key("what is switched off or injected", [])
    reviewed: Review | None = key(
        "the second reading of the adapter; without it, the page says that there was none", None
    )
    remedy: str = key("how a user gets rid of what stays in its files, tried by hand", "")
    reply: str = key("what its maker answered", "")
    findings: list[Text] = key("what a second reader found again by the maker's own documented steps", [])
    report: str = key("a draft of a report to the maker: what, how to repeat, what would mend it", "")


@dataclass(frozen=True, slots=True)
class Recorded:
    """What is kept of a run of a system of the atlas.

    Attributes:
        day: ISO date of the run.
        machine: platform and Python.
        packages: `NAME==VERSION` of its environment.
        code: fingerprint of the packages that ran it.
        k: number of memories that a recall returned.
        suites: by name, with their version and the checksum of their cases.
        files: SHA-256 of each file of results beside the record.
        long: fingerprint of what the long histories were made from; empty where they were not run.
        runs: how often it was run: once to record it, the others to compare.
        varying: what came out otherwise in another run than it is kept, by its key in words.
    """

    day: str
    machine: Mapping[str, str]
    packages: Sequence[str]
    code: str
    k: int
    suites: Mapping[str, HandedSuite]
    files: Mapping[str, str]
    long: str = ""
    runs: int = 1
    varying: Sequence[str] = ()


def read_record(folder: Path) -> Recorded | None:
    """What was recorded of the system in a folder; None where nothing was of the version that its entry names.

    Raises:
        UserError: as of `read_entry`, and where the file cannot be read, lacks what a page says of it, or names other
            files than `RESULT_FILES`.
    """
    path = folder / RECORD_FILE
    if not path.is_file():
        return None
    try:
        found = from_json(Recorded, read_object(path))
        date.fromisoformat(found.day)
    except (UserError, KeyError, TypeError, ValueError) as error:
        raise UserError(f"{path}: not what `forgeteval atlas run` writes ({error})") from error
    for name in sorted({"platform", "python"} - found.machine.keys()):
        raise UserError(f"{path}: machine: lacks {name}; run `forgeteval atlas run {folder.name}`")
    for package in found.packages:
        if not _PACKAGE.fullmatch(package):
            raise UserError(f"{path}: packages: {package!r:.80} is not NAME==VERSION; mend it")
    if found.runs < 1:
        raise UserError(f"{path}: runs: {found.runs}; a record is of one run or more")
    for name in sorted(found.files.keys() - {*RESULT_FILES}):
        raise UserError(f"{path}: files: {name!r:.60} is none of {', '.join(RESULT_FILES)}; remove it")
    entry = read_entry(folder)
    ran = {as_indexed(package) for package in found.packages}
    return found if as_indexed(f"{entry.package}=={entry.version}") in ran else None


def as_indexed(package: str) -> str:
    """NAME==VERSION with the name as an index compares it, in which some marks and capitals do not count."""
    name, _, version = package.partition("==")
    return f"{re.sub(r'[-_.]+', '-', name).lower()}=={version}"


def long_fingerprint(config: Config) -> str:
    """What the long histories of a configuration are made from; empty where it does not run them."""
    if "long" not in config.run.workloads:
        return ""
    return value_fingerprint([file_fingerprint(SHIPPED / "suites/long" / MATERIAL_FILE), config.seed])


def entry_folders(atlas: Path) -> dict[str, Path]:
    """The folder of each system in the folder of the atlas, by its name."""
    return {path.parent.name: path.parent for path in sorted(atlas.glob(f"*/{ENTRY_FILE}"))}


def read_entry(folder: Path) -> Entry:
    """What stands in a system's folder.

    Raises:
        UserError: naming the file and the key that is wrong.
    """
    path = folder / ENTRY_FILE
    found = read_yaml(path)
    if not isinstance(found, dict):
        raise UserError(f"{path}: an entry maps keys to values; this file does not")
    try:
        entry = Entry.model_validate(_with_defaults(found, folder.name))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise UserError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    for name, system in entry.systems.items():
        where = f"{path}: systems.{name}"
        if name.partition("+")[0] != folder.name:
            raise UserError(f"{where}: begin the name with that of the folder, {folder.name}")
        for given in found["systems"][name].keys() & {*_SET_HERE}:
            raise UserError(f"{where}.{given}: is not an entry's to choose; leave it out")
        adapter = f"{ATLAS}.{folder.name}.adapter"
        if not re.fullmatch(rf"{re.escape(adapter)}:[A-Za-z_][A-Za-z0-9_]*", system.backend):
            raise UserError(f"{where}.backend: {system.backend!r:.80}: must be {adapter}:CLASS")
    return entry


def atlas_labels(atlas: Path) -> dict[str, str]:
    """The label of each system in the folder of the atlas, by its name.

    Raises:
        UserError: as of `read_entry`.
    """
    entries = map(read_entry, entry_folders(atlas).values())
    return {name: system.label for entry in entries for name, system in entry.systems.items()}


def take_labels(folder: Path, labels: Mapping[str, str], taken: MutableMapping[str, str]) -> None:
    """Add the labels of a folder's systems, by their names, to those that are taken.

    Args:
        taken: the system of each label, by what labels that look alike have in common.

    Raises:
        UserError: where another system has one of them.
    """
    for name, label in labels.items():
        other = taken.setdefault(skeleton(label), name)
        if other != name:
            where = f"{folder / ENTRY_FILE}: systems.{name}.label"
            raise UserError(f"{where}: {label!r:.80} is that of {other}; choose another")


def take_in_atlas(merged: MutableMapping[str, Any], root: Path) -> None:
    """Add to a merged configuration the systems of the atlas that its `run.systems` names, one by one or all of them.

    They run on everything that `run` names, the erasure audit included.

    Raises:
        UserError: as of `read_entry`, and where a system's name or label is taken.
    """
    run = merged.get("run")
    asked = run.get("systems") if isinstance(run, Mapping) else None
    names = [asked] if asked == WHOLE else asked
    if not isinstance(names, list) or not isinstance(run, MutableMapping):
        return
    folders = entry_folders(root / ATLAS)
    wanted = folders if WHOLE in names else {str(name).partition("+")[0] for name in names} & folders.keys()
    if not wanted:
        return
    systems = merged.get("systems", {})
    labels = {name: system.get("label") for name, system in systems.items() if isinstance(system, Mapping)}
    taken = {skeleton(label): name for name, label in labels.items() if isinstance(label, str)}
    found = dict[str, Any]()
    for folder in sorted(wanted):
        own = _systems(folders[folder])
        for name in own:
            if systems.get(name, own[name]) != own[name]:
                where = f"{folders[folder] / ENTRY_FILE}: systems.{name}"
                raise UserError(f"{where}: the configuration has a system of that name; remove one of them")
        take_labels(folders[folder], {name: system["label"] for name, system in own.items()}, taken)
        found |= own
    run["systems"] = [*(name for name in names if name != WHOLE), *(found if WHOLE in names else ())]
    only = run.get("only", {})
    run["only"] = {**only, **{place: [*chosen, *found] for place, chosen in only.items() if place == "erasure"}}
    merged["systems"] = {**systems, **found}


def _systems(folder: Path) -> dict[str, Any]:
    return {name: system.model_dump(exclude_unset=True) for name, system in read_entry(folder).systems.items()}


def _with_defaults(found: dict[str, Any], folder: str) -> dict[str, Any]:
    """An entry in which each system has the environment of its folder, which confines it, and stands among the extended
    ones."""
    systems = found.get("systems")
    if not isinstance(systems, dict):
        return found
    given = {"environment": f"{ATLAS}-{folder}", "extended": True}
    composed = {"policies": dict(_COMPOSED)}
    return {
        **found,
        "systems": {
            name: {**(composed if str(name).endswith("+uniform") else {}), **system, **given}
            if isinstance(system, dict)
            else system
            for name, system in systems.items()
        },
    }
