"""examples/langgraph_agent.py: an agent remembers, supersedes and forgets with a receipt, over two processes."""

import subprocess
import sys
from pathlib import Path

from lethe.store import read_key, verifier
from tests.support.agents import held, package
from tests.support.paths import ROOT

package("langgraph")


def said(file: Path, day: str) -> list[str]:
    command = [sys.executable, str(ROOT / "examples" / "langgraph_agent.py"), str(file), day]
    done = subprocess.run(command, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_an_agent_remembers_supersedes_and_forgets_with_a_receipt_over_two_processes(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    assert said(file, "monday") == ["remembered: Ines likes tea.", "remembered: Ines likes coffee.", "Noted."]
    assert held(file, "likes tea", "likes coffee") == ["likes tea", "likes coffee"]
    known, receipt, after, last = said(file, "tuesday")
    assert (known, after, last) == ("Ines likes coffee.", "nothing", "Forgotten.")
    assert held(file, "likes tea", "likes coffee", "drink", "ines") == []
    assert said(file, "tuesday") == ["nothing", "nothing was stored under drink", "nothing", "Forgotten."]
    (tmp_path / "receipt.json").write_text(receipt, encoding="utf-8")
    public = read_key(f"{file}.key").public.hex()
    checked = [sys.executable, str(Path(verifier.__file__)), str(tmp_path / "receipt.json"), public, str(file)]
    assert subprocess.run(checked, capture_output=True, check=False).returncode == 0
