"""The signature of a manifest: whose it is, and of which manifest."""

import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from forgeteval.errors import UserError
from lethe.trust.folder import MANIFEST_FILE, SIGNATURE_FILE
from lethe.trust.signature import NAMESPACE, signer_of
from tests.support.commands import app

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
AUTHOR = "author@example.org"


def sign(key: Path, manifest: Path, namespace: str = NAMESPACE) -> Path:
    """Sign as the documentation says; the signature stands beside the manifest."""
    signature = manifest.with_name(f"{manifest.name}.sig")
    signature.unlink(missing_ok=True)
    subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", namespace, manifest], check=True)
    return signature


@pytest.fixture
def keys(tmp_path: Path) -> tuple[Path, Path]:
    """A key, and the file of those whose signature counts."""
    key, signers = tmp_path / "key", tmp_path / "signers"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key], check=True)
    signers.write_text(f"{AUTHOR} {key.with_suffix('.pub').read_text(encoding='utf-8')}", encoding="utf-8")
    return key, signers


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    path = tmp_path / "manifest.parquet"
    path.write_bytes(b"the manifest")
    return path


def test_the_signer_is_named(manifest: Path, keys: tuple[Path, Path]) -> None:
    key, signers = keys
    assert signer_of(manifest, sign(key, manifest), signers) == AUTHOR


def test_a_changed_manifest_is_not_signed(manifest: Path, keys: tuple[Path, Path]) -> None:
    key, signers = keys
    signature = sign(key, manifest)
    manifest.write_bytes(b"another manifest")
    with pytest.raises(UserError, match="signature: "):
        signer_of(manifest, signature, signers)


def test_a_signature_for_something_else_does_not_count(manifest: Path, keys: tuple[Path, Path]) -> None:
    key, signers = keys
    with pytest.raises(UserError, match="signature: "):
        signer_of(manifest, sign(key, manifest, "git"), signers)


def test_somebody_elses_signature_does_not_count(manifest: Path, keys: tuple[Path, Path], tmp_path: Path) -> None:
    other = tmp_path / "other"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", other], check=True)
    with pytest.raises(UserError, match="signature: "):
        signer_of(manifest, sign(other, manifest), keys[1])


def test_what_is_no_signature_does_not_count(manifest: Path, keys: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "none.sig").write_text("no signature", encoding="utf-8")
    with pytest.raises(UserError, match="signature: "):
        signer_of(manifest, tmp_path / "none.sig", keys[1])


def test_the_command_checks_it(bundle: Path, keys: tuple[Path, Path]) -> None:
    key, signers = keys
    sign(key, bundle / MANIFEST_FILE)
    done = CliRunner().invoke(app, ["audit", str(bundle), "--signers", str(signers)])
    assert done.exit_code == 0, done.output
    assert f"signature: of {AUTHOR}" in done.output
    (bundle / SIGNATURE_FILE).unlink()
    done = CliRunner().invoke(app, ["audit", str(bundle), "--signers", str(signers)])
    assert done.exit_code == 1 and "signature: " in done.output
