"""A session of the OpenAI Agents SDK in the store.

```python
from lethe.store.openai_agents import LetheSession

session = LetheSession("ines", "memory.db", key="lethe.key")
await Runner.run(agent, "Where is the spare key?", session=session)
receipt = await session.forget()
```

Needs the package `openai-agents`.
"""

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lethe.store import arguments
from lethe.store.errors import needing
from lethe.store.normalisation import is_blank
from lethe.store.receipts import PurgeReceipt
from lethe.store.store import Store

with needing("openai-agents>=0.24"):
    from agents.items import TResponseInputItem
    from agents.memory.session_settings import SessionSettings, coerce_session_settings, resolve_session_limit

if TYPE_CHECKING:
    from lethe.store.keys import Key


class LetheSession:
    """The history of a conversation: each item is a memory whose session is `session_id`.

    `pop_item` and `clear_session` erase, as a purge does. `path`, `key`: as in `Store`; a `Store`, also one within an
    owner, serves instead of a file, and may serve many sessions. `session_settings`: the SDK's. `ValueError` for an id
    that shows nothing.

    Attributes:
        store: the store within this session, for recall, receipts and the log.
    """

    def __init__(
        self,
        session_id: str,
        path: str | Path | Store = ":memory:",
        *,
        key: "Key | str | Path | None" = None,
        session_settings: SessionSettings | dict[str, Any] | None = None,
    ) -> None:
        if is_blank(arguments.string("session_id", session_id)):
            raise ValueError(f"session_id must show something, not {session_id!r}")
        self.session_id = session_id
        self.session_settings = coerce_session_settings(session_settings or SessionSettings())
        self._file = path if isinstance(path, Store) else Store(path, key=key)
        self.store = self._file.within(session=session_id)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The items in their order; the last ones where there is a limit, given or of the settings."""
        most = resolve_session_limit(limit, self.session_settings)
        found = await asyncio.to_thread(self.store.memories)
        first = 0 if most is None or most < 0 else max(0, len(found) - most)
        return [json.loads(memory.text) for memory in found[first:]]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items at the end, in one transaction."""
        texts = [
            json.dumps(item, ensure_ascii=False, separators=(",", ":")) for item in arguments.several("items", items)
        ]
        await asyncio.to_thread(self.store.inscribe_many, texts)

    async def pop_item(self) -> TResponseInputItem | None:
        """Erase the last item, and give it; None if there is none."""
        return await asyncio.to_thread(self._popped)

    async def clear_session(self) -> None:
        """Erase all items of this session."""
        await self.forget()

    async def forget(self, *, stay_forgotten: bool = False) -> PurgeReceipt:
        """Erase all items of this session; returns the receipt."""
        return await asyncio.to_thread(self.store.purge_scope, stay_forgotten=stay_forgotten)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _popped(self) -> Any:
        while found := self.store.memories():
            try:
                self.store.purge(found[-1].memory_id)
            except LookupError:  # somebody else popped it
                continue
            return json.loads(found[-1].text)
        return None
