"""How tests are shared between processes (`pytest --numprocesses logical`)."""

import pytest
from xdist.scheduler import LoadScopeScheduling

WORKFLOW = ("tests/workflow/",)
"""Tests that run the workflow, which locks its folder."""
ENVIRONMENTS = ("tests/systems/", "tests/serving/", "tests/embedding/", "tests/forgeteval/examples/")
"""Tests that build environments of systems; what the twin of the workflow builds, they wait for."""
WHEEL = ("tests/forgeteval/wheel/",)
"""Tests in environments that take long to build, one for each Python."""
TOGETHER = (WORKFLOW, ENVIRONMENTS, WHEEL)
TWIN = "tests/workflow/test_twin.py"
WAITING = "tests/cluster/"
"""Tests that mostly wait, so that they begin beside those that use every core."""
LONG = ("tests/store/test_machine.py", "tests/test_fingerprints.py", "tests/test_style.py")
"""Files that take long without a test marked slow. They, and files with one, come first, so that none is left for the
end."""


class Distribution(LoadScopeScheduling):
    """Sends the tests of a file to one process, and those of all files of each of `TOGETHER` to one."""

    def _split_scope(self, nodeid: str) -> str:
        return next((folders[0] for folders in TOGETHER if nodeid.startswith(folders)), file_of(nodeid))


def file_of(nodeid: str) -> str:
    return nodeid.partition("::")[0]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    long = {*LONG, *(file_of(item.nodeid) for item in items if item.get_closest_marker("slow"))}

    def late(item: pytest.Item) -> tuple[bool, ...]:
        file = file_of(item.nodeid)
        first = (file == TWIN, file.startswith(WORKFLOW), file.startswith(WAITING), file.startswith(ENVIRONMENTS))
        return tuple(not found for found in (*first, file in long))

    items.sort(key=late)


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Distribution:
    config.option.loadscopereorder = False
    return Distribution(config, log)
