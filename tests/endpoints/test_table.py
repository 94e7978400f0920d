"""The table of docs/models.md has the behaviours that are played here, each once."""

import importlib
import re
from pathlib import Path

from tests.endpoints.table import PLAYED
from tests.support.paths import ROOT

HEADING = "## What endpoints do\n"


def test_each_row_is_played_and_each_behaviour_has_a_row() -> None:
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        importlib.import_module(f"{__package__}.{path.stem}")
    section = (ROOT / "docs" / "models.md").read_text(encoding="utf-8").partition(HEADING)[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (.+?) \| .+ \|$", section, re.MULTILINE)[1:]
    assert sorted(rows) == sorted(PLAYED)
    assert len(rows) >= 20
