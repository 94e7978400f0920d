"""A LangGraph agent whose memory can be told to forget, in two processes on one file.

python langgraph_agent.py memory.db monday     # told what Ines likes, then told otherwise
python langgraph_agent.py memory.db tuesday    # recalls it, is asked to forget it, and shows the receipt

The model is scripted, so that this runs anywhere; any chat model with tools does the same.
"""

import argparse
from typing import Annotated, Any

from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.graph import END, MessagesState, StateGraph
from langgraph.prebuilt import InjectedStore, ToolNode
from langgraph.store.base import BaseStore

from lethe.store.langgraph import LetheStore

USER = ("users", "ines")
Memory = Annotated[Any, InjectedStore()]


@tool
def remember(key: str, text: str, store: Memory) -> str:
    """Remember a fact about the user; what stood under the same key is superseded."""
    store.put(USER, key, {"text": text})
    return f"remembered: {text}"


@tool
def recall(query: str, store: Memory) -> str:
    """What is known of the user about something."""
    return "; ".join(item.value["text"] for item in store.search(USER, query=query)) or "nothing"


@tool
def forget(key: str, store: Memory) -> str:
    """Erase a fact about the user, with every value that it had."""
    try:
        return str(store.forget(USER, key).to_json())
    except LookupError:
        return f"nothing was stored under {key}"


def call(name: str, **arguments: str) -> AIMessage:
    """What a model says that calls a tool."""
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": name}])


SCRIPTS = {
    "monday": [
        call("remember", key="drink", text="Ines likes tea."),
        call("remember", key="drink", text="Ines likes coffee."),
        AIMessage("Noted."),
    ],
    "tuesday": [
        call("recall", query="what does Ines drink?"),
        call("forget", key="drink"),
        call("recall", query="what does Ines drink?"),
        AIMessage("Forgotten."),
    ],
}


def embed(texts: list[str]) -> list[list[float]]:
    """Letters as numbers: enough for an example; give a real embedder."""
    return [[text.lower().count(letter) + 0.01 for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]


def agent(script: list[AIMessage], store: BaseStore) -> Any:
    """A model and its tools in turn, until the model calls none."""
    model = GenericFakeChatModel(messages=iter(script))
    graph = StateGraph(MessagesState)
    graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode([remember, recall, forget]))
    graph.set_entry_point("model")
    graph.add_conditional_edges("model", lambda state: "tools" if state["messages"][-1].tool_calls else END)
    graph.add_edge("tools", "model")
    return graph.compile(store=store)


def main(file: str, day: str) -> None:
    """Play a day on a file, and print what the tools and the model said, one a line."""
    index = {"dims": 26, "embed": embed, "fields": ["text"]}
    with LetheStore.from_conn_string(file, index=index, key=f"{file}.key") as store:
        for message in agent(SCRIPTS[day], store).invoke({"messages": [("user", day)]})["messages"][1:]:
            if message.content:
                print(message.content)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="An agent whose memory can be told to forget.")
    parser.add_argument("file", help="where the memory is kept; its key is FILE.key")
    parser.add_argument("day", choices=SCRIPTS)
    main(**vars(parser.parse_args()))
