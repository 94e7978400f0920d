"""The folder of a local Qdrant, without its client: the payloads of its points."""

import io
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lethe.store.errors import LetheError
from lethe.store.importing import database
from lethe.store.importing.rows import check_size

_STORAGE = "storage.sqlite"


def collections(folder: Path) -> list[str]:
    """The names of the collections of a folder, which may be none of Qdrant's."""
    found = folder / "collection"
    return sorted(each.parent.name for each in found.glob(f"*/{_STORAGE}"))


def points(folder: Path, collection: str) -> Iterator[tuple[str, Any, Any]]:
    """Each point of a collection: where it was read, its id and its payload; the one that was last written last.

    An older client may have left several rows of one point, of which the last counts.
    """
    found: dict[str, tuple[str, Any]] = {}
    file = folder / "collection" / collection / _STORAGE
    with database.opened(file, {"points": ("id", "point")}, within=folder) as connection:
        for number, point in connection.execute("SELECT rowid, point FROM points ORDER BY rowid"):
            where = f"{file}, row {number} of points"
            id, payload = _read(where, point)
            found.pop(id, None)
            found[id] = where, payload
    for id, (where, payload) in found.items():
        yield where, id, payload


class _Inert:
    """Stands for every object of Qdrant's client in a point: it keeps what it was given, and does nothing."""

    def __setstate__(self, state: Any) -> None:
        self.state = state


class _Reading(pickle._Unpickler):
    """Reads a point as Qdrant's client pickles it, and takes nothing else from anywhere.

    The one in Python: it has no memo that a number in the file makes as large as it likes.
    """

    def find_class(self, module: str, name: str) -> Any:
        if module != "qdrant_client.http.models.models":
            raise pickle.UnpicklingError(f"{module}.{name} is nothing that a point has")
        return _Inert


def _read(where: str, point: Any) -> tuple[str, Any]:
    """The id and the payload of a point; `LetheError` for other bytes, of which nothing is run."""
    try:
        told = _Reading(io.BytesIO(point)).load().state["__dict__"]
        check_size([told["id"], told["payload"]])
        return str(told["id"]), told["payload"]
    except Exception as error:
        raise LetheError(
            f"{where}: no point of Qdrant's ({error!r:.80}); take it out, or give get_all's JSON"
        ) from error
