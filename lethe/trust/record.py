"""What an audit counted and found."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from forgeteval.progress import progress
from lethe.trust.versions import Versions

T = TypeVar("T")


@dataclass(slots=True)
class Audit:
    """The result of an audit.

    Attributes:
        manifest: SHA-256 of the manifest.
        checked: how many files, trials, tables and so on were checked.
        findings: what is wrong, one line each.
        taken: what was taken as it was handed on, one line each.
    """

    manifest: str
    checked: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)
    versions: Versions | None = None

    def each(self, what: str, items: Collection[T]) -> Iterator[T]:
        """The items one after another; meanwhile it is shown how many are checked and how many remain."""
        with progress(f"checking {what}", len(items)) as advance:
            for item in items:
                yield item
                advance(1)

    def collect(self, what: str, lines: Iterable[str]) -> None:
        """Add findings as they are made; an error on the way is the last one of them."""
        try:
            for line in lines:
                self.findings.append(" ".join(line.splitlines()))
        except Exception as error:  # noqa: BLE001 - whatever tampered results make a function raise
            said = " ".join(f"{type(error).__name__}: {error}".splitlines())
            self.findings.append(f"{what}: cannot be computed again ({said})")
