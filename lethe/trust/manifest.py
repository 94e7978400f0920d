"""The manifest of a workflow's results: checksum, kind, rows and cell digests of every file."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lethe.fingerprints import sha256_of
from lethe.parquet import metadata_of, read_any, write_rows
from lethe.schemas import MANIFEST
from lethe.trust.crate import CRATE_FILE, write_crate
from lethe.trust.digests import table_digests
from lethe.trust.folder import MANIFEST_FILE, VERSIONS_FILE, listed_files
from lethe.trust.versions import read_versions, write_versions


def write_manifest(root: Path, config: Mapping[str, Any], freezes: Iterable[Path], producer: str) -> None:
    """Write versions, RO-Crate and manifest of what stands in `results`, `paper_tables` and `figures` below `root`.

    Args:
        config, freezes: see `write_versions`.
    """
    write_versions(root / VERSIONS_FILE, config, freezes)
    entries = {path.as_posix(): _entry(root, path) for path in listed_files(root) if path != CRATE_FILE}
    write_crate(root, entries, read_versions(root / VERSIONS_FILE))
    entries[CRATE_FILE.as_posix()] = _entry(root, CRATE_FILE)
    write_rows(root / MANIFEST_FILE, MANIFEST, [entries[name] for name in sorted(entries)], producer)


def _entry(root: Path, file: Path) -> dict[str, Any]:
    path = root / file
    entry: dict[str, Any] = {
        "file": file.as_posix(),
        "sha256": sha256_of(path),
        "bytes": path.stat().st_size,
        "row_digests": [],
        "columns": [],
        "column_digests": [],
    }
    if file.suffix == ".parquet":
        data = read_any(path)
        metadata, digests = metadata_of(data), table_digests(data)
        entry |= {
            "table": metadata.get("table"),
            "producer": metadata.get("producer"),
            "rows": data.num_rows,
            "row_digests": [_hexadecimal(digest) for digest in digests.rows.tolist()],
            "columns": list(digests.columns),
            "column_digests": [_hexadecimal(digest) for digest in digests.columns.values()],
        }
    return entry


def _hexadecimal(digest: int) -> str:
    return f"{digest:016x}"
