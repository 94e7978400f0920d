import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from lethe import module_imports
from lethe.module_imports import Module, parsed

SOURCE = b"""
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lethe.store import Store

DATA_FILES = ("a.sql", "b.yaml")

def late() -> None:
    from lethe.gateway import chat
"""
READ = Module(("os", "typing.TYPE_CHECKING", "lethe.gateway.chat"), ("a.sql", "b.yaml"), (), ())


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(module_imports, "KEPT", tmp_path / "kept.json")
    monkeypatch.setattr(module_imports.atexit, "register", lambda *_: None)
    start_again()
    yield tmp_path / "kept.json"
    start_again()


def start_again() -> None:
    parsed.cache_clear()
    module_imports._kept.cache_clear()


def end() -> None:
    """What a process does as it ends."""
    module_imports._keep(*module_imports._kept())
    start_again()


def test_a_module_is_parsed_once_for_all_processes(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert parsed(SOURCE) == READ
    end()
    monkeypatch.setattr(module_imports, "_parse", lambda _: pytest.fail("it is parsed again"))

    assert parsed(SOURCE) == READ


def test_another_source_or_another_reader_is_parsed(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed(SOURCE)
    end()
    assert parsed(SOURCE.replace(b"import os", b"import re")).imports[0] == "re"
    monkeypatch.setattr(module_imports, "_own_source", lambda: b"another")
    monkeypatch.setattr(module_imports, "_parse", lambda _: Module((), (), (), ()))
    parsed.cache_clear()

    assert parsed(SOURCE) == Module((), (), (), ())


def test_processes_keep_what_others_kept(kept: Path) -> None:
    for number in range(3):
        parsed(b"import os  # %d" % number)
        end()

    assert len(json.loads(kept.read_bytes())) == 3


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"a": 1}', b'{"a": {"imports": ["os"]}}', b"\xff"])
def test_a_damaged_file_is_as_none(kept: Path, damage: bytes) -> None:
    kept.write_bytes(damage)

    assert parsed(SOURCE) == READ


def test_a_folder_that_cannot_be_written_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module_imports, "KEPT", tmp_path / "nothing" / "kept.json")
    start_again()
    assert parsed(SOURCE) == READ
    end()
