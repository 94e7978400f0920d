"""The manifest of a workflow's results: checksum, kind, rows and cell digests of every file, and what made them."""

import importlib.metadata
import json
import platform
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from lethe.audit.digests import table_digests
from lethe.files import write_text
from lethe.fingerprints import package_fingerprint, sha256_of
from lethe.parquet import write_rows
from lethe.schemas import MANIFEST

MANIFEST_FILE = Path("results/manifest.parquet")
VERSIONS_FILE = Path("results/versions.json")
_LISTED = {
    "results": ("*.parquet", "recipe.json", "tables/*.json", "report/*.html"),
    "paper_tables": ("*.tex", "*.csv"),
    "figures": ("*.pdf", "*.png"),
}


def write_manifest(root: Path, config: Mapping[str, Any], freezes: Iterable[Path], producer: str) -> None:
    """Write the manifest and the versions of what stands in `results`, `paper_tables` and `figures` below `root`.

    Args:
        config: the configuration that the workflow ran with.
        freezes: the package lists of the systems' environments.
    """
    write_text(root / VERSIONS_FILE, json.dumps(_versions(config, freezes), indent=1, sort_keys=True) + "\n")
    files = listed_files(root)
    write_rows(root / MANIFEST_FILE, MANIFEST, [_entry(root, path) for path in files], producer)


def listed_files(root: Path) -> list[Path]:
    """The files that a manifest lists, relative to `root`, sorted."""
    found = [
        path.relative_to(root)
        for folder, patterns in _LISTED.items()
        for pattern in patterns
        for path in (root / folder).rglob(pattern)
        if path.is_file() and not path.name.startswith(".")
    ]
    return sorted(path for path in set(found) if path != MANIFEST_FILE)


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
        data = pq.read_table(path)
        metadata = {key.decode(): value.decode() for key, value in (data.schema.metadata or {}).items()}
        digests = table_digests(data)
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


def _versions(config: Mapping[str, Any], freezes: Iterable[Path]) -> dict[str, Any]:
    installed = sorted({f"{found.name}=={found.version}" for found in importlib.metadata.distributions()})
    return {
        "code": package_fingerprint(),
        "config": config,
        "environments": {
            "pipeline": installed,
            **{path.name.removesuffix(".freeze.txt"): path.read_text(encoding="utf-8").split("\n") for path in freezes},
        },
        "machine": {"platform": platform.platform(), "python": sys.version.split()[0]},
    }


def versions_text(versions: Mapping[str, Any]) -> str:
    """One line for the machine, the code and each environment; the packages are those of its lock."""
    if not versions:
        return "versions: not recorded"
    machine = versions["machine"]
    lines = [f"code {versions['code']}, Python {machine['python']} on {machine['platform']}"]
    for name, packages in versions["environments"].items():
        named = [package for package in packages if "==" in package]
        lines.append(f"{name}: {len(named)} packages: {', '.join(named)}")
    return "\n".join(lines)
