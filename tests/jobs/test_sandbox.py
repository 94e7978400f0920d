"""What is not trusted runs in a sandbox: it writes in its own folder, reads no case, and reaches nobody."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from forgeteval.errors import UserError
from tests.support.bench import Bench, make_case
from tests.support.paths import ROOT

TRIES = """
import json, os, socket, subprocess, sys
outside, port, here = sys.argv[1], int(sys.argv[2]), sys.argv[3]
tried = {}
def attempt(name, call):
    try:
        call()
        tried[name] = "done"
    except OSError as error:
        tried[name] = "refused"
attempt("write here", lambda: open(os.path.join(here, "mine"), "w").close())
attempt("write outside", lambda: open(os.path.join(outside, "yours"), "w").close())
attempt("read outside", lambda: open(os.path.join(outside, "key")).read())
attempt("read a case", lambda: open("suites/adversarial/substring_trap.yaml").read())
attempt("read the code", lambda: open("lethe/__init__.py").read())
attempt("reach this machine", lambda: socket.create_connection(("127.0.0.1", port), 5))
attempt("send away", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 53)))
attempt("talk to itself", lambda: socket.create_server(("127.0.0.1", 0)).close())
child = f"open({os.path.join(outside, 'childs')!r}, 'w')"
tried["write outside by a child"] = "refused" if subprocess.run([sys.executable, "-c", child]).returncode else "done"
print(json.dumps(tried))
"""


def test_a_sandbox_leaves_its_own_folder_and_nothing_else(tmp_path: Path) -> None:
    outside, here = tmp_path / "outside", tmp_path / "here"
    outside.mkdir()
    here.mkdir()
    (outside / "key").write_text("secret", encoding="utf-8")
    (here / "tries.py").write_text(TRIES, encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as server:
        arguments = [str(outside), str(server.getsockname()[1]), str(here)]
        program = [sys.executable, str(here / "tries.py"), *arguments]
        done = subprocess.run(
            [sys.executable, "-m", "lethe.jobs.sandbox", str(here), *program],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    if "cannot be confined here" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "write here": "done",
        "write outside": "refused",
        "read outside": "refused",
        "read a case": "refused",
        "read the code": "done",
        "reach this machine": "refused",
        "send away": "refused",
        "talk to itself": "done",
        "write outside by a child": "refused",
    }
    assert sorted(path.name for path in outside.iterdir()) == ["key"]


def test_a_system_of_the_atlas_runs_in_it(tmp_path: Path) -> None:
    case = make_case("c", ["a fact"], "fact", ["fact"])
    try:
        [trial] = Bench(tmp_path / "ours").run([case], "naive_sql", environment="atlas-shelf")
    except UserError as error:
        if "cannot be confined here" not in str(error):
            raise
        pytest.skip(str(error))
    assert trial["verdict"] == "pass"
    # What stands beside the packages' code, as this module does, it cannot read.
    assert Bench(tmp_path / "trusted").run([case])[0]["verdict"] == "pass"
    with pytest.raises(UserError, match="tests"):
        Bench(tmp_path / "not trusted").run([case], environment="atlas-shelf")
