"""The extras of the workflow's environment: what they lack is told, and their locks fit together."""

import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from forgeteval.errors import UserError
from lethe import installed
from lethe.installed import MODULES, reason_lacking, require
from tests.support.paths import ROOT

DEFAULT = ROOT / "envs" / "pipeline.lock"
EXTRAS = sorted((ROOT / "envs" / "extras").glob("*.lock"))
BESIDE = [ROOT / "envs" / "kubernetes.lock", ROOT / "envs" / "slurm.lock"]
MOST_PACKAGES = 98
"""On Linux, with which the two packages of this project make 100."""


def _pins(lock: Path) -> dict[str, set[str]]:
    """The versions of each package that a lock lists, with the markers that say where which is installed."""
    found = defaultdict(set)
    for line in lock.read_text(encoding="utf-8").splitlines():
        if match := re.match(r"([\w.-]+)==(.+?) \\$", line):
            found[match[1]].add(match[2])
    return dict(found)


def test_an_extra_that_is_not_installed_is_told_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [reason_lacking(extra) for extra in MODULES] == [""] * len(MODULES)
    require("matcher", "lethe+matcher")
    monkeypatch.setattr(installed, "MODULES", {"matcher": "no_such_module"})
    assert reason_lacking("matcher") == "needs the extra matcher (make env-all)"
    with pytest.raises(UserError) as caught:
        require("matcher", "lethe+matcher")
    assert str(caught.value) == "lethe+matcher: needs the extra matcher (make env-all)"


def test_looking_for_an_extra_imports_nothing() -> None:
    look = (
        "import sys; from lethe.installed import MODULES, reason_lacking; [reason_lacking(extra) for extra in MODULES]"
    )
    program = f"{look}; print(*sorted(set(MODULES.values()) & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "\n"


def test_each_extra_has_a_module_that_its_lock_alone_brings() -> None:
    assert MODULES.keys() <= {lock.stem for lock in EXTRAS}
    for extra, module in MODULES.items():
        assert [lock.stem for lock in (DEFAULT, *EXTRAS) if module in _pins(lock)] == [extra]


def test_the_locks_that_are_installed_together_pin_no_package_in_two_versions() -> None:
    pinned: dict[str, set[str]] = {}
    for lock in (DEFAULT, *EXTRAS, *BESIDE):
        for name, versions in _pins(lock).items():
            assert pinned.setdefault(name, versions) == versions, f"{lock.name}: {name}"


def test_the_default_environment_stays_small() -> None:
    elsewhere = {name for name, pins in _pins(DEFAULT).items() if any("== 'win32'" in pin for pin in pins)}
    always = {name for name, pins in _pins(DEFAULT).items() if not any("sys_platform" in pin for pin in pins)}
    assert len(always | {"greenlet"}) <= MOST_PACKAGES and len(elsewhere) < 4


@pytest.mark.parametrize("lock", [DEFAULT, *EXTRAS], ids=lambda lock: lock.stem)
def test_a_lock_names_no_index_and_no_place_of_a_machine(lock: Path) -> None:
    text = lock.read_text(encoding="utf-8")
    entries = re.sub(r"^ *#.*", "", text, flags=re.MULTILINE)
    assert set(re.findall(r"(?:^|\s)(-[\w-]+)", entries)) <= {"--hash"} and "//" not in text
    assert not re.search(r"(^|[\s=])/\w", text, re.MULTILINE)
    assert all("--hash=sha256:" in entry for entry in re.split(r"\n(?=\w)", text) if "==" in entry.split("\n")[0])
