"""A memory with the methods of Mem0's `Memory`, without a model: what is told is kept word for word (`infer=False`).

```python
from lethe.store.mem0 import Memory

memory = Memory("memory.db", key="lethe.key")
memory.add("Ines likes tea.", user_id="ines")
memory.search("what does Ines drink?", filters={"user_id": "ines"})
receipt = memory.delete_all(user_id="ines")["receipt"]
```

Needs nothing besides the store.
"""

import hashlib
import json
import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lethe.store import arguments
from lethe.store.documents import TEXT, Documents
from lethe.store.embedders import Embed
from lethe.store.items import Item
from lethe.store.normalisation import is_blank
from lethe.store.receipts import PurgeReceipt

if TYPE_CHECKING:
    from lethe.store.keys import Key

_WHOSE = ("user_id", "agent_id", "run_id")
_SIGNS = ("eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "contains")
_LOGIC = {"AND": "$and", "OR": "$or", "NOT": "$not"}
Answer = dict[str, Any]


class Memory:
    """Mem0's calls on a file that can be told to forget: the same arguments, and results of the same form.

    `update` supersedes: the older text stays in `history`, and in the file. `delete`, `delete_all` and `reset` erase,
    as a purge does, with every earlier text; so nothing is left of a memory in `history`, and the first two give the
    receipt with their message. `path`, `key`, `embedder`: as in `Store`.

    Attributes:
        documents: what is beneath, with its `store` for receipts, the log and audits.
    """

    def __init__(
        self,
        path: str | Path = ":memory:",
        *,
        embedder: str | Embed | None = None,
        key: "Key | str | Path | None" = None,
    ) -> None:
        self.documents = Documents(path, "mem0", embedder=embedder, key=key)

    def add(
        self,
        messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        infer: bool = False,
    ) -> Answer:
        """Keep a text, or each message but those of the system; `ValueError` without any of the three ids.

        An id is a text that shows something, here and elsewhere: `TypeError` or `ValueError` for any other.
        """
        if infer:
            raise ValueError("infer=True needs a model, which this memory has not; give infer=False")
        whose = _whose(user_id, agent_id, run_id)
        told = {}
        for message in _messages(messages):
            said = {"role": message.get("role"), "actor_id": message.get("name")}
            kept = {name: value for name, value in said.items() if value is not None}
            told[str(uuid.uuid4())] = {TEXT: message["content"], "metadata": dict(metadata or {})} | whose | kept
        self.documents.put(told)
        return {"results": [{"id": id, "memory": value[TEXT], "event": "ADD"} for id, value in told.items()]}

    def get(self, memory_id: str) -> Answer | None:
        """The memory with this id; None if there is none."""
        found = self.documents.get([memory_id])
        return _told(found[0]) if found else None

    def get_all(
        self,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        filters: Mapping[str, Any] | None = None,
        top_k: int = 20,
        limit: int | None = None,
    ) -> Answer:
        """The memories of a user, an agent or a run, the newest first; an id that is given beside `filters` holds."""
        asked = _asked(filters, user_id, agent_id, run_id)
        return {"results": [_told(item) for item in self.documents.listed(asked, limit or top_k)]}

    def search(
        self,
        query: str,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        filters: Mapping[str, Any] | None = None,
        top_k: int = 20,
        limit: int | None = None,
        threshold: float | None = None,
    ) -> Answer:
        """The memories of a user, an agent or a run that are nearest to a text; `threshold`: the least cosine."""
        found = self.documents.nearest(query, limit or top_k, _asked(filters, user_id, agent_id, run_id))
        return {
            "results": [
                _told(item) | {"score": score} for item, score in found if threshold is None or score >= threshold
            ]
        }

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        *,
        data: str | None = None,
    ) -> Answer:
        """Supersede a memory's text, its metadata, or both; `ValueError` if there is none with this id."""
        item = self._found(memory_id)
        said = text if text is not None else data
        changed = item.value | ({} if said is None else {TEXT: said})
        changed |= {} if metadata is None else {"metadata": dict(metadata)}
        self.documents.put({memory_id: changed}, expires_at=item.expires_at)
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> Answer:
        """Erase a memory with every earlier text; `ValueError` if there is none with this id."""
        receipt = self.documents.erase([memory_id])
        if receipt is None:
            raise _not_found(memory_id)
        return {"message": "Memory deleted successfully!"} | _receipt(receipt)

    def delete_all(self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None) -> Answer:
        """Erase the memories of a user, an agent or a run; `ValueError` without any of the three."""
        receipt = self.documents.erase(given=_whose(user_id, agent_id, run_id))
        return {"message": "Memories deleted successfully!"} | _receipt(receipt)

    def history(self, memory_id: str) -> list[Answer]:
        """The texts that a memory had, oldest first; empty for one that was erased."""
        found = self.documents.get([memory_id])
        line = self.documents.line(found[0]) if found else []
        texts = [None, *(value[TEXT] for value, _ in line)]
        return [
            {
                "memory_id": memory_id,
                "old_memory": old,
                "new_memory": value[TEXT],
                "event": "ADD" if old is None else "UPDATE",
                "created_at": _moment(at),
                "is_deleted": False,
            }
            for old, (value, at) in zip(texts, line, strict=False)
        ]

    def reset(self) -> None:
        """Erase every memory."""
        self.documents.erase()

    def close(self) -> None:
        """Close the file."""
        self.documents.store.close()

    def _found(self, memory_id: str) -> Item:
        found = self.documents.get([memory_id])
        if not found:
            raise _not_found(memory_id)
        return found[0]


def _not_found(memory_id: str) -> ValueError:
    return ValueError(f"Memory with id {memory_id} not found")


def _messages(given: str | Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    if isinstance(given, str):
        return [{"content": given}]
    several = [given] if isinstance(given, Mapping) else given
    for message in several:
        if not isinstance(message, Mapping) or not isinstance(message.get("content"), str):
            raise ValueError(f"a message is a mapping with a text as its content, not {message!r:.80}")
    return [message for message in several if message.get("role") != "system"]


def _whose(*ids: str | None) -> dict[str, str]:
    whose = {name: arguments.string(name, id) for name, id in zip(_WHOSE, ids, strict=True) if id is not None}
    for name, id in whose.items():
        if is_blank(id):
            raise ValueError(f"{name} must show something, not {id!r:.80}")
    if not whose:
        raise ValueError(f"say whose memories: give {', '.join(_WHOSE[:-1])} or {_WHOSE[-1]}")
    return whose


def _asked(filters: Mapping[str, Any] | None, *ids: str | None) -> dict[str, Any]:
    """The store's filter of what Mem0 asks for; `ValueError` where it does not say whose memories."""
    # Further ids of a filter, below AND, OR and NOT, can only narrow what these let through.
    given = dict(filters or {}) | {name: id for name, id in zip(_WHOSE, ids, strict=True) if id is not None}
    _whose(*map(given.get, _WHOSE))
    return _filter(given)


def _filter(given: Mapping[str, Any]) -> dict[str, Any]:
    asked: dict[str, Any] = {}
    for name, wanted in given.items():
        if name in _LOGIC:
            if not isinstance(wanted, list | tuple) or not all(isinstance(each, Mapping) for each in wanted):
                raise ValueError(f"{name} needs a list of filters, not {wanted!r:.80}")
            parts = [_filter(each) for each in wanted]
            asked[_LOGIC[name]] = {"$or": parts} if name == "NOT" else parts
            continue
        if isinstance(wanted, Mapping):
            if unknown := wanted.keys() - set(_SIGNS):
                raise ValueError(f"filter of {name}: {min(unknown)!r:.80} is none of {', '.join(_SIGNS)}")
            wanted = {f"${sign}": value for sign, value in wanted.items()}
        asked[name if name in _WHOSE else f"metadata.{name}"] = wanted
    return asked


def _told(item: Item) -> Answer:
    value = item.value
    whose = {name: value[name] for name in (*_WHOSE, "role", "actor_id") if name in value}
    return {
        "id": item.key,
        "memory": value[TEXT],
        "hash": hashlib.md5(value[TEXT].encode(), usedforsecurity=False).hexdigest(),
        "metadata": value["metadata"] or None,
        "created_at": _moment(item.created_at),
        "updated_at": _moment(item.updated_at) if item.updated_at > item.created_at else None,
    } | whose


def _receipt(receipt: PurgeReceipt | None) -> Answer:
    return {"receipt": None if receipt is None else json.loads(receipt.to_json())}


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()
