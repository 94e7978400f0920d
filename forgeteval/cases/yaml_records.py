"""Records of a YAML file, such as a category file of `suites/adversarial`."""

import reprlib
from pathlib import Path
from typing import Any

import yaml

from forgeteval.errors import UserError
from forgeteval.files import read_file
from forgeteval.json_records import unique_keys

_LONGEST_NUMBER = 100
"""Characters of a scalar that is not a string."""
_DEEPEST = 20
"""Lists and mappings in each other; a case has four."""


def read_records(path: Path) -> list[tuple[int, Any]]:
    """The records of a YAML file, each with the line on which it begins.

    Raises:
        UserError: where the file cannot be read or is not a list.
    """
    try:
        loader = _Loader(read_file(path).decode("utf-8"))
        node = loader.get_single_node()
        records = None if node is None else loader.construct_document(node)
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); give the path of a file of cases") from error
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
