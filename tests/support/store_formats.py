"""Files of stores as each format had them, with a receipt of each."""

import gzip
from pathlib import Path

from tests.support.paths import ROOT

GOLDEN = ROOT / "tests/store/golden"


def unpack(name: str, path: Path) -> None:
    """Write the file of a store of this format, such as `format-7`, to `path`."""
    path.write_bytes(gzip.decompress((GOLDEN / f"{name}.db.gz").read_bytes()))


def receipt_of(name: str) -> str:
    """The receipt that a store of this format gave."""
    return (GOLDEN / f"{name}.receipt.json").read_text()
