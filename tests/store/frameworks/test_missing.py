"""An adapter whose framework is not installed says how to install it."""

import subprocess
import sys
import tomllib

import pytest

from tests.support.paths import ROOT

EXTRAS = tomllib.loads((ROOT / "lethe/store/pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = EXTRAS["optional-dependencies"]
ADAPTERS = {
    "crewai": "crewai",
    "langchain": "langchain_core",
    "langgraph": "langgraph",
    "llama_index": "llama_index",
    "openai_agents": "agents",
}
"""The module that each adapter needs first."""
PROGRAM = """
import sys

for name in {lacking!r}:
    sys.modules[name] = None
try:
    import lethe.store.{adapter}
except ImportError as error:
    print(error.name, error, sep="|")
"""


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_an_adapter_without_its_framework_names_what_installs_it(adapter: str) -> None:
    lacking = [*ADAPTERS.values()]
    program = PROGRAM.format(lacking=lacking, adapter=adapter)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
    )
    name, _, said = done.stdout.strip().partition("|")
    (requirement,) = EXTRAS[adapter.replace("_", "-")]
    assert name.split(".")[0] == ADAPTERS[adapter]
    assert said.endswith(f'; run pip install "{requirement}"'), said
    assert "\n" not in said
