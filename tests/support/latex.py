"""Documents set by pdflatex; where TEX_REQUIRED is set, as in CI, a test that needs it fails without it."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from lethe.tables.documents import LAYOUT, STYLE

needs_pdflatex = pytest.mark.skipif(
    shutil.which("pdflatex") is None and not os.environ.get("TEX_REQUIRED"), reason="pdflatex is not installed"
)


_ENVIRONMENTS = ("table", "table*", "sidewaystable", "sidewaystable*", "landscape", "longtable")
_SAYS = "".join(rf"\AddToHook{{env/{name}/begin}}{{\says{{{name}}}}}" + "\n" for name in _ENVIRONMENTS)


def write_layout(folder: Path) -> None:
    """Write what a document of tables loads."""
    (folder / Path(STYLE).name).write_text(LAYOUT, encoding="utf-8")


def compiled(table: str, folder: Path) -> str:
    """What pdflatex says of a two-column page with a table; the test fails if it cannot be set."""
    write_layout(folder)
    source = folder / "t.tex"
    source.write_text(
        "\\documentclass[twocolumn,a4paper]{article}\n\\usepackage[margin=2.5cm,columnsep=0.6cm]{geometry}\n"
        "\\usepackage{tables}\n\\makeatletter\n\\newcommand\\says[1]{\\typeout{set as #1, \\mt@chosen}}\n"
        f"{_SAYS}\\begin{{document}}\nText.\n{table}"
        "\\typeout{columns: \\if@twocolumn2\\else1\\fi}\n\\end{document}\n",
        encoding="utf-8",
    )
    return compiled_file(source)


def set_as(said: str) -> list[tuple[str, str]]:
    """The environments that tables were set in, each with the shape."""
    return re.findall(r"^set as (\S+), (\w+)$", said, re.M)


def compiled_file(source: Path) -> str:
    """What pdflatex says of a document; the test fails if it cannot be set."""
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", source.name]
    done = subprocess.run(command, cwd=source.parent, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    return done.stdout


def fits(said: str) -> bool:
    """Whether nothing stands out of its place."""
    return "Overfull \\hbox" not in said and "Float too large" not in said


def pages(said: str) -> int:
    """How many pages were set."""
    found = re.search(r"Output written on \S+ \((\d+) page", said)
    return int(found[1]) if found else 0
