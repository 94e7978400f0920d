"""The answers that `forgeteval run --model` keeps: a damaged file is one line, and a damaged answer is asked again."""

import sqlite3
from pathlib import Path

import pytest

from forgeteval.chat.answers import FILE, Answers
from forgeteval.chat.llm import LLM, Asking
from forgeteval.errors import UserError
from forgeteval.planners.protocol import PlannerUnavailable

ANSWER = '{"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}]}'


@pytest.mark.parametrize(
    "damaged",
    ['{"choices": [', "", "[]", '{"a": NaN}', "[" * 100_000, '{"choices": 1}', ANSWER.replace("yes", ""), "{}"],
)
def test_a_damaged_answer_counts_as_none(tmp_path: Path, damaged: str) -> None:
    Answers(tmp_path).keep("key", "http://a/v1", ANSWER)
    assert Answers(tmp_path).find("key", "http://a/v1") == ANSWER
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("UPDATE said SET answer = ?", [damaged])
    assert Answers(tmp_path).find("key", "http://a/v1") is None


def test_a_file_with_other_columns_is_one_line(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("CREATE TABLE said (key TEXT, what TEXT)")
    with pytest.raises(UserError, match=r"answers\.sqlite: cannot be read .*move it away, or set FORGETEVAL_CACHE"):
        Answers(tmp_path).find("key", "http://a/v1")


def test_a_file_with_damaged_pages_is_one_line(tmp_path: Path) -> None:
    answers = Answers(tmp_path)
    for number in range(2000):
        answers.keep(f"key{number}", "http://a/v1", ANSWER)
    content = bytearray((tmp_path / FILE).read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(UserError, match="move it away, or set FORGETEVAL_CACHE"):
        Answers(tmp_path).find("key7", "http://a/v1")


def test_answers_that_cannot_be_kept_are_said_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = Answers(tmp_path)
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("CREATE TRIGGER full BEFORE INSERT ON said BEGIN SELECT RAISE(ABORT, 'disk is full'); END")
    for key in ("one", "two"):
        answers.keep(key, "http://a/v1", ANSWER)
    said = capsys.readouterr().err
    assert said.count("cannot be written (disk is full); answers are not kept") == 1 == said.count("\n")


def test_a_damaged_file_is_no_word_of_a_replay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORGETEVAL_CACHE", str(tmp_path))
    test_a_file_with_other_columns_is_one_line(tmp_path)
    asking = Asking(LLM("small", base_url="http://127.0.0.1:1/v1", api_key_env=None))
    with pytest.raises(PlannerUnavailable, match=r"^/.*answers\.sqlite: cannot be read"):
        asking("rows_purge", "which?")
