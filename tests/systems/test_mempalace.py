"""MemPalace comes back to its unrelated rows by a copy of its palace."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.haystack import draw_haystack
from tests.support.bench import Bench, make_case, timeless
from tests.support.contract import python_in

pytestmark = pytest.mark.slow


def test_a_copied_palace_is_as_good_as_a_filled_one(tmp_path: Path) -> None:
    """Inscribing the unrelated rows as facts gives the same trials."""
    rows = draw_haystack(40, 1, [])
    facts = ("Alice rides a tandem", "Bob rides a unicycle")
    mutations = [("purge", "alice tandem"), ("supersede", "bob unicycle", "Bob rides a scooter")]
    cases = [make_case(f"c{number}", facts, "who rides", ["scooter"], ["tandem"], mutations) for number in range(2)]
    options: dict[str, Any] = {
        "policies": {"supersede": "best_match", "purge": "equal_text"},
        "python": python_in("mempalace"),
        "start_timeout_s": 120.0,
    }
    copied = Bench(tmp_path / "copied").run(cases, "mempalace", haystack=rows, **options)
    whole = [replace(case, setup_facts=(*rows, *facts)) for case in cases]
    filled = Bench(tmp_path / "filled").run(whole, "mempalace", **options)
    assert len(copied[0]["recalled"]) == 10
    assert {row["verdict"] for row in copied} == {"pass"}
    assert timeless(copied) == timeless(filled)
