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
_ABOVE = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+)([^)]+)\)")
_SYSTEMS = {"Systems": "systems", "Systems of the atlas": "atlas"}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Leave out of the list the pages that do not exist, and put in those of systems."""
    folder = Path(config.docs_dir)
    systems = [
        {title: [{page.stem: f"{name}/{page.name}"} for page in sorted((folder / name).glob("*.md"))]}
        for title, name in _SYSTEMS.items()
    ]
    config.nav = [*_existing(config.nav or [], folder), *systems]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the change log and the script, which stand outside docs/."""
    changes = (_ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    files.append(File.generated(config, _CHANGELOG, content=changes.replace("](docs/", "](")))
    files.append(File.generated(config, _SCRIPT, content=(_ROOT / "site" / _SCRIPT).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """A link to a file of the repository that is not a page of the site becomes its path."""
    depth = page.file.src_uri.count("/") + 1
    return _ABOVE.sub(lambda link: _inside(link, depth), markdown)


def _inside(link: re.Match[str], depth: int) -> str:
    text, up, path = link.groups()
    if up.count("/") < depth:
        return link[0]
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
