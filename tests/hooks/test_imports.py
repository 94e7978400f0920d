"""The hook runs in third-party environments: it needs nothing that is not in the standard library."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCKED = ("numpy", "pydantic", "httpx", "apsw", "openai", "pyarrow", "pandas", "yaml")


@pytest.mark.parametrize(
    "module",
    ["lethe.hooks.planner", "lethe.hooks.llm", "lethe.hooks.client", "lethe.hooks.remote", "lethe.systems.hooked"],
)
def test_the_standard_library_is_enough(module: str) -> None:
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({BLOCKED!r})); import {module};"
        "foreign = {name.partition('.')[0] for name, found in sys.modules.items() if found} - sys.stdlib_module_names;"
        "print(sorted(foreign - {'__main__', 'lethe'}))"
    )
    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr
