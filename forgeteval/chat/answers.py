"""Answers of chat models, kept on disk by what was asked, so that a second run costs nothing."""

import contextlib
import sqlite3
from pathlib import Path

from forgeteval.embed.cache_folder import cache_folder
from forgeteval.errors import UserError

FILE = "answers.sqlite"


class Answers:
    """A file of answers, shared by every run of this user.

    Args:
        folder: that it stands in; by default the user's cache folder, or that of FORGETEVAL_CACHE.

    Raises:
        UserError: where the file cannot be opened.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._path = (folder or cache_folder()) / FILE
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self._path, timeout=30, isolation_level=None, check_same_thread=False)
            self._connection.execute("CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer TEXT NOT NULL)")
        except (OSError, sqlite3.Error) as error:
            raise UserError(f"{self._path}: cannot be used ({error}); remove it, or set FORGETEVAL_CACHE") from error

    def find(self, key: str) -> str | None:
        """The chat completion kept under a key; None where there is none yet."""
        row = self._connection.execute("SELECT answer FROM answers WHERE key = ?", [key]).fetchone()
        return None if row is None else str(row[0])

    def keep(self, key: str, answer: str) -> None:
        """Keep a chat completion; where the disk is full, the run goes on without."""
        with contextlib.suppress(sqlite3.Error):
            self._connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", [key, answer])
