"""Reading the files of a released data set: a mistake in them is one line that names the file and the place."""

import codecs
import reprlib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from forgeteval.cases.history import History
from forgeteval.errors import UserError
from forgeteval.files import read_file
from forgeteval.json_records import parse_storable
from forgeteval.scoring.scorers import as_seen

T = TypeVar("T")


_FEW = 100
"""Letters of a long text among which one commonly shows something."""


def says_something(text: str) -> bool:
    """Whether anything of a text shows."""
    return bool((text if text.isascii() else as_seen(text[:_FEW]).strip() or as_seen(text)).strip())


def not_blank(text: str) -> str:
    """The text; ValueError where it says nothing."""
    if not says_something(text):
        raise ValueError("is empty or blank")
    return text


Text = Annotated[str, AfterValidator(not_blank)]
"""A text that says something."""


class Released(BaseModel):
    """A record of a data set. Nothing is converted, and fields that no loader reads are passed over."""

    model_config = ConfigDict(strict=True, frozen=True)


def read_json(path: Path) -> Any:
    """The content of a JSON file.

    Raises:
        UserError: where it cannot be read, is not JSON or holds what UTF-8 cannot encode.
    """
    try:
        return parse_storable(read_file(path).removeprefix(codecs.BOM_UTF8))
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"{path}: cannot be read as JSON ({error}); remove the data set and fetch it again") from error


def read_released(path: Path, kind: type[T]) -> T:
    """The content of a JSON file as records of this kind.

    Raises:
        UserError: as of `read_json` and `as_released`.
    """
    return as_released(path, kind, read_json(path))


def as_released(path: Path, kind: type[T], content: Any) -> T:
    """What a file holds as records of this kind.

    Raises:
        UserError: naming the first place that is not in the released format.
    """
    try:
        return TypeAdapter(kind).validate_python(content, strict=True)
    except ValidationError as error:
        raise unexpected(path, _described(error.errors(include_url=False)[0])) from None


def check_unique(path: Path, what: str, names: Iterable[str]) -> None:
    """Check that no name is given twice.

    Raises:
        UserError: naming one that is.
    """
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise unexpected(path, f"{what} {twice[0]!r} is given twice")


def check_histories(path: Path, histories: Sequence[History]) -> None:
    """Check that every history has a name of its own, memories, and questions with ids of their own, some with gold.

    Raises:
        UserError: naming the history that has not.
    """
    if not histories:
        raise unexpected(path, "holds no question")
    check_unique(path, "the history", (history.name for history in histories))
    for history in histories:
        for events, what in ((history.operations, "memory"), (history.questions, "question")):
            if not events:
                raise unexpected(path, f"{history.name!r} has no {what}")
        check_unique(path, f"{history.name!r}: the question", (each.question_id for each in history.questions))
    if not any(each.gold_rows or each.required or each.forbidden for of in histories for each in of.questions):
        raise unexpected(path, "no question has gold: a memory or a value that is to be recalled, or not")


def unexpected(path: Path, problem: str) -> UserError:
    """The error of a file that is not in the released format."""
    return UserError(f"{path}: {problem:.300}; this loader reads the released format only")


def _described(error: ErrorDetails) -> str:
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error["loc"]).removeprefix(".")
    said = error["msg"].removeprefix("Value error, ").removeprefix("Input ")
    if error["type"] == "missing":
        return f"{place} is missing"
    shown = "" if error["type"] == "value_error" else f", not {reprlib.repr(error['input'])}"
    return f"{place or 'the file'}: {said}{shown}"
