"""The signature of a manifest, by `ssh-keygen -Y sign`: whose it is."""

import codecs
import os
import re
import subprocess
import tempfile
from pathlib import Path

from forgeteval.errors import UserError
from forgeteval.files import read_named

NAMESPACE = "lethe"
"""What `ssh-keygen -Y sign -n` is told, so that a signature for something else does not count."""
_TIMEOUT_S = 30


def signer_of(manifest: Path, signature: Path, signers: Path, by: str | None = None) -> str:
    """Who signed the manifest.

    Args:
        signature: what `ssh-keygen -Y sign` wrote.
        signers: the keys of those whose signature counts, as ssh-keygen(1) describes under ALLOWED SIGNERS.
        by: who is to have signed it: a name of the signers, or what stands before the @ of one.

    Raises:
        UserError: where nobody of them signed this manifest, or somebody else than `by` did.
    """
    for file in (signature, signers):
        if not file.is_file():
            raise UserError(f"signature: {file}: no such file, or a pipe or device; name another")
    text = read_named(signers)
    if text.startswith(codecs.BOM_UTF8):
        # To ssh-keygen it is the first letter of a name.
        raise UserError(f"signature: {signers}: begins with a byte order mark; save it as UTF-8 without one")
    known = _principals(manifest, signature, signers)
    if by is not None and not any(_is_of(name, by) for name in known):
        known = _on_lines_of(by, text, manifest, signature) or known
    named = next((name for name in known if by is None or _is_of(name, by)), None)
    if named is None:
        raise UserError(
            f"signature: of {', '.join(known)}, not of {by}, who hands in; `{signers}` says whose key is whose"
        )
    options = ("-s", str(signature), "-f", str(signers), "-I", named, "-n", NAMESPACE)
    _keygen(manifest, "verify", *options)
    return named


def _principals(manifest: Path, signature: Path, signers: Path) -> list[str]:
    """The names on the first line that has the key of the signature."""
    return _keygen(manifest, "find-principals", "-s", str(signature), "-f", str(signers)).split("\n")


def _on_lines_of(by: str, text: bytes, manifest: Path, signature: Path) -> list[str]:
    """The names on the first line with that key that has the name of `by`, since a key may stand on several lines."""
    lines = text.decode(errors="replace").splitlines()
    own = [
        line for line in lines if any(_is_of(name, by) for name in re.split(r"[\s,]", line.strip().replace('"', "")))
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "signers")
        path.write_text("\n".join(own), encoding="utf-8")
        try:
            return _principals(manifest, signature, path)
        except UserError:
            return []


def _is_of(principal: str, by: str) -> bool:
    return by.casefold() in (principal.casefold(), principal.casefold().partition("@")[0])


def sign(record: bytes, key: Path) -> bytes:
    """The signature of a text with a private key.

    Raises:
        UserError: where ssh-keygen cannot sign with it.
    """
    if not key.is_file():
        raise UserError(f"{key}: no such file, or a pipe or device; name another")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "record")
        path.write_bytes(record)
        _keygen(Path(os.devnull), "sign", "-q", "-f", str(key), "-n", NAMESPACE, str(path))
        return path.with_name("record.sig").read_bytes()


def _keygen(given: Path, *arguments: str) -> str:
    """What ssh-keygen says, with a file as its standard input."""
    try:
        with given.open("rb") as stream:
            done = subprocess.run(
                ["ssh-keygen", "-Y", *arguments],
                stdin=stream, capture_output=True, text=True, errors="replace", timeout=_TIMEOUT_S, check=False,
            )  # fmt: skip
    except FileNotFoundError as error:
        raise UserError("ssh-keygen is not on the PATH; it comes with OpenSSH") from error
    except subprocess.TimeoutExpired as error:
        raise UserError("ssh-keygen gave no answer") from error
    if done.returncode != 0:
        said = done.stderr or done.stdout or "no signature of a signer who counts"
        raise UserError(f"signature: {' '.join(said.split())}")
    return done.stdout.strip()
