import sys
from collections.abc import Callable

import pytest

from lethe.cli.main import main

Lethe = Callable[..., tuple[int, str, str]]


@pytest.fixture
def lethe(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Lethe:
    """Runs the command line and returns exit code, standard output and standard error."""

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["lethe", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit:
            main()
        captured = capsys.readouterr()
        return int(exit.value.code or 0), captured.out, captured.err

    return run
