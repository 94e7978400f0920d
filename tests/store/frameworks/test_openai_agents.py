"""A session of the OpenAI Agents SDK: a conversation with a scripted model over two processes."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lethe.store import Store, read_key, verifier
from tests.support.agents import held
from tests.support.paths import ROOT

pytest.importorskip("agents.testing", reason="needs openai-agents (envs/frameworks.lock)")

from lethe.store.openai_agents import LetheSession


def item(text: str) -> Any:
    return {"role": "user", "content": text}


def test_items_are_kept_in_order_with_limits_and_a_popped_one_is_erased(tmp_path: Path) -> None:
    async def run() -> None:
        session = LetheSession("ines", tmp_path / "memory.db", session_settings={"limit": 2})
        other = LetheSession("tom", session._file)
        await session.add_items([item("one"), item("two"), item("pistachio ✓")])
        await other.add_items([item("stays")])
        await other.add_items([])
        assert [each["content"] for each in await session.get_items(3)] == ["one", "two", "pistachio ✓"]
        assert [each["content"] for each in await session.get_items()] == ["two", "pistachio ✓"]
        assert await session.get_items(0) == [] and len(await session.get_items(-1)) == 3
        assert await session.pop_item() == item("pistachio ✓")
        assert held(tmp_path / "memory.db", "pistachio", "two") == ["two"]
        await session.clear_session()
        assert await session.pop_item() is None and await session.get_items() == []
        assert held(tmp_path / "memory.db", "two", "stays") == ["stays"]
        session.close()

    asyncio.run(run())


def test_one_item_is_no_list_of_them() -> None:
    session = LetheSession("ines", Store())
    for given in ("abc", item("one")):
        with pytest.raises(TypeError, match="items must be a list, not "):
            asyncio.run(session.add_items(given))  # type: ignore[arg-type]
    assert session.store.count() == 0


@pytest.mark.parametrize("id", [None, "", " "])
def test_a_session_has_an_id_that_shows_something(id: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="session_id must"):
        LetheSession(id, Store())


def test_each_of_two_handles_pops_what_the_other_left(tmp_path: Path) -> None:
    first, second = (LetheSession("ines", tmp_path / "memory.db") for _ in range(2))
    purge = first.store.purge

    def purged_meanwhile(memory_id: int) -> Any:
        first.store.purge = purge  # type: ignore[method-assign]
        assert asyncio.run(second.pop_item()) == item("two")
        return purge(memory_id)

    asyncio.run(first.add_items([item("one"), item("two")]))
    first.store.purge = purged_meanwhile  # type: ignore[method-assign, assignment]
    assert asyncio.run(first.pop_item()) == item("one")
    assert asyncio.run(second.get_items()) == []


def test_tasks_share_a_session_without_an_error() -> None:
    async def run() -> None:
        session = LetheSession("ines", Store().within(owner="ines"))
        await asyncio.gather(*(session.add_items([item(str(n))]) for n in range(32)))
        assert {each["content"] for each in await session.get_items()} == {str(n) for n in range(32)}

    asyncio.run(run())


def said(file: Path, day: str) -> list[str]:
    command = [sys.executable, str(ROOT / "examples" / "openai_agents_session.py"), str(file), day]
    done = subprocess.run(command, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_an_agent_goes_on_with_its_history_and_forgets_with_a_receipt_over_two_processes(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    assert said(file, "monday") == ["memory 2", "Noted."]
    assert held(file, "walnut", "Noted") == ["walnut", "Noted"]
    items, receipt, last, after = said(file, "tuesday")
    assert (items, last, after) == ("4 items before", "Forgotten.", "0 items after")
    assert held(file, "walnut", "Noted", "ines") == []
    verifier.verify(receipt, read_key(f"{file}.key").public.hex(), file)
