"""Answers of chat models, kept on disk by who was asked what, so that a second run costs nothing."""

import sqlite3
import sys
from pathlib import Path

from forgeteval.chat.completions import UnusableAnswerError, read_completion
from forgeteval.embed.cache_folder import cache_folder
from forgeteval.errors import UserError, one_line

FILE = "answers.sqlite"
_SCHEMA = """CREATE TABLE IF NOT EXISTS said (
    key TEXT NOT NULL, endpoint TEXT NOT NULL, answer TEXT NOT NULL, PRIMARY KEY (key, endpoint)
)"""


def answers_file(folder: Path | None = None) -> Path:
    """The file of answers in a folder; by default that of the user's cache."""
    return (folder or cache_folder()) / FILE


class Answers:
    """A file of answers, shared by every run of this user.

    Args:
        folder: that it stands in; by default the user's cache folder, or that of FORGETEVAL_CACHE.

    Raises:
        UserError: where the file cannot be opened.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._path, self._keeps = answers_file(folder), True
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self._path, timeout=30, isolation_level=None, check_same_thread=False)
            self._connection.execute(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise UserError(f"{self._path}: cannot be used ({error}); move it away, or set FORGETEVAL_CACHE") from error

    def find(self, key: str, endpoint: str) -> str | None:
        """The chat completion that an endpoint gave to what has this key; None where there is none, or a damaged one.

        Args:
            endpoint: its address; empty for any, which has to be the only one that answered.

        Raises:
            UserError: where several did, or the file is damaged.
        """
        query = "SELECT endpoint, answer FROM said WHERE key = ? AND ? IN (endpoint, '')"
        try:
            found = self._connection.execute(query, [key, endpoint]).fetchall()
        except sqlite3.Error as error:
            raise UserError(f"{self._path}: cannot be read ({error}); move it away, or set FORGETEVAL_CACHE") from error
        if len(found) > 1:
            several = " and ".join(sorted(address for address, _ in found))
            raise UserError(f"{self._path}: {several} both answered this; name one by base_url")
        return found[0][1] if found and _is_good(found[0][1]) else None

    def endpoints(self, key: str) -> list[str]:
        """The addresses of those that answered what has this key."""
        found = self._connection.execute("SELECT endpoint FROM said WHERE key = ? ORDER BY endpoint", [key])
        return [str(address) for (address,) in found]

    def keep(self, key: str, endpoint: str, answer: str) -> None:
        """Keep a chat completion; where that fails, standard error says so once and the run goes on without."""
        try:
            self._connection.execute("INSERT OR REPLACE INTO said VALUES (?, ?, ?)", [key, endpoint, answer])
        except sqlite3.Error as error:
            if self._keeps:
                told = f"{self._path}: cannot be written ({error}); answers are not kept, and a later run asks again"
                print(one_line(told), file=sys.stderr)
            self._keeps = False


def _is_good(answer: object) -> bool:
    """Whether it is a chat completion as they are kept."""
    try:
        return isinstance(answer, str) and read_completion(answer).keep
    except UnusableAnswerError:
        return False
