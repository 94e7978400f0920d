"""The pages of the documentation: their code blocks, links, headings and code in the text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.support.paths import ROOT

GENERATED = ("commands.md",)
"""Pages whose code blocks are usage lines that the command line itself wrote."""
_PARSER = MarkdownIt("commonmark").enable("table")


@dataclass(frozen=True)
class Found:
    """Something of a page: `said` is the block's text, the link's target or the code; `kind` the block's language."""

    page: Path
    line: int
    said: str
    kind: str = ""

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def pages() -> list[Path]:
    """README, change log, docs/ and the pages of systems, relative to the project."""
    written = [*ROOT.glob("docs/*.md"), *ROOT.glob("docs/systems/*.md")]
    return [Path("README.md"), Path("CHANGELOG.md"), *sorted(page.relative_to(ROOT) for page in written)]


def blocks(*kinds: str) -> list[Found]:
    """The fenced blocks of some languages, or all, of the pages that people write."""
    return [
        Found(page, _line(token), token.content, token.info)
        for page in pages()
        if page.name not in GENERATED
        for token in _tokens(page)
        if token.type == "fence" and (not kinds or token.info in kinds)
    ]


def paragraphs_and_blocks(page: Path) -> Iterator[str | Found]:
    """The paragraphs of a page, with their marks, and between them its fenced blocks."""
    for token in _tokens(page):
        if token.type == "fence":
            yield Found(page, _line(token), token.content, token.info)
        elif token.type == "inline":
            yield token.content


def prose(page: Path, without: re.Pattern[str]) -> Iterator[Found]:
    """The paragraphs, headings and cells of a page with the words in code left out, and what `without` finds."""
    text = without.sub(lambda hit: "\n" * hit[0].count("\n"), (ROOT / page).read_text(encoding="utf-8"))
    for token in _PARSER.parse(text):
        if token.type == "inline":
            said = re.sub(r"`+[^`]*`+", lambda hit: "`code`" + "\n" * hit[0].count("\n"), token.content)
            yield Found(page, _line(token), re.sub(r"\]\([^)\s]*\)", "]", said))


def links() -> list[Found]:
    """The targets of links and images."""
    return [
        Found(page, _line(parent), str(child.attrs.get("href") or child.attrs.get("src")))
        for page in pages()
        for parent, child in _inline(page)
        if child.type in ("link_open", "image")
    ]


def spans() -> list[Found]:
    """The code in running text."""
    return [
        Found(page, _line(parent), child.content)
        for page in pages()
        for parent, child in _inline(page)
        if child.type == "code_inline"
    ]


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and the site make them."""
    tokens = _tokens(page)
    heads = (tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open")
    return {re.sub(r"[^\w\- ]", "", head.replace("`", "").casefold()).replace(" ", "-") for head in heads}


def _inline(page: Path) -> Iterator[tuple[Token, Token]]:
    return ((token, child) for token in _tokens(page) if token.type == "inline" for child in token.children or [])


def _tokens(page: Path) -> list[Token]:
    return _PARSER.parse((ROOT / page).read_text(encoding="utf-8"))


def _line(token: Token) -> int:
    return (token.map or [0])[0] + 1
