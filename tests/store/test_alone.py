"""The store without the rest of the project's packages: the packages that its project declares for it are enough."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.support.paths import ROOT

OF_ITS_COMMAND = {"typer"}
DECLARED = tomllib.loads((ROOT / "lethe/store/pyproject.toml").read_text())["project"]["dependencies"]
ALLOWED = {re.split(r"[<>=]", name)[0] for name in DECLARED} - OF_ITS_COMMAND
PROGRAM = """
import sys

ALLOWED = {allowed!r} | {{"lethe", "cffi", "_cffi_backend"}}  # cryptography brings the last two


class Refusing:
    def find_spec(self, name, path=None, target=None):
        top = name.split(".")[0]
        if top not in sys.stdlib_module_names and top not in ALLOWED:
            raise ModuleNotFoundError(f"{{name}} is not declared for the store")


sys.meta_path.insert(0, Refusing())
import numpy as np
import lethe.store.documents, lethe.store.graph, lethe.store.importing
from lethe.store import Store


def embed(texts):
    vectors = np.array([[len(text), text.count("a") + 1] for text in texts], dtype=np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


with Store(embed=embed, dim=2) as store:
    store.inscribe_many(["alpha", "beta"])
    assert store.recall("alpha", 1)[0].text == "alpha"
    assert store.verify(store.purge(1))
assert "cryptography" not in sys.modules, "only a key needs it"
from lethe.store import make_key, verifier

key = make_key("key")
with Store("memories.db", embed=embed, dim=2, key=key) as store:
    store.inscribe("alpha")
    receipt = store.purge(1, stay_forgotten=True)
verifier.verify(receipt.to_json(), key.public.hex(), "memories.db")
print("done")
"""


def test_the_store_needs_what_its_extra_names_and_no_more(tmp_path: Path) -> None:
    assert {"apsw", "cryptography", "numpy"} == ALLOWED
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(allowed=ALLOWED)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "done\n", done.stderr
