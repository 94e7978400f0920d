"""Our own suites as the package brings them: a line of JSON per written case, with nothing left to check.

`python -m release.suites` makes them of `suites/` and `config/suites.yaml`.
"""

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from forgeteval.cases.case import Case, Mutation
from forgeteval.cases.interchange import cases_sha256
from forgeteval.cases.states import FactState
from forgeteval.errors import UserError
from forgeteval.files import write_text

DATA_FILES = ("packaged_suites",)
_INDEX = "index.json"
_DEFAULTS = {field.name: field.default for field in fields(Case)}


@dataclass(frozen=True, slots=True)
class Packaged:
    """What is known of a suite without reading it.

    Attributes:
        version: see `forgeteval.cases.errata`; 0 for a generated suite.
        cases: how many there are.
        sha256: of what they say; see `forgeteval.cases.interchange.cases_sha256`.
        template: parameters of the generator of the template suite; None for a written suite.
    """

    name: str
    label: str
    version: int
    cases: int
    sha256: str
    template: Mapping[str, int] | None = None


@functools.cache
def packaged_suites() -> Mapping[str, Packaged]:
    """The suites by name, in the order of the configuration."""
    found = json.loads((_folder() / _INDEX).read_text(encoding="utf-8"))
    return {entry["name"]: Packaged(**entry) for entry in found}


def read_packaged(name: str) -> list[Case]:
    """The cases of one of `packaged_suites`.

    Raises:
        UserError: where they are not those that the package was made with.
    """
    entry = packaged_suites()[name]
    cases = _written(name) if entry.template is None else _generated(name, entry.template)
    if cases_sha256(cases) != entry.sha256:
        raise UserError(f"suite {name}: not the cases that the package was made with; install forgeteval again")
    return cases


def write_packaged(folder: Path, suites: Sequence[tuple[Packaged, Sequence[Case]]]) -> None:
    """Write the written suites, and an index that names all of them; remove what else there is."""
    texts = {f"{entry.name}.jsonl": "".join(map(_line, cases)) for entry, cases in suites if entry.template is None}
    texts[_INDEX] = json.dumps([asdict(entry) for entry, _ in suites], indent=1) + "\n"
    for name, text in texts.items():
        write_text(folder / name, text)
    for path in folder.iterdir():
        if path.name not in texts:
            path.unlink()


def _folder() -> Path:
    return Path(__file__).with_name(DATA_FILES[0])


def _written(name: str) -> list[Case]:
    lines = (_folder() / f"{name}.jsonl").read_text(encoding="utf-8").split("\n")
    return [_case(name, json.loads(line)) for line in lines if line]


def _generated(name: str, parameters: Mapping[str, int]) -> list[Case]:
    # Takes as long to import as the suite to generate; no other suite needs it.
    from forgeteval.cases.template.suite import generate_template_suite

    return generate_template_suite(name, **parameters)


def _line(case: Case) -> str:
    """The fields that are not as they would be by themselves, but for the suite."""
    said = {name: value for name, value in asdict(case).items() if name != "suite" and value != _DEFAULTS[name]}
    said["mutations"] = [mutation.to_json() for mutation in case.mutations]
    if case.states is not None:
        said["states"] = [[state.fact, state.state, state.any_of] for state in case.states]
    return json.dumps(said, ensure_ascii=False) + "\n"


def _case(suite: str, said: dict[str, Any]) -> Case:
    given: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in said.items()}
    given["mutations"] = tuple(Mutation(*mutation) for mutation in said["mutations"])
    if "states" in said:
        given["states"] = tuple(FactState(fact, state, tuple(any_of)) for fact, state, any_of in said["states"])
    if "owners" in said:
        given["owners"] = tuple(map(tuple, said["owners"]))
    return Case(suite=suite, **given)
