"""The files of a folder that somebody handed on: what is there, and what of it may be read."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from forgeteval.files import BEING_WRITTEN

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
    "results/trials/*",
    "results/llm/*.sqlite*",
    "*/checked.txt",
    f"*/.*{BEING_WRITTEN}",
)
"""What changes without the results changing, and what names the manifest itself. Of it the pages and the
manifest alone are read."""
_READ = (MANIFEST_FILE.as_posix(), *PAGES)
_DEEPEST = 20
"""How many folders may stand in each other; results have five."""
_LARGEST = {".parquet": 1 << 30, ".html": 256 << 20, ".json": 16 << 20}
_LARGEST_OTHER = 64 << 20
_MOST_ROWS, _MOST_VALUES, _MOST_BYTES = 1_000_000, 50_000_000, 1 << 30
"""Of one Parquet file, unpacked. What is larger than any run writes is not read."""


@dataclass(slots=True)
class Folder:
    """What stands below `results`, `paper_tables` and `figures` of a folder.

    Attributes:
        files: paths of regular files, relative to the folder; a symbolic link is none.
        findings: links, what is neither file nor folder, and what is too large or too deep to be looked at.
    """

    root: Path
    files: set[str] = field(default_factory=set)
    findings: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, root: Path) -> "Folder":
        """Look at everything, follow no link and open no file."""
        folder = cls(root)
        waiting = [root / name for name in FOLDERS]
        while waiting:
            waiting += folder._look_at(waiting.pop())
        folder.findings.sort()
        return folder

    def unlisted(self, listed: Iterable[str]) -> list[str]:
        """Files that a manifest has to list and that `listed` lacks, sorted."""
        return sorted(name for name in self.files.difference(listed) if not _is_passed_over(name))

    def _look_at(self, path: Path) -> Iterable[Path]:
        """Note what stands there; of a folder, what stands in it."""
        within = path.relative_to(self.root)
        name = within.as_posix()
        if path.is_symlink():
            self.findings.append(f"{name}: a symbolic link; it is not followed")
        elif path.is_dir():
            if len(within.parts) <= _DEEPEST:
                return path.iterdir()
            self.findings.append(f"{name}: more folders in each other than results have; not looked at")
        elif path.is_file():
            self._note_file(name, path.stat().st_size)
        elif path.exists():
            self.findings.append(f"{name}: neither a file nor a folder")
        return ()

    def _note_file(self, name: str, size: int) -> None:
        read = name in _READ or not _is_passed_over(name)
        if read and size > _LARGEST.get(Path(name).suffix, _LARGEST_OTHER):
            self.findings.append(f"{name}: too large to be read: {size} bytes")
        else:
            self.files.add(name)


def listed_files(root: Path) -> list[Path]:
    """The files that a manifest lists, relative to `root`, sorted."""
    return [Path(name) for name in Folder.of(root).unlisted(())]


def oversized(path: Path) -> Iterator[str]:
    """Why a Parquet file is not read, where it would fill the memory.

    Raises:
        OSError, pyarrow.ArrowException: where it is no Parquet file, or holds what no table of results does.
    """
    try:
        account = pq.read_metadata(path)
    except UnicodeDecodeError as error:
        raise pa.ArrowInvalid(f"a column's name is no UTF-8 text ({error})") from error
    groups = [account.row_group(number) for number in range(account.num_row_groups)]
    size = sum(group.total_byte_size for group in groups)
    values = sum(group.column(number).num_values for group in groups for number in range(group.num_columns))
    if account.num_rows <= _MOST_ROWS and values <= _MOST_VALUES and size <= _MOST_BYTES:
        size = _unpacked_bytes(path, account)
    if account.num_rows > _MOST_ROWS or values > _MOST_VALUES or size > _MOST_BYTES:
        yield f"too large to be read: {account.num_rows} rows, {values} values, {size} bytes"


def _unpacked_bytes(path: Path, account: pq.FileMetaData) -> int:
    """Bytes of a file's cells. The file's own account counts a text of a dictionary once, however many rows name it;
    so texts are read as dictionaries here, and counted as often as they are named."""
    columns = [account.schema.column(number) for number in range(account.num_columns)]
    if any(column.physical_type == "FIXED_LEN_BYTE_ARRAY" for column in columns):
        raise pa.ArrowNotImplementedError("values of a fixed number of bytes")
    texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
    with pq.ParquetFile(path, read_dictionary=texts) as file:
        return sum(_bytes(chunk) for column in file.read().columns for chunk in column.chunks)


def _bytes(cells: pa.Array) -> int:
    kind = cells.type
    if pa.types.is_map(kind):
        return _bytes(cells.keys) + _bytes(cells.items)
    if pa.types.is_list(kind):
        return _bytes(cells.flatten())
    if pa.types.is_struct(kind):
        return sum(map(_bytes, cells.flatten()))
    if not pa.types.is_dictionary(kind):
        return int(cells.nbytes)
    lengths = pc.binary_length(cells.dictionary).take(cells.indices)
    return pc.sum(lengths).as_py() or 0


def _is_passed_over(name: str) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in _NOT_LISTED)
