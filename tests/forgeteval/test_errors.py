"""What a user reads is one line that a terminal shows, and no longer than anybody reads."""

import pytest

from forgeteval.errors import UserError, one_line, one_line_errors


def test_a_message_of_any_length_keeps_its_place_and_its_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit), one_line_errors():
        raise UserError(f"ada.csv: row 2: {'x' * 1_000_000} is no label; write wf or ill")
    said = capsys.readouterr().err
    assert said.startswith("error: ada.csv: row 2: xxx") and said.endswith("xxx is no label; write wf or ill\n")
    assert " … " in said and len(said) < 5_000


def test_a_message_is_one_line_of_signs_that_show() -> None:
    assert one_line("a\n b\tc\x1b[0m") == "a b c\\x1b[0m"
