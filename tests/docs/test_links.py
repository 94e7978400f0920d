"""Links lead somewhere: pages, headings, and paths into the repository, linked or in code. Addresses are not asked."""

import re
from pathlib import Path

import pytest

from tests.support.markdown import Found, anchors, links, pages, spans
from tests.support.paths import ROOT

FOLDERS = "answers|benchmarks|config|docs|envs|lethe|profiles|rules|site|suites|tests|workflow_scripts"
PATH = re.compile(rf"(?:{FOLDERS})/[\w./*+-]+")
MADE_UP = re.compile(r"shelf|[A-Z]{4,}")
"""Names of the example system, and placeholders."""


def repository_paths() -> list[Found]:
    return [span for span in spans() if PATH.fullmatch(span.said) and not MADE_UP.search(span.said)]


def broken(link: Found) -> str:
    """What is wrong with a link; empty where it leads somewhere."""
    if re.match(r"https?://", link.said):
        return ""
    place, _, anchor = link.said.partition("#")
    target = (ROOT / link.page.parent / place).resolve() if place else ROOT / link.page
    if not target.is_relative_to(ROOT) or not target.exists():
        return f"{link}: {link.said} does not exist"
    if anchor and anchor not in anchors(target.relative_to(ROOT)):
        return f"{link}: {link.said}: no such heading"
    return ""


def test_every_link_leads_somewhere() -> None:
    assert len(links()) > 50
    assert [found for link in links() if (found := broken(link))] == []


def test_every_path_into_the_repository_exists() -> None:
    paths = repository_paths()
    assert len(paths) > 50
    assert [f"{path}: {path.said}" for path in paths if not any(ROOT.glob(path.said.rstrip("/")))] == []


@pytest.mark.parametrize("target", ["nowhere.md", "scale.md#nowhere", "../../outside", "#nowhere"])
def test_a_broken_link_is_found(target: str) -> None:
    assert broken(Found(Path("docs/models.md"), 1, target))


def test_every_page_is_in_the_list_of_the_site() -> None:
    listed = re.findall(r": ([\w-]+\.md)$", (ROOT / "site/mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(set(listed))
    assert [page for page in pages() if page.parent.name == "docs" and page.name not in listed] == []
