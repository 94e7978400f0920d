"""Reading the YAML files that are part of the package.

Nearly every job reads some as it starts, and yaml.SafeLoader takes ten times as long.
"""

from pathlib import Path
from typing import Any

import yaml


def read_yaml_data(path: Path) -> Any:
    """What a data file of the package says."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
