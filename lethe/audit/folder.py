"""The files of a folder that somebody handed on: what is there, and what of it may be read."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

import pyarrow.parquet as pq

FOLDERS = ("results", "paper_tables", "figures")
MANIFEST_FILE = Path("results/manifest.parquet")
SIGNATURE_FILE = Path("results/manifest.parquet.sig")
VERSIONS_FILE = Path("results/versions.json")
PAGES = ("results/report/index.html", "results/report/replication.html")

_NOT_LISTED = (
    MANIFEST_FILE.as_posix(),
    SIGNATURE_FILE.as_posix(),
    *PAGES,
    *(f"{folder}/README.md" for folder in FOLDERS),
    "results/logs/*",
    "results/benchmarks/*",
    "results/journals/*",
    "results/llm/*.sqlite*",
    "*/checked.txt",
)
"""What changes without the results changing, and what names the manifest itself. None of it is read."""
_MOST_ROWS, _MOST_BYTES = 10_000_000, 4 << 30
"""Of one Parquet file, unpacked; larger ones than any run writes are not read."""


@dataclass(slots=True)
class Folder:
    """What stands below `results`, `paper_tables` and `figures` of a folder.

    Attributes:
        files: paths of regular files, relative to the folder; a symbolic link is none.
        findings: links, and what is neither file nor folder.
    """

    root: Path
    files: set[str] = field(default_factory=set)
    findings: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, root: Path) -> "Folder":
        """Look at everything, follow no link and open no file."""
        folder = cls(root)
        for name in FOLDERS:
            folder._look_at(root / name)
        return folder

    def unlisted(self, listed: Iterable[str]) -> list[str]:
        """Files that a manifest has to list and that `listed` lacks, sorted."""
        return sorted(name for name in self.files.difference(listed) if not _is_passed_over(name))

    def _look_at(self, path: Path) -> None:
        name = path.relative_to(self.root).as_posix()
        if path.is_symlink():
            self.findings.append(f"{name}: a symbolic link; it is not followed")
        elif path.is_dir():
            for entry in sorted(path.iterdir()):
                self._look_at(entry)
        elif path.is_file():
            self.files.add(name)
        elif path.exists():
            self.findings.append(f"{name}: neither a file nor a folder")


def listed_files(root: Path) -> list[Path]:
    """The files that a manifest lists, relative to `root`, sorted; what begins with a dot is being written."""
    return [Path(name) for name in Folder.of(root).unlisted(()) if not Path(name).name.startswith(".")]


def oversized(path: Path) -> Iterator[str]:
    """Why a Parquet file is not read, where its own account says that it would fill the memory.

    Raises:
        OSError, pyarrow.ArrowException: where it is no Parquet file.
    """
    account = pq.read_metadata(path)
    size = sum(account.row_group(group).total_byte_size for group in range(account.num_row_groups))
    if account.num_rows > _MOST_ROWS or size > _MOST_BYTES:
        yield f"too large to be read: {account.num_rows} rows, {size} bytes"


def _is_passed_over(name: str) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in _NOT_LISTED)
