"""English that readers stumble on is found: `english.yaml` lists the patterns, each with what to say instead."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.support.markdown import Found, prose
from tests.support.paths import ROOT

RULES = yaml.safe_load(Path(__file__).with_name("english.yaml").read_text(encoding="utf-8"))
PATTERNS = {re.compile(rule["find"].replace(" ", r"\s"), re.IGNORECASE): rule for rule in RULES["patterns"]}
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md")
STRINGS = ("lethe/cli/*.py", "forgeteval/cli/*.py", "lethe/config/model.py", "lethe/tables/**/*.py")
WORDS = ("lethe/report/words.yaml", "lethe/tables/words.yaml")
FINDINGS = re.compile(r"<!-- findings.*?<!-- end of findings -->", re.DOTALL)


def files(*globs: str) -> list[Path]:
    found = (path.relative_to(ROOT) for pattern in globs for path in sorted(ROOT.glob(pattern)))
    return [path for path in found if path.as_posix() not in RULES["excluded"]]


def strings(path: Path) -> Iterator[Found]:
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield Found(path, node.lineno, node.value)


def faults(texts: Iterator[Found]) -> list[str]:
    return [
        f"{text.page}:{text.line + text.said.count(chr(10), 0, hit.start())}: {hit[0]!r}: say {rule['say']}"
        for text in texts
        for pattern, rule in PATTERNS.items()
        for hit in pattern.finditer(text.said)
    ]


def long_sentences(text: Found) -> list[str]:
    counts = {said: len(re.findall(r"\S*\w\S*", said)) for said in re.split(r"(?<=[.!?:])\)?\s+", text.said)}
    return [f"{text}: {n} words: {said[:60]}" for said, n in counts.items() if n > RULES["longest_sentence"]]


def test_pages_read_well() -> None:
    found = [text for page in files(*PAGES) for text in prose(page, without=FINDINGS)]
    assert len(found) > 1000
    assert [*faults(iter(found)), *(fault for text in found for fault in long_sentences(text))] == []


def test_help_captions_and_keys_read_well() -> None:
    assert faults(text for path in files(*STRINGS) for text in strings(path)) == []
    assert faults(Found(path, 1, (ROOT / path).read_text(encoding="utf-8")) for path in files(*WORDS)) == []


@pytest.mark.parametrize(("pattern", "rule"), PATTERNS.items(), ids=lambda rule: getattr(rule, "pattern", ""))
def test_a_pattern_finds_its_example_alone(pattern: re.Pattern[str], rule: dict[str, str]) -> None:
    assert pattern.search(rule["wrong"]) and not pattern.search(rule["right"])
