"""Records of a YAML file, such as a category file of `suites/adversarial`."""

import re
import reprlib
from pathlib import Path
from typing import Any

import yaml

from forgeteval.errors import UserError
from forgeteval.files import read_file
from forgeteval.limits import MOST_YAML_VALUES
from forgeteval.yaml_data import UniqueKeys

_DEEPEST = 20
"""Lists and mappings in each other; a case has four."""
_CUT = re.compile(r"[ \t]+#\S")
"""What follows a text that YAML cuts: `Desk #4` without quotes is `Desk`. A comment mostly has a blank behind `#`."""


def read_records(path: Path) -> list[tuple[int, Any]]:
    """The records of a YAML file, each with the line on which it begins.

    Raises:
        UserError: where the file cannot be read or is not a list.
    """
    try:
        text = read_file(path).decode("utf-8-sig")
        _check_events(text)
        loader = UniqueKeys(text)
        node = loader.get_single_node()
        records = None if node is None else loader.construct_document(node)
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); give the path of a file of cases") from error
    except yaml.MarkedYAMLError as error:
        line = "" if error.problem_mark is None else f":{error.problem_mark.line + 1}"
        problem = " ".join(filter(None, (error.context, error.problem)))
        remedy = "write one list, with quotes around texts with signs"
        raise UserError(f"{path}{line}: not YAML as it is read here ({problem}); {remedy}") from error
    except (yaml.YAMLError, ValueError) as error:
        raise UserError(f"{path}: not YAML in UTF-8 ({' '.join(str(error).split())}); save it as UTF-8") from error
    if node is None or not isinstance(records, list):
        raise UserError(f"{path}: must be a list of cases")
    return [(item.start_mark.line + 1, record) for item, record in zip(node.value, records, strict=True)]


def name_of(record: Any) -> str:
    """What a record calls itself, for messages."""
    name = record.get("id", "without id") if isinstance(record, dict) else "not a mapping"
    return name if isinstance(name, str) else reprlib.repr(name)


def _check_events(text: str) -> None:
    """Refuse anchors, aliases, tags, texts that are cut, and what nests too deep, which ends the process in libyaml."""
    levels = values = 0
    for event in yaml.parse(text, Loader=UniqueKeys):
        if isinstance(event, yaml.CollectionEndEvent):
            levels -= 1
        elif isinstance(event, yaml.NodeEvent):
            problem = ""
            if event.anchor is not None or getattr(event, "tag", None) is not None:
                problem = "an anchor, alias or tag"
            elif levels == _DEEPEST:
                problem = f"more than {_DEEPEST} levels"
            elif (values := values + 1) > MOST_YAML_VALUES:
                problem = f"more than {MOST_YAML_VALUES:,} values; give several files"
            elif isinstance(event, yaml.ScalarEvent) and not event.style and _is_cut(text, event.end_mark):
                problem = "the rest of the line, from # on, is a comment"
            if problem:
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)  # type: ignore[arg-type]
            levels += isinstance(event, yaml.CollectionStartEvent)


def _is_cut(text: str, end: Any) -> bool:
    """Whether a text that ends at a mark goes on as a comment."""
    return _CUT.match(text, end.index) is not None
