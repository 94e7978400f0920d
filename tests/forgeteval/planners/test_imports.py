"""The hook runs in third-party environments: it needs nothing that is not in the standard library."""

import subprocess
import sys

import pytest

from tests.support.paths import ROOT

BLOCKED = ("numpy", "pydantic", "httpx", "apsw", "openai", "pyarrow", "pandas", "yaml")


@pytest.mark.parametrize(
    "module",
    [
        "forgeteval.planners.protocol",
        "forgeteval.planners.llm.planner",
        "forgeteval.planners.llm.client",
        "forgeteval.planners.remote",
        "forgeteval.stores.hook",
    ],
)
def test_the_standard_library_is_enough(module: str) -> None:
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({BLOCKED!r})); import {module};"
        "foreign = {name.partition('.')[0] for name, found in sys.modules.items() if found} - sys.stdlib_module_names;"
        "print(sorted(foreign - {'__main__', 'forgeteval'}))"
    )
    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr
