"""Reader of written cases: a folder with one YAML file per category, such as `suites/adversarial`."""

import reprlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import yaml

from forgeteval.cases.case import Case
from forgeteval.cases.interchange import CaseError, case_from_json, require_unique_ids
from forgeteval.cases.twins import twin_from_json
from forgeteval.errors import UserError
from forgeteval.files import read_file
from forgeteval.json_records import unique_keys

_LONGEST_NUMBER = 100
"""Characters of a scalar that is no string."""
_DEEPEST = 20
"""Lists and mappings in each other; a case has four."""


def category_files(folder: Path) -> list[Path]:
    """The category files of a written suite, sorted by name.

    Raises:
        UserError: if the folder contains none.
    """
    files = sorted(folder.glob("*.yaml"))
    if not files:
        raise UserError(f"{folder}: contains no category file (CATEGORY.yaml); check `folder` of the suite")
    return files


Read = Callable[[Any, Path, str], Case]
"""Makes a case of a record, the file that it stands in, and its place."""


def read_written(suite: str, folder: Path) -> list[Case]:
    """All cases of a written suite, in the order of the category files.

    Raises:
        CaseError: for a malformed case, naming the file, the line and the case.
        UserError: if the folder contains no category file.
    """
    return _cases(folder, reader(suite))


def read_twins(suite: str, folder: Path, cases: Iterable[Case]) -> list[Case]:
    """All twins of a written suite of twins, in the order of the category files.

    Args:
        cases: those of the suite whose twins they are.

    Raises:
        CaseError: for a malformed twin, naming the file, the line and the twin.
        UserError: if the folder contains no category file.
    """
    return _cases(folder, reader(suite, cases))


def reader(suite: str, twins_of: Iterable[Case] | None = None) -> Read:
    """What makes a case of a record of a written suite, or a twin of one of `twins_of`; it raises CaseError."""
    by_id = None if twins_of is None else {case.case_id: case for case in twins_of}

    def read(record: Any, path: Path, where: str) -> Case:
        if by_id is not None:
            case = twin_from_json(record, suite, by_id, where)
        else:
            named = {"category": path.stem, **record} if isinstance(record, dict) else record
            case = case_from_json(named, suite, where)
        if case.category != path.stem:
            raise CaseError(where, "category", f"is in the file of {path.stem}; move the case")
        return case

    return read


def read_records(path: Path) -> list[tuple[int, Any]]:
    """The records of a category file, each with the line on which it begins.

    Raises:
        UserError: where the file cannot be read or is no list.
    """
    try:
        loader = _Loader(read_file(path).decode("utf-8"))
        node = loader.get_single_node()
        records = None if node is None else loader.construct_document(node)
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); check `folder` of the suite") from error
    except (yaml.YAMLError, ValueError) as error:
        problem = " ".join(str(error).split())
        raise UserError(f"{path}: not YAML in UTF-8 ({problem}); quote every string") from error
    if node is None or not isinstance(records, list):
        raise UserError(f"{path}: must be a list of cases")
    return [(item.start_mark.line + 1, record) for item, record in zip(node.value, records, strict=True)]


def name_of(record: Any) -> str:
    """What a record calls itself, for messages."""
    name = record.get("id", "without id") if isinstance(record, dict) else "not a mapping"
    return name if isinstance(name, str) else reprlib.repr(name)


def _cases(folder: Path, read: Read) -> list[Case]:
    places = [
        (where, read(record, path, where))
        for path in category_files(folder)
        for line, record in read_records(path)
        for where in [f"{path}:{line}: {name_of(record)}"]
    ]
    require_unique_ids((where, case.case_id) for where, case in places)
    return [case for _, case in places]


class _Loader(yaml.SafeLoader):
    """YAML that is as large as its file: without anchors, aliases, tags, endless numbers and keys given twice."""

    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if event.anchor is not None or event.tag is not None:
            raise yaml.MarkedYAMLError(problem="an anchor, alias or tag", problem_mark=event.start_mark)
        if self._depth == _DEEPEST:
            raise yaml.MarkedYAMLError(problem=f"more than {_DEEPEST} levels", problem_mark=event.start_mark)
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def compose_scalar_node(self, anchor: Any) -> yaml.ScalarNode:
        node = super().compose_scalar_node(anchor)
        if node.tag != "tag:yaml.org,2002:str" and len(node.value) > _LONGEST_NUMBER:
            raise yaml.MarkedYAMLError(problem="a number without end", problem_mark=node.start_mark)
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        unique_keys([(key.value, None) for key, _ in node.value if isinstance(key, yaml.ScalarNode)])
        return super().construct_mapping(node, deep)
