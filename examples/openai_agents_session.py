"""An agent of the OpenAI Agents SDK whose history and memory can be told to forget, in two processes on one file.

python openai_agents_session.py memory.db monday     # told what Ines eats
python openai_agents_session.py memory.db tuesday    # goes on, is asked to forget it all, and shows the receipt

The model is scripted, so that this runs anywhere; any model does the same.
"""

import argparse
import asyncio

from agents import Agent, RunConfig, Runner, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call

from lethe.store import Store
from lethe.store.openai_agents import LetheSession
from lethe.store.tools import functions

REMEMBER = function_call("remember", {"text": "Ines eats walnut bread."}, call_id="1")
FORGET = function_call("forget", {"memory_id": 2}, call_id="2")
SCRIPTS = {
    "monday": [[REMEMBER], [assistant_message("Noted.")]],
    "tuesday": [[FORGET], [assistant_message("Forgotten.")]],
}


async def main(file: str, day: str) -> None:
    """Play a day on a file, and print what the tools and the model said, one a line."""
    store = Store(file, key=f"{file}.key").within(owner="ines")
    session = LetheSession("walnut talk", store)
    if day == "tuesday":
        print(len(await session.get_items()), "items before")
    agent = Agent(
        "Aid",
        tools=list(map(function_tool, functions(store.within(session="notes")))),
        model=ScriptedModel(SCRIPTS[day]),
    )
    result = await Runner.run(agent, day, session=session, run_config=RunConfig(tracing_disabled=True))
    for item in result.new_items:
        if item.type == "tool_call_output_item":
            print(item.output)
    print(result.final_output)
    if day == "tuesday":
        await session.forget()
        print(len(await session.get_items()), "items after")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A session of an agent that can be told to forget.")
    parser.add_argument("file", help="where the memory is kept; its key is FILE.key")
    parser.add_argument("day", choices=SCRIPTS)
    asyncio.run(main(**vars(parser.parse_args())))
