"""What MkDocs does not do by itself: pages of the list that exist, the change log as a page, links out of docs/."""

import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

_ROOT = Path(__file__).parents[1]
_CHANGELOG = "changelog.md"
_SCRIPT = "assets/iframe-worker.js"
_OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./([^)]+)\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Leave out of the list the pages that do not exist."""
    config.nav = _existing(config.nav or [], Path(config.docs_dir))
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the change log and the script, which stand outside docs/."""
    changes = (_ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    files.append(File.generated(config, _CHANGELOG, content=changes.replace("](docs/", "](")))
    files.append(File.generated(config, _SCRIPT, content=(_ROOT / "site" / _SCRIPT).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """A link to a file of the repository that is no page of the site becomes its path."""
    return _OUTSIDE.sub(_inside, markdown)


def _inside(link: re.Match[str]) -> str:
    text, path = link.groups()
    return f"[{text}]({_CHANGELOG})" if path == "CHANGELOG.md" else f"{text} (`{path}` in the repository)"


def _existing(entries: list[Any], folder: Path) -> list[Any]:
    kept = []
    for entry in entries:
        [(title, place)] = entry.items()
        if isinstance(place, list):
            if pages := _existing(place, folder):
                kept.append({title: pages})
        elif place == _CHANGELOG or (folder / place).is_file():
            kept.append(entry)
    return kept
