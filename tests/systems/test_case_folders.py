"""A folder for each case: the one before goes, whoever else removes files of it."""

import os
from pathlib import Path
from typing import Any

import pytest

from lethe.systems.case_folders import CaseFolders


def test_a_file_that_a_closed_database_removes_first_does_not_end_the_next_case(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folders, unlink = CaseFolders("store"), os.unlink
    first = folders.next()
    (first / "memory.db-shm").touch()

    def another_was_first(path: Any, **options: Any) -> None:
        unlink(path, **options)
        unlink(path, **options)

    with monkeypatch.context() as patched:
        patched.setattr(os, "unlink", another_was_first)
        second = folders.next()
    assert second.is_dir() and not first.exists()
