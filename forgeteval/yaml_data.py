"""Reading YAML: the files that are part of the package, and those that people write.

Nearly every job reads some as it starts, and yaml.SafeLoader takes ten times as long as yaml.CSafeLoader.
"""

from pathlib import Path
from typing import Any

import yaml

from forgeteval.errors import UserError
from forgeteval.files import read_file
from forgeteval.limits import MOST_BYTES_OF_OTHERS

_MERGE = "tag:yaml.org,2002:merge"


def read_yaml_data(path: Path) -> Any:
    """What a data file of the package says."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


def read_yaml(path: Path) -> Any:
    """What a file says that people write, such as a configuration.

    Raises:
        UserError: where it cannot be read, is no YAML, or gives a key twice, of which YAML would take the last.
    """
    try:
        return yaml.load(read_file(path, MOST_BYTES_OF_OTHERS).decode("utf-8"), Loader=_UniqueKeys)
    except yaml.MarkedYAMLError as error:
        line = "" if error.problem_mark is None else f":{error.problem_mark.line + 1}"
        raise UserError(f"{path}{line}: not readable as YAML ({error.problem}); put that right") from error
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); name another file") from error
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise UserError(f"{path}: not readable as YAML ({reason:.200}); name another file") from error


class _UniqueKeys(yaml.CSafeLoader):
    """YAML in which no mapping gives a key twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set[str]()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != _MERGE:
                if key.value in seen:
                    problem = f"the key {key.value!r:.80} is given twice"
                    raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
                seen.add(key.value)
        return super().construct_mapping(node, deep)
