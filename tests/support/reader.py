"""A reader who does what a page says: writes its files, types its commands, compares what comes with what it shows."""

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.markdown import Found, paragraphs_and_blocks

_FILE = re.compile(r"[\w./-]+\.(?:py|jsonl)")
_SECONDS = re.compile(r"\bin [\d.]+s\b(?: \(\d+:\d\d:\d\d\))?")
"""What differs from run to run."""
AT_ITS_END = "ends so:"
"""With what the paragraph ends before a block that shows only the last lines of an output."""


@dataclass(frozen=True)
class Step:
    """A block of a page, in a reader's eyes.

    Attributes:
        file: that a block of code or of cases is the content of, named in the paragraph before; empty for others.
        at_end: whether output is shown only in part.
    """

    block: Found
    file: str = ""
    at_end: bool = False


def steps(page: Path) -> list[Step]:
    """What a page, relative to the project, tells its readers to do, in order; YAML is for a CI and is left out."""
    found, paragraph = [], ""
    for part in paragraphs_and_blocks(page):
        if isinstance(part, str):
            paragraph = part
        elif part.kind in ("python", "jsonl"):
            *_, name = _FILE.findall(paragraph)
            found.append(Step(part, file=name))
        elif part.kind in ("sh", "text"):
            found.append(Step(part, at_end=paragraph.endswith(AT_ITS_END)))
    return found


class Reader:
    """Somebody with a shell in a folder.

    Args:
        environment: variables besides those of this process.
        without: commands that a reader of this kind has no need of; a line that begins so is passed over.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str], without: Sequence[str] = ()) -> None:
        self.folder = folder
        self._environment = {**os.environ, **environment}
        self._without = tuple(without)
        self._said = ""

    def activate(self, venv: Path) -> None:
        """Let a virtual environment count from now on, as its `activate` does in the reader's shell."""
        path = f"{venv / 'bin'}{os.pathsep}{self._environment['PATH']}"
        self._environment |= {"VIRTUAL_ENV": str(venv), "PATH": path}

    def does(self, step: Step) -> None:
        """Do a step; AssertionError where a command fails, or shows something else than the page."""
        block = step.block
        if step.file:
            self._writes(step.file, block.said)
        elif block.kind == "sh":
            lines = [line for line in block.said.splitlines() if not line.startswith(self._without)]
            self._said = self._types("\n".join(lines), block)
        else:
            shown, said = _timeless(block.said), _timeless(self._said)
            if step.at_end:
                said = "".join(said.splitlines(keepends=True)[-len(shown.splitlines()) :])
            assert said == shown, f"{block} shows other output than there is:\n{said}"

    def _writes(self, name: str, content: str) -> None:
        """Write a file; one that a command has written already is as it is shown."""
        path = self.folder / name
        if path.exists():
            assert path.read_text(encoding="utf-8") == content, f"{name} is not as it is shown"
        path.write_text(content, encoding="utf-8")

    def _types(self, lines: str, block: Found) -> str:
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", lines],
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{block}: ended with {done.returncode}:\n{done.stdout}{done.stderr}"
        return done.stdout


def _timeless(text: str) -> str:
    return _SECONDS.sub("in 0.00s", text)
