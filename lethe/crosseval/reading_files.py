"""Reading the files of a released data set: a mistake in them is one line that names the file."""

from pathlib import Path
from typing import Any

from forgeteval.errors import UserError
from forgeteval.files import read_file
from forgeteval.json_records import parse_json


def read_json(path: Path) -> Any:
    """The content of a JSON file.

    Raises:
        UserError: where it cannot be read or is no JSON.
    """
    try:
        return parse_json(read_file(path).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"{path}: cannot be read as JSON ({error}); fetch the data set again") from error


def unexpected(path: Path, problem: str) -> UserError:
    """The error of a file that is not in the released format."""
    return UserError(f"{path}: {problem}; this loader reads the released format only")
