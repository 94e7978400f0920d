"""What the standalone verifier says of a receipt."""

from pathlib import Path

import pytest

from lethe.store import PurgeReceipt, verifier


def refused(receipt: PurgeReceipt | str, public_key: str, *proof: Path | str | None) -> str:
    """Why a receipt is refused."""
    text = receipt if isinstance(receipt, str) else receipt.to_json()
    with pytest.raises(verifier.Refused) as caught:
        verifier.verify(text, public_key, *proof)
    return str(caught.value)
