"""The account of a run for others' tools: an RO-Crate of `results`, by the Process Run Crate profile.

Everything in it but its date follows from the manifest and the versions. Tables and figures that stand beside `results`
are not in it; `results/tables` holds their cells.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote, unquote

from forgeteval.errors import UserError
from forgeteval.files import write_text
from forgeteval.json_records import read_object
from lethe.parquet import Row
from lethe.schemas import CASES, TRIALS
from lethe.study.paths import HANDED_TRIALS
from lethe.trust.folder import VERSIONS_FILE
from lethe.trust.versions import PIPELINE, Versions

CRATE_FILE = Path("results/ro-crate-metadata.json")
_SPECIFICATION = "https://w3id.org/ro/crate/1.1"
_CONTEXT = f"{_SPECIFICATION}/context"
PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
_LICENCE = "https://spdx.org/licenses/MIT"
_SHA256 = "http://www.w3.org/ns/ro/terms/workflow-run#sha256"
"""What the profile's key `sha256` means; the context of RO-Crate 1.1 lacks it."""
_RESULTS = PurePosixPath("results")
_TYPES = {".parquet": "application/vnd.apache.parquet", ".json": "application/json"}
_HANDED_IN = PurePosixPath(HANDED_TRIALS).parts[:2]
_Reference = dict[str, str]
"""An entity as others name it."""


def write_crate(root: Path, entries: Mapping[str, Row], versions: Versions) -> None:
    """Write the crate of the results below `root`.

    Args:
        entries: the files of the manifest, without the crate.
    """
    crate = make_crate(entries, versions, _date_of(root, entries))
    write_text(root / CRATE_FILE, json.dumps(crate, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def check_crate(path: Path, entries: Mapping[str, Row]) -> Iterator[str]:
    """One line for each file of which the crate says something else than the manifest.

    Raises:
        UserError: where it cannot be read.
    """
    described = {_place(entity): entity for entity in _files(read_object(path))}
    wanted = {name: entry for name, entry in entries.items() if _is_inside(name) and name != CRATE_FILE.as_posix()}
    for name in sorted(described.keys() | wanted.keys()):
        says, entry = described.get(name), wanted.get(name)
        if says is None or entry is None:
            yield f"{CRATE_FILE}: {name:.200}: {'missing' if says is None else 'no file of the manifest'}"
        elif (says.get("sha256"), says.get("contentSize")) != (entry["sha256"], str(entry["bytes"])):
            yield f"{CRATE_FILE}: {name:.200}: of another checksum or size than the manifest gives"


def make_crate(entries: Mapping[str, Row], versions: Versions, date: str) -> dict[str, Any]:
    """The crate as JSON-LD.

    Args:
        date: its datePublished, in ISO 8601.
    """
    crate = _Crate()
    root = crate.add(
        "./",
        "Dataset",
        name="Results of Lethe's workflow",
        description="Can agent-memory stores be told to forget? Cases, trials, and what follows from them.",
        datePublished=date,
    )
    crate.add(CRATE_FILE.name, "CreativeWork", about=root, conformsTo={"@id": _SPECIFICATION})
    licence = crate.add(_LICENCE, "CreativeWork", name="MIT", identifier=_LICENCE)
    profile = crate.add(PROFILE, "CreativeWork", name="Process Run Crate", version="0.5")
    files = {name: _add_file(crate, name, entries[name]) for name in sorted(entries) if _is_inside(name)}
    workflow = _add_workflow(crate, versions)
    software = _add_software(crate, versions, workflow)
    actions = [_add_action(crate, name, files, software, workflow) for name in files if _parts(name, TRIALS.path)]
    made = [file for name, file in files.items() if not (_parts(name, TRIALS.path) or _ran_elsewhere(name))]
    run = crate.add("#workflow-run", "CreateAction", name="The workflow", instrument=workflow, result=made)
    parts = list(files.values())
    crate.entities["./"] |= _told(license=licence, conformsTo=profile, hasPart=parts, mentions=[run, *actions])
    return {"@context": [_CONTEXT, {"sha256": _SHA256}], "@graph": list(crate.entities.values())}


class _Crate:
    """Entities by their ids, in the order in which they are added."""

    def __init__(self) -> None:
        self.entities: dict[str, dict[str, Any]] = {}

    def add(self, name: str, kind: str, /, **properties: Any) -> _Reference:
        """Add an entity; properties that are empty lists are left out."""
        self.entities[name] = {"@id": name, "@type": kind} | _told(**properties)
        return {"@id": name}


def _told(**properties: Any) -> dict[str, Any]:
    return {key: value for key, value in properties.items() if value != []}


def _add_file(crate: _Crate, name: str, entry: Row) -> _Reference:
    path = PurePosixPath(name)
    kind = f"holds {entry['table']}, {entry['rows']} rows" if entry.get("table") else "a file of the results"
    if by := _ran_elsewhere(name):
        kind += f"; ran elsewhere, handed in by {by}"
    return crate.add(
        quote(path.relative_to(_RESULTS).as_posix()),
        "File",
        name=name,
        description=kind,
        sha256=entry["sha256"],
        contentSize=str(entry["bytes"]),
        encodingFormat=_TYPES.get(path.suffix, "text/plain"),
    )


def _add_workflow(crate: _Crate, versions: Versions) -> _Reference:
    machine = ", ".join(f"{name} {value}" for name, value in versions.machine.items())
    return crate.add(
        "#workflow",
        "SoftwareApplication",
        name="Lethe's workflow",
        softwareVersion=versions.code or "not known",
        description=f"ran on {machine}; its configuration is in {VERSIONS_FILE.name}",
        softwareRequirements=[_add_packages(crate, name, found) for name, found in versions.environments.items()],
    )


def _add_packages(crate: _Crate, name: str, packages: Sequence[str]) -> _Reference:
    named = sorted(package for package in packages if "==" in package)
    description = f"{len(named)} packages: {', '.join(named)}"
    return crate.add(
        f"#environment/{name}", "SoftwareApplication", name=f"the environment {name}", description=description
    )


def _add_software(crate: _Crate, versions: Versions, workflow: _Reference) -> dict[str, _Reference]:
    """The software of each system of the configuration, by name."""
    found = {}
    for name, options in versions.config.get("systems", {}).items():
        environment = options.get("environment", PIPELINE)
        packages = f"#environment/{environment}"
        found[name] = crate.add(
            f"#system/{name}",
            "SoftwareApplication",
            name=options.get("label", name),
            softwareVersion=versions.code or "not known",
            description=f"backend {options.get('backend', 'none')}, environment {environment}",
            softwareRequirements={"@id": packages} if packages in crate.entities else workflow,
        )
    return found


def _add_action(
    crate: _Crate,
    name: str,
    files: Mapping[str, _Reference],
    software: Mapping[str, _Reference],
    workflow: _Reference,
) -> _Reference:
    """The run of a configuration on a suite, which made a file of trials."""
    suite, configuration = _parts(name, TRIALS.path) or ("", "")
    return crate.add(
        f"#run/{suite}/{configuration}",
        "CreateAction",
        name=f"{configuration} on {suite}",
        instrument=software.get(configuration.partition("@")[0], workflow),
        description=f"every case of {suite} on {configuration}, as often as the configuration says",
        object=files.get(CASES.path.format(suite=suite), []),
        result=files[name],
    )


def _parts(name: str, pattern: str) -> tuple[str, str] | None:
    """The suite and the configuration of a file of trials; None for any other."""
    path, form = PurePosixPath(name), PurePosixPath(pattern)
    if len(path.parts) != len(form.parts) or path.parts[:2] != form.parts[:2] or path.suffix != form.suffix:
        return None
    return path.parts[2], path.stem


def _ran_elsewhere(name: str) -> str:
    """Who handed in a file of trials; empty for any other file."""
    parts = PurePosixPath(name).parts
    return parts[2] if parts[:2] == _HANDED_IN and len(parts) == len(PurePosixPath(HANDED_TRIALS).parts) else ""


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return name == path.as_posix() and _RESULTS in path.parents and ".." not in path.parts


def _date_of(root: Path, entries: Mapping[str, Row]) -> str:
    """When the last of the files was made, or what SOURCE_DATE_EPOCH says."""
    newest = max(((root / name).stat().st_mtime for name in entries if name.endswith(".parquet")), default=0.0)
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH") or newest)
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def _files(crate: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The files that a crate describes.

    Raises:
        UserError: where it is none, or has two entities of one id.
    """
    graph = crate.get("@graph")
    if not isinstance(graph, list) or not all(isinstance(e, dict) and isinstance(e.get("@id"), str) for e in graph):
        raise UserError(f"{CRATE_FILE.name}: not an RO-Crate; @graph must be a list of entities with an @id")
    if len({entity["@id"] for entity in graph}) < len(graph):
        raise UserError(f"{CRATE_FILE.name}: two entities have one @id")
    return [entity for entity in graph if entity.get("@type") == "File"]


def _place(entity: Mapping[str, Any]) -> str:
    return f"{_RESULTS}/{unquote(entity['@id'])}"
