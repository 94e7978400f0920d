"""LangMem: the tools by which an agent keeps its memories in a LangGraph store, and searches them."""

import json
from collections.abc import Sequence
from typing import Any

from forgeteval.embed.embedder import Embedder
from forgeteval.stores.contract import Backend, Hit

_OWNER, _ID = "user", "langgraph_user_id"


class _Renewed:
    """The store in memory of the case, for tools that are made once."""

    def __init__(self) -> None:
        self.store: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)


class LangmemBackend(Backend):
    """One store in memory per case, a namespace for each owner; both tools are called as an agent calls them."""

    def __init__(self, embedder: Embedder) -> None:
        from langgraph.store.memory import InMemoryStore
        from langmem import create_manage_memory_tool, create_search_memory_tool

        self._type: Any = InMemoryStore
        # As what the store makes of lists of numbers at each search, so that it need not.
        self._index = {"dims": embedder.dim, "embed": lambda texts: list(embedder.embed(list(texts)).astype("float64"))}
        self._renewed = _Renewed()
        given: Any = {"namespace": ("memories", f"{{{_ID}}}"), "store": self._renewed}
        self._manage, self._search = create_manage_memory_tool(**given), create_search_memory_tool(**given)
        self.reset()

    def reset(self) -> None:
        self._renewed.store = self._type(index=self._index)
        self._owners = [_OWNER]

    def enter(self, owners: Sequence[str]) -> None:
        self._owners = list(owners)

    def add(self, texts: Sequence[str]) -> None:
        for owner in self._owners:
            for text in texts:
                self._call(self._manage, owner, content=text, action="create")

    def search(self, query: str, k: int) -> list[Hit]:
        found = json.loads(self._call(self._search, self._owners[0], query=query, limit=k))
        return [Hit(each["key"], each["value"]["content"], each["score"]) for each in found]

    def supersede_id(self, id: str | int, text: str) -> None:
        self._call(self._manage, self._owners[0], content=text, action="update", id=id)

    def delete(self, id: str | int) -> None:
        self._call(self._manage, self._owners[0], action="delete", id=id)

    def _call(self, tool: Any, owner: str, **given: Any) -> str:
        answer: str = tool.invoke(given, config={"configurable": {_ID: owner}})
        return answer
