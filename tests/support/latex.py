"""A document of one table, set by pdflatex."""

import subprocess
from pathlib import Path


def compiled(table: str, columns: str, folder: Path) -> str:
    """What pdflatex says of a page of `columns` (`onecolumn`, `twocolumn`) with a table; the test fails if it cannot
    be set."""
    (folder / "t.tex").write_text(
        f"\\documentclass[{columns}]{{article}}\n\\usepackage{{array,booktabs,graphicx,longtable,pdflscape,rotating}}\n"
        f"\\begin{{document}}\nText.\n{table}\\end{{document}}\n",
        encoding="utf-8",
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    return done.stdout
