"""`forgeteval audit`: what somebody handed on, checked."""

from pathlib import Path
from typing import Annotated

import typer

from forgeteval.cli.printing import show
from forgeteval.errors import UserError, one_line


def audit(
    folder: Annotated[
        Path, typer.Argument(help="folder that contains results/, and paper_tables/ and figures/ if given")
    ] = Path(),
    signature: Annotated[
        Path | None,
        typer.Option(help="signature of the manifest; by default results/manifest.parquet.sig of the folder"),
    ] = None,
    signers: Annotated[
        Path | None, typer.Option(help="keys of those whose signature counts: an allowed_signers file of ssh-keygen")
    ] = None,
) -> None:
    """Check results against their manifest, and compute again what follows from the texts that were recalled."""
    from lethe.trust.check import audit_apart
    from lethe.trust.folder import MANIFEST_FILE, SIGNATURE_FILE
    from lethe.trust.signature import signer_of

    found = audit_apart(folder)
    signed = []
    if signature is not None and signers is None:
        found.findings.append("signature: not checked; --signers FILE says whose counts")
    if signers is not None:
        try:
            signer = signer_of(folder / MANIFEST_FILE, signature or folder / SIGNATURE_FILE, signers)
            signed.append(f"signature: of {signer}")
        except UserError as error:
            found.findings.append(str(error))
    counted = ", ".join(f"{number} {what}" for what, number in found.checked.items())
    for line in [
        f"{len(found.findings)} findings",
        *(found.versions.other_code() if found.versions else []),
        *found.findings,
        f"{counted} checked",
        *(f"taken as handed on: {line}" for line in found.taken),
        *(found.versions.lines() if found.versions else []),
        f"manifest: SHA-256 {found.manifest}",
        *signed,
    ]:
        show(one_line(line))
    if found.findings:
        raise typer.Exit(1)
