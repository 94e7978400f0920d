"""Building an environment runs nothing of what is put into it; the sandbox confines what its interpreter runs."""

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from forgeteval.errors import UserError
from lethe.environments.build import build_environment, interpreter
from lethe.environments.extras import run_or_say
from tests.support.sandboxed import sandboxed

INFO = "shelf-1.0.dist-info"


@pytest.fixture
def ran(tmp_path: Path) -> Path:
    """A file that the package `shelf` writes to whenever an interpreter is started beside it; not there yet."""
    return tmp_path / "ran"


@pytest.fixture
def lock(tmp_path: Path, ran: Path) -> Path:
    """A lock with that package."""
    wheel = tmp_path / "shelf-1.0-py3-none-any.whl"
    files = {
        "shelf.pth": f"import sys; open({str(ran)!r}, 'a').write(' '.join(sys.orig_argv))\n",
        f"{INFO}/METADATA": "Metadata-Version: 2.1\nName: shelf\nVersion: 1.0\n",
        f"{INFO}/WHEEL": "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},,\n" for name in (*files, f"{INFO}/RECORD"))
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in {**files, f"{INFO}/RECORD": record}.items():
            archive.writestr(name, text)
    made = tmp_path / "shelf.lock"
    checksum = hashlib.sha256(wheel.read_bytes()).hexdigest()
    made.write_text(f"shelf @ {wheel.as_uri()} --hash=sha256:{checksum}\n", encoding="utf-8")
    return made


@pytest.mark.parametrize("setting", ["UV_NO_CACHE", "UV_COMPILE_BYTECODE"])
def test_building_starts_no_interpreter_among_foreign_packages(
    lock: Path, ran: Path, tmp_path: Path, setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(setting, "1")
    for _ in range(2):
        build_environment(lock, tmp_path / "shelf", tmp_path / "freeze.txt")
    assert (tmp_path / "freeze.txt").read_text(encoding="utf-8").startswith("shelf @ file:///")
    assert not ran.exists(), ran.read_text(encoding="utf-8")


def test_nothing_but_an_environment_gives_way_to_one(lock: Path, tmp_path: Path) -> None:
    (tmp_path / "shelf").mkdir()
    (tmp_path / "shelf/notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UserError, match="shelf: holds no environment, and something else; move it"):
        build_environment(lock, tmp_path / "shelf", tmp_path / "freeze.txt")
    assert (tmp_path / "shelf/notes.txt").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    "line", ["-i http://127.0.0.1:1/simple", "-f folder", "shelf @ https://127.0.0.1:1/shelf.whl", "-e ."]
)
def test_a_lock_names_no_place_that_packages_come_from(lock: Path, tmp_path: Path, line: str) -> None:
    lock.write_text(f"{line}\n{lock.read_text(encoding='utf-8')}", encoding="utf-8")
    with pytest.raises(UserError, match=r"shelf\.lock:1: .*a lock names packages with hashes"):
        build_environment(lock, tmp_path / "shelf", tmp_path / "freeze.txt")
    assert not (tmp_path / "shelf").exists()


def test_what_builds_sees_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://index.example")
    told = run_or_say([sys.executable, "-c", "import os; print(sorted(os.environ))"], Path("here"))
    assert "UV_DEFAULT_INDEX" in told and "OPENAI_API_KEY" not in told


def test_an_interpreter_among_foreign_packages_is_confined_before_it_starts(
    lock: Path, ran: Path, tmp_path: Path
) -> None:
    build_environment(lock, tmp_path / "shelf", tmp_path / "freeze.txt")
    home = tmp_path / "home"
    home.mkdir()
    program = [str(interpreter(tmp_path, "shelf")), "-c", "print('started')"]
    done = sandboxed(home, program)
    assert "started" in done.stdout and "Read-only file system" in done.stderr
    assert not ran.exists()
    subprocess.run(program, check=True, capture_output=True)
    assert ran.exists(), "outside of the sandbox it runs"
