"""Reading YAML: the files that are part of the package, and those that people write.

Nearly every job reads some as it starts, and PyYAML's own loader takes ten times as long as libyaml's, which not every
machine has.
"""

import reprlib
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from forgeteval.errors import UserError
from forgeteval.files import read_file
from forgeteval.limits import DEEPEST, MOST_BYTES_OF_OTHERS, MOST_YAML_VALUES

try:
    from yaml import CSafeLoader as SafeLoader
except ImportError:
    from yaml import SafeLoader  # type: ignore[assignment]

_TAG = "tag:yaml.org,2002:"
_MERGE = f"{_TAG}merge"
_LONGEST_NUMBER = 300
"""Letters of a number: of base 60 it takes time with their square, and Python shows none of more than 4,300 digits."""


def read_yaml_data(path: Path) -> Any:
    """What a data file of the package says."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=SafeLoader)


def read_yaml(path: Path) -> Any:
    """What a file says that people write, such as a configuration.

    Raises:
        UserError: where it cannot be read, is not YAML, gives a key twice, of which YAML would take the last, or holds
            more than `DEEPEST` and `MOST_YAML_VALUES` allow.
    """
    try:
        text = read_file(path, MOST_BYTES_OF_OTHERS).decode("utf-8")
        _check_size(text)
        return yaml.load(text, Loader=UniqueKeys)
    except yaml.MarkedYAMLError as error:
        line = "" if error.problem_mark is None else f":{error.problem_mark.line + 1}"
        raise UserError(f"{path}{line}: not readable as YAML ({error.problem}); put that right") from error
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); name another file") from error
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise UserError(f"{path}: not readable as YAML ({reason:.200}); name another file") from error


def _check_size(text: str) -> None:
    """Refuse what nests too deep, which ends the process in libyaml, and aliases that stand for too much."""
    open_ones: list[tuple[str | None, int]] = [(None, 0)]
    sizes = dict[str | None, int]()
    for event in yaml.parse(text, Loader=SafeLoader):
        size = 0
        if isinstance(event, yaml.CollectionStartEvent):
            open_ones.append((event.anchor, 0))
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, inner = open_ones.pop()
            size = 1 + inner
            if anchor is not None:
                sizes[anchor] = size
        elif isinstance(event, yaml.AliasEvent) and event.anchor in {anchor for anchor, _ in open_ones}:
            inside = f"*{event.anchor} stands inside of what it names"
            raise yaml.MarkedYAMLError(problem=inside, problem_mark=event.start_mark)  # type: ignore[arg-type]
        elif isinstance(event, yaml.NodeEvent):
            size = sizes.get(event.anchor, 1) if isinstance(event, yaml.AliasEvent) else 1
        anchor, inner = open_ones[-1]
        open_ones[-1] = anchor, inner + size
        problem = _too_much(len(open_ones), inner + size)
        if problem:
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)  # type: ignore[arg-type]


def _too_much(levels: int, values: int) -> str:
    if levels > DEEPEST:
        return f"more than {DEEPEST} levels"
    if values > MOST_YAML_VALUES:
        return f"more than {MOST_YAML_VALUES:,} values, those of aliases counted each time"
    return ""


class UniqueKeys(SafeLoader):
    """YAML in which no mapping gives a key twice, and no number is endless."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        if not isinstance(node, yaml.MappingNode):
            raise yaml.MarkedYAMLError(problem="no mapping, as its tag says", problem_mark=node.start_mark)
        seen = set[Any]()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                found = _MERGE if key.tag == _MERGE else self.construct_object(key)
                if not isinstance(found, Hashable):
                    # A tag makes a set of it; PyYAML refuses that.
                    continue
                if found in seen:
                    problem = f"the key {key.value!r:.80} is given twice"
                    raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
                seen.add(found)
        return super().construct_mapping(node, deep)


def _construct(loader: SafeLoader, node: yaml.Node) -> Any:
    """The value of a number, a truth value or a time, which a tag may say of any text."""
    kind = node.tag.removeprefix(_TAG)
    shown = reprlib.repr(node.value)
    if len(node.value) > _LONGEST_NUMBER:
        problem = f"{shown} is longer than {_LONGEST_NUMBER} letters, as {kind}"
        raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)
    try:
        return getattr(SafeLoader, f"construct_yaml_{kind}")(loader, node)
    except (ArithmeticError, AttributeError, LookupError, ValueError) as error:
        problem = f"{shown} cannot be read as {kind}"
        raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark) from error


for _kind in ("bool", "float", "int", "timestamp"):
    UniqueKeys.add_constructor(f"{_TAG}{_kind}", _construct)
