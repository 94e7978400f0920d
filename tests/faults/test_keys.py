"""API keys: which processes could read them from those above them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from forgeteval.errors import UserError
from lethe.config.keys import drop_keys, key_variables
from lethe.config.model import Model
from lethe.environments.extras import run_or_say
from tests.support.bench import Bench, make_case
from tests.support.paths import ROOT

KEY = "LETHE_TEST_KEY"
RUN = f"""
import sys
from pathlib import Path
from lethe.environments.extras import run_or_say
from tests.support.bench import Bench, make_case
from tests.support.misbehaving import PRYING, pry
by_whoever_runs_it = pry({KEY!r})
rows = Bench(Path(sys.argv[1])).run([make_case("c", ["a fact"], {KEY!r})], "Prying", keys=[{KEY!r}])
by_a_build = run_or_say([sys.executable, "-c", PRYING, {KEY!r}], Path("envs/some.lock"), env={{}})
print(len(by_whoever_runs_it), rows[0]["recalled"], rows[0]["error"], by_a_build.split())
"""


def test_neither_a_system_nor_a_build_can_read_the_key_of_a_process_above_it(tmp_path: Path) -> None:
    environment = os.environ | {KEY: "sk-secret", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(tmp_path)], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split(maxsplit=1) == ["1", "[] None []\n"]


def test_a_system_starts_beside_a_key_only_where_it_cannot_read_it(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interpreter is a script that takes Landlock away, as an old kernel does."""
    broken = tmp_path / "no_landlock"
    broken.mkdir()
    interpreter = broken / "python"
    interpreter.write_text(
        f"""#!{sys.executable}
import os, sys
source = (
    "import forgeteval.run.confinement as c; c.confine = lambda: 'no Landlock here'; import sys; "
    "sys.argv = ['worker', *sys.argv[1:]]; import lethe.jobs.worker as w; w.main()"
)
os.execv({sys.executable!r}, [{sys.executable!r}, "-c", source, *sys.argv[3:]])
""",
        encoding="utf-8",
    )
    interpreter.chmod(0o755)
    case = make_case("c", ["a fact"], "fact", ["fact"])
    assert bench.run([case], python=interpreter)[0]["verdict"] == "pass"
    with pytest.raises(UserError, match=f"it could read the API key in {KEY}: no Landlock here; unset it"):
        Bench(tmp_path / "with a key").run([case], python=interpreter, keys=[KEY])


def test_the_keys_of_all_models_are_known_and_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "sk-secret")
    named = {"a": KEY, "b": "LETHE_TEST_UNSET", "c": None, "d": KEY}
    models = {name: Model(family="f", api_key_env=variable) for name, variable in named.items()}
    assert key_variables(models) == [KEY]
    drop_keys(models)
    assert KEY not in os.environ
    assert run_or_say([sys.executable, "-c", f"import os; print(os.environ.get({KEY!r}))"], Path("x")) == "None\n"
