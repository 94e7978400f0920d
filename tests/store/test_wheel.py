"""The wheel `lethe-store` in a new environment, with nothing else of this repository."""

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from email.parser import BytesParser
from pathlib import Path

import pytest

from lethe.store import __version__
from tests.support.paths import ROOT

MOST_DEPENDENCIES = 4
FIVE_LINES = """
from lethe.store import Store
store = Store("memory.db", key="lethe.key")
memory = store.inscribe("The spare key is at the bakery.")
print(store.recall("where is the spare key?", k=5)[0].text)
print(store.purge(memory).complete)
"""
Ran = Callable[..., str]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT / "lethe/store", check=True, capture_output=True)
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def run(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """Runs a program of a new environment that holds the wheel and what it asks for, in a folder of its own."""
    folder = tmp_path_factory.mktemp("elsewhere")
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}

    def act(program: str, *arguments: str, given: str = "") -> str:
        command = [str(folder / "venv/bin" / program), *arguments]
        done = subprocess.run(command, cwd=folder, env=own, input=given, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return str(done.stdout)

    uv = Path(sys.executable).with_name("uv")
    for given, read in (("PIP_INDEX_URL", "UV_DEFAULT_INDEX"), ("PIP_CERT", "SSL_CERT_FILE")):
        own |= {read: own[given]} if given in own else {}
    own["UV_SYSTEM_CERTS"] = "true"
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, folder / "venv"], check=True)
    command: list[str | Path] = [
        uv,
        "pip",
        "install",
        "--quiet",
        "--only-binary",
        ":all:",
        "--python",
        folder / "venv/bin/python",
        wheel,
    ]
    subprocess.run(command, env=own, check=True)
    return act


def test_it_holds_the_store_alone(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        metadata = BytesParser().parsebytes(packed.read(f"lethe_store-{__version__}.dist-info/METADATA"))
    assert {name for name in names if ".dist-info/" not in name and not name.startswith("lethe/store/")} == set()
    assert {"lethe/store/store.py", "lethe/store/schema.sql", "lethe/store/py.typed", "lethe/store/LICENSE"} <= {*names}
    assert len([name for name in metadata.get_all("Requires-Dist", []) if "extra ==" not in name]) <= MOST_DEPENDENCIES
    assert metadata["Version"] == __version__
    assert all("placeholder" in url for url in metadata.get_all("Project-URL", []))
    assert metadata.get_all("Classifier")


@pytest.mark.slow
def test_it_needs_nothing_else_of_this_repository(run: Ran) -> None:
    found = "import lethe, importlib.util as u; print(lethe.__file__, u.find_spec('forgeteval'), u.find_spec('torch'))"
    assert run("python", "-c", found).split() == ["None", "None", "None"]
    assert run("lethe", "--version").split() == ["lethe-store", __version__]
    for _ in range(2):
        assert run("python", "-c", FIVE_LINES).splitlines() == ["The spare key is at the bakery.", "True"]
    run("lethe", "inscribe", "m.db", "--key", "lethe.key", given="The spare key is at the bakery\nIt rains in Oslo\n")
    [best] = run("lethe", "recall", "m.db", "where is the spare key?", "-k", "1", "--json").splitlines()
    assert json.loads(best)["memory_id"] == 1
    run("lethe", "purge", "m.db", "--id", "1", "--key", "lethe.key", "--receipt", "receipt.json")
    assert "holds" in run("lethe", "verify", "receipt.json", "--public-key", run("lethe", "key", "lethe.key").strip())
