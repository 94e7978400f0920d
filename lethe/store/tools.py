"""What a model may do with a store, as functions of which every framework makes tools."""

from collections.abc import Callable

from lethe.store.store import Store


def functions(store: Store, k: int = 5) -> list[Callable[..., str]]:
    """`remember`, `recall`, `supersede` and `forget`, whose names, types and docstrings are for a model to read.

    `forget` gives the receipt, as JSON. What a model can put right, an id that is none, is told in a line.

    ```python
    tools = [langchain_core.tools.tool(each) for each in functions(store)]
    tools = [agents.function_tool(each) for each in functions(store)]
    tools = [FunctionTool.from_defaults(each) for each in functions(store)]  # LlamaIndex
    ```
    """

    def remember(text: str) -> str:
        """Remember a fact. Gives its id."""
        return _told(lambda: f"memory {store.inscribe(text)}")

    def recall(query: str) -> str:
        """Look for what is known about something: the memories that answer it best, each with its id."""
        found = store.recall(query, k)
        return "\n".join(f"{memory.memory_id}: {memory.text}" for memory in found) or "nothing"

    def supersede(memory_id: int, text: str) -> str:
        """Replace what is remembered under an id by what is true now. Gives the new id."""
        return _told(lambda: f"memory {store.supersede(memory_id, text)}")

    def forget(memory_id: int) -> str:
        """Erase a memory for good, with what it replaced. Gives the receipt."""
        return _told(lambda: store.purge(memory_id, with_line=True).to_json())

    return [remember, recall, supersede, forget]


def _told(act: Callable[[], str]) -> str:
    try:
        return act()
    except (LookupError, ValueError) as error:
        return f"not done: {error}"
