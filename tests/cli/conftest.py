import sys
from collections.abc import Callable

import pytest

from tests.support.commands import main

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def forgeteval(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs `forgeteval` and returns exit code, standard output and standard error."""

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["forgeteval", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit:
            main()
        captured = capsys.readouterr()
        return int(exit.value.code or 0), captured.out, captured.err

    return run
