"""Agent Development Kit: its memory service in memory, which finds events that share a word with the question."""

import asyncio
from collections.abc import Coroutine, Sequence
from itertools import count
from typing import Any

from forgeteval.stores.contract import Backend, Hit

_APP, _USER, _SESSION = "app", "user", "session"


class GoogleAdkBackend(Backend):
    """One service per case, a user for each owner; each fact is an event that the user wrote."""

    def __init__(self) -> None:
        from google.adk.events import Event
        from google.adk.memory import InMemoryMemoryService
        from google.genai import types

        self._type, self._event, self._types = InMemoryMemoryService, Event, types
        self._loop = asyncio.new_event_loop()
        self.reset()

    def reset(self) -> None:
        self._service: Any = self._type()
        self._users, self._ids = [_USER], count(1)

    def close(self) -> None:
        self._loop.close()

    def enter(self, owners: Sequence[str]) -> None:
        self._users = list(owners)

    def add(self, texts: Sequence[str]) -> None:
        for user in self._users:
            for text in texts:
                content = self._types.Content(role="user", parts=[self._types.Part(text=text)])
                event = self._event(author="user", id=str(next(self._ids)), content=content)
                kept = self._service.add_events_to_memory(
                    app_name=_APP, user_id=user, session_id=_SESSION, events=[event]
                )
                self._run(kept)

    def search(self, query: str, k: int) -> list[Hit]:
        """It gives no scores; the place in the ranking stands for one."""
        found = self._run(self._service.search_memory(app_name=_APP, user_id=self._users[0], query=query))
        return [Hit(each.id, each.content.parts[0].text, -place) for place, each in enumerate(found.memories[:k])]

    def delete(self, id: str | int) -> None:
        self._run(self._service.delete_memory(app_name=_APP, user_id=self._users[0], memory_id=id))

    def _run(self, call: Coroutine[Any, Any, Any]) -> Any:
        return self._loop.run_until_complete(call)
