"""The summary in Markdown: what it says, and that what a store returned is text in it."""

from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from forgeteval import evaluate
from forgeteval.errors import UserError, printable
from forgeteval.run.formats.markdown import append_summary, fenced, inline, summary
from forgeteval.run.shown import table_lines
from forgeteval.run.trials import Verdict
from tests.forgeteval.run.formats.support import (
    HOSTILE,
    each_verdict,
    hostile,
    make_case,
    make_results,
    make_trial,
)
from tests.support.stores import Shelf

MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
OWN_HTML = ("<details>", "</details>")


def tokens(text: str) -> list[Token]:
    """All tokens of a text, those within lines too."""
    return [token for block in MARKDOWN.parse(text) for token in (block, *(block.children or ()))]


def test_it_begins_with_the_score_and_has_a_row_a_category() -> None:
    text = summary(each_verdict())
    assert text.startswith("## ForgetEval: toy\\:Store on mine\\: 1 of 4 ")
    assert "| traps | 1 of 2 | 50 | 9 to 91 |\n| others | 0 of 2 | 0 | 0 to 66 |\n| all | 1 of 4 | 25 |" in text
    assert "1 N/A" in text
    assert "1 errors" in text


def test_a_category_called_all_does_not_hide_behind_the_sum() -> None:
    results = make_results([make_trial(make_case("a", "all"), "pass"), make_trial(make_case("b", "others"), "fail")])
    rows = [row.split("|")[1:3] for row in summary(results).splitlines() if row.startswith("| ")][1:]
    assert rows[:3] == [[" all ", " 1 of 1 "], [" others ", " 0 of 1 "], [" all ", " 1 of 2 "]]
    printed = [line.split()[:2] for line in table_lines(results)]
    assert all(row in printed for row in (["all", "1/1"], ["others", "0/1"], ["all", "1/2"]))


def test_it_shows_what_became_of_the_facts_and_what_the_controls_say() -> None:
    text = summary(evaluate(Shelf, limit=40))
    assert "| leak | " in text
    assert "| released or purged facts that are still recalled |" in text
    assert "controls came out right" in text


def test_it_shows_the_first_error_with_its_traceback() -> None:
    fences = [token.content for token in tokens(summary(each_verdict())) if token.type == "fence"]
    assert fences[0] == "first error, in broke: KeyError: 7\n  Traceback:\n    KeyError: 7\n"


def test_it_shows_ten_failed_cases_at_most() -> None:
    text = summary(make_results([make_trial(make_case(f"case-{number}"), "fail") for number in range(12)]))
    assert "<summary>Failed cases: the first 10 of 12</summary>" in text
    assert len([token for token in tokens(text) if token.type == "fence"]) == 10
    assert "case\\-10" not in text
    assert "case-10" not in text


def test_a_run_without_failures_has_no_details() -> None:
    text = summary(make_results([make_trial(make_case("passed"), "pass")]))
    assert "details" not in text
    assert "```" not in text


@pytest.mark.parametrize("verdict", ["fail", "error", "na"])
def test_what_a_store_returns_is_text(verdict: Verdict) -> None:
    found = tokens(summary(hostile(verdict)))
    assert not {"link_open", "image", "html_inline", "code_inline", "strong_open", "em_open", "s_open"} & {
        token.type for token in found
    }
    html = [token.content.strip() for token in found if token.type == "html_block"]
    assert all(line.startswith(OWN_HTML) for line in html)
    assert [token.content for token in found if token.type == "heading_open"] == [""]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_line_shows_what_it_was_given(text: str) -> None:
    shown = "".join(token.content for token in tokens(f"Case {inline(text)}") if token.type in ("text", "text_special"))
    assert shown == f"Case {printable(text)}"


def test_no_address_becomes_a_link() -> None:
    assert inline("http://a.org www.b.org WWW.c.org d@e.org") == "http\\://a.org www\\.b.org WWW\\.c.org d\\@e.org"


@pytest.mark.parametrize("ticks", range(6))
def test_a_fence_is_not_broken_by_its_content(ticks: int) -> None:
    content = f"before\n{'`' * ticks}\nafter {'`' * ticks}"
    (fence,) = MARKDOWN.parse(fenced(content))
    assert (fence.type, fence.content) == ("fence", f"{content}\n")


def test_a_long_block_is_cut() -> None:
    (fence,) = MARKDOWN.parse(fenced("x" * 1_000_000))
    assert len(fence.content) < 7_000
    assert fence.content.endswith("…\n")


def test_it_is_appended(tmp_path: Path) -> None:
    path = tmp_path / "deeper" / "summary.md"
    append_summary(each_verdict(), path)
    append_summary(each_verdict(), path)
    assert path.read_text(encoding="utf-8") == summary(each_verdict()) * 2


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"writing .*: Is a directory"):
        append_summary(each_verdict(), tmp_path)
