"""The answers that `forgeteval run --model` keeps: a damaged file is one line, and a damaged answer is asked again."""

import sqlite3
from pathlib import Path

import pytest

from forgeteval.chat.answers import FILE, Answers
from forgeteval.errors import UserError

ANSWER = '{"choices": []}'


@pytest.mark.parametrize("damaged", ['{"choices": [', "", "[]", '{"a": NaN}', "[" * 100_000])
def test_a_damaged_answer_counts_as_none(tmp_path: Path, damaged: str) -> None:
    Answers(tmp_path).keep("key", "http://a/v1", ANSWER)
    assert Answers(tmp_path).find("key", "http://a/v1") == ANSWER
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("UPDATE said SET answer = ?", [damaged])
    assert Answers(tmp_path).find("key", "http://a/v1") is None


def test_a_file_with_other_columns_is_one_line(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("CREATE TABLE said (key TEXT, what TEXT)")
    with pytest.raises(UserError, match=r"answers\.sqlite: cannot be read .*remove it, or set FORGETEVAL_CACHE"):
        Answers(tmp_path).find("key", "http://a/v1")


def test_a_file_with_damaged_pages_is_one_line(tmp_path: Path) -> None:
    answers = Answers(tmp_path)
    for number in range(2000):
        answers.keep(f"key{number}", "http://a/v1", ANSWER)
    content = bytearray((tmp_path / FILE).read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(UserError, match="remove it, or set FORGETEVAL_CACHE"):
        Answers(tmp_path).find("key7", "http://a/v1")
