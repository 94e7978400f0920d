"""The files of a folder that somebody handed on: what is there, and what of it may be read."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from forgeteval.errors import UserError, check_name
from forgeteval.files import BEING_WRITTEN
from forgeteval.limits import MOST_BYTES_OF, MOST_BYTES_OF_OTHERS, MOST_FOLDERS

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
    *(f"paper_tables/{room}.{kind}" for room in ("paper", "beyond") for kind in ("aux", "log", "out", "pdf")),
    "*/checked.txt",
    f"*/.*{BEING_WRITTEN}",
)
"""What changes without the results changing, and what names the manifest itself. Of it the pages and the
manifest alone are read."""
_READ = (MANIFEST_FILE.as_posix(), *PAGES)


@dataclass(slots=True)
class Folder:
    """What stands below `results`, `paper_tables` and `figures` of a folder.

    Attributes:
        files: paths of regular files, relative to the folder; a symbolic link is none.
        findings: links, what is neither file nor folder, and what is too large, too deep or closed to be looked at.
        closed: those of folders that may not be looked into.
    """

    root: Path
    files: set[str] = field(default_factory=set)
    findings: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, root: Path) -> "Folder":
        """Look at everything, follow no link and open no file."""
        folder = cls(root)
        waiting = [root / name for name in FOLDERS]
        while waiting:
            path = waiting.pop()
            try:
                waiting += folder._look_at(path)
            except OSError as error:
                folder.closed.append(f"{path.relative_to(root).as_posix()}: cannot be looked into ({error.strerror})")
        folder.findings += folder.closed
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
            if len(within.parts) <= MOST_FOLDERS:
                return list(path.iterdir())
            self.findings.append(f"{name}: more folders in each other than results have; not looked at")
        elif path.is_file():
            self._note_file(name, path.stat().st_size)
        elif path.exists():
            self.findings.append(f"{name}: neither a file nor a folder")
        return ()

    def _note_file(self, name: str, size: int) -> None:
        read = name in _READ or not _is_passed_over(name)
        if read and is_too_large(name, size):
            self.findings.append(f"{name}: too large to be read: {size} bytes")
        else:
            self.files.add(name)


def is_too_large(name: str, size: int) -> bool:
    """Whether a file of results has more bytes than such files have."""
    return size > MOST_BYTES_OF.get(Path(name).suffix, MOST_BYTES_OF_OTHERS)


def listed_files(root: Path) -> list[Path]:
    """The files that a manifest lists, relative to `root`, sorted.

    Raises:
        UserError: where something there cannot be looked into, or has a name that no list can hold.
    """
    folder = Folder.of(root)
    if folder.closed:
        raise UserError(f"{root}: {folder.closed[0]}; make it readable")
    names = folder.unlisted(())
    for name in names:
        check_name(f"{root}: a file there", name)
    return [Path(name) for name in names]


def _is_passed_over(name: str) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in _NOT_LISTED)
