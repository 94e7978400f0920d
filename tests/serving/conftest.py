"""A server without a model, started as the real one is."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lethe.serving.keeper import ServerOptions
from tests.support.paths import ROOT

Options = Callable[..., ServerOptions]


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Options:
    """Options of a server that behaves as told; what it and its keeper write stays in the test's folder."""
    interpreter = tmp_path / "python"
    interpreter.write_text(f"#!/bin/sh\nexec {sys.executable} {ROOT}/tests/support/fake_llama.py\n")
    interpreter.chmod(0o755)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)

    def made(behaviour: str = "answers") -> ServerOptions:
        return ServerOptions(str(interpreter), str(tmp_path / behaviour), "alias", 512, 2, 1)

    return made
