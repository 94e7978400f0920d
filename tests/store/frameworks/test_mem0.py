"""The store by the calls of Mem0's `Memory`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lethe.store.mem0 import Memory
from tests.support.agents import held


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path / "memory.db", key=tmp_path / "key")


def told(answer: dict[str, Any]) -> list[str]:
    return [each["memory"] for each in answer["results"]]


def test_messages_are_kept_word_for_word_and_found_by_user_and_metadata(memory: Memory) -> None:
    messages = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "I like tea.", "name": "ines"},
        {"role": "assistant", "content": "Noted."},
    ]
    added = memory.add(messages, user_id="ines", run_id="monday", metadata={"topic": "drinks", "n": 2})["results"]
    assert [(each["memory"], each["event"]) for each in added] == [("I like tea.", "ADD"), ("Noted.", "ADD")]
    memory.add("Tom likes beer.", user_id="tom")
    assert told(memory.search("tea", user_id="ines", limit=1)) == ["I like tea."]
    assert told(memory.search("beer", filters={"user_id": "ines", "topic": "films"})) == []
    assert set(told(memory.get_all(filters={"user_id": "ines", "n": {"gte": 2}, "NOT": [{"topic": "films"}]}))) == {
        "I like tea.",
        "Noted.",
    }
    assert told(memory.get_all(filters={"user_id": "ines", "OR": [{"n": 7}, {"topic": {"contains": "film"}}]})) == []
    assert told(memory.get_all(agent_id="x")) == [] and told(memory.search("tea", user_id="tom", threshold=0.99)) == []
    first = memory.get(added[0]["id"])
    assert first is not None
    assert (first["user_id"], first["run_id"], first["role"], first["actor_id"]) == ("ines", "monday", "user", "ines")
    assert first["metadata"] == {"topic": "drinks", "n": 2} and first["updated_at"] is None


def test_an_update_is_in_the_history_and_a_delete_leaves_nothing_of_it(memory: Memory, tmp_path: Path) -> None:
    id = memory.add("Ines likes walnuts.", user_id="ines", metadata={"a": 1})["results"][0]["id"]
    memory.update(id, "Ines likes almonds.")
    memory.update(id, metadata={"b": "quince"})
    now = memory.get(id)
    assert now is not None and (now["memory"], now["metadata"]) == ("Ines likes almonds.", {"b": "quince"})
    assert now["updated_at"] > now["created_at"] and now["user_id"] == "ines"
    assert [(each["event"], each["old_memory"], each["new_memory"]) for each in memory.history(id)][:2] == [
        ("ADD", None, "Ines likes walnuts."),
        ("UPDATE", "Ines likes walnuts.", "Ines likes almonds."),
    ]
    answer = memory.delete(id)
    assert answer["message"] == "Memory deleted successfully!" and answer["receipt"]["complete"]
    assert memory.get(id) is None and memory.history(id) == []
    assert held(tmp_path / "memory.db", "walnuts", "almonds", "quince", "ines", id) == []


def test_all_of_a_user_goes_and_the_others_stay(memory: Memory, tmp_path: Path) -> None:
    for user in ("ines", "tom"):
        memory.add([{"role": "user", "content": f"{user} fact {n}"} for n in range(3)], user_id=user)
    assert len(memory.delete_all(user_id="ines")["receipt"]["events"]) == 3
    assert memory.delete_all(user_id="ines")["receipt"] is None
    assert told(memory.get_all(user_id="ines")) == [] and len(told(memory.get_all(user_id="tom"))) == 3
    assert held(tmp_path / "memory.db", "ines fact", "tom fact") == ["tom fact"]
    memory.reset()
    assert held(tmp_path / "memory.db", "tom fact") == []


def test_an_id_that_is_given_holds_whatever_a_filter_says(memory: Memory) -> None:
    for user in ("ines", "tom"):
        memory.add(f"{user} has a secret.", user_id=user, agent_id="a")
    for filters in ({"user_id": "tom"}, {"user_id": {"ne": ""}}, {"user_id": None}):
        assert told(memory.search("secret", user_id="ines", filters=filters)) == ["ines has a secret."]
        assert told(memory.get_all(user_id="ines", filters=filters)) == ["ines has a secret."]
    assert told(memory.get_all(user_id="ines", filters={"OR": [{"user_id": "tom"}]})) == []


@pytest.mark.parametrize(
    "id", [{"$ne": "zzz"}, {"ne": ""}, {"in": ["ines"]}, ["ines"], 7, True, b"ines", "", " \u200b"]
)
@pytest.mark.parametrize("name", ["user_id", "agent_id", "run_id"])
def test_an_id_is_a_text_and_no_condition(memory: Memory, name: str, id: Any) -> None:
    memory.add("Ines likes tea.", user_id="ines")
    given: dict[str, Any] = {name: id}
    calls: list[Callable[[], Any]] = [
        lambda: memory.delete_all(**given),
        lambda: memory.add("x", **given),
        lambda: memory.get_all(**given),
        lambda: memory.search("tea", **given),
        lambda: memory.get_all(filters=given),
        lambda: memory.search("tea", filters=given),
    ]
    for wrong in calls:
        with pytest.raises((TypeError, ValueError), match=f"{name} must (be a string|show something), not"):
            wrong()
    assert told(memory.get_all(user_id="ines")) == ["Ines likes tea."]


def test_what_cannot_be_done_is_told_in_a_line(memory: Memory) -> None:
    with pytest.raises(ValueError, match="needs a model"):
        memory.add("x", user_id="ines", infer=True)
    for wrong in (lambda: memory.add("x"), lambda: memory.search("x"), lambda: memory.delete_all()):
        with pytest.raises(ValueError, match="say whose memories"):
            wrong()
    for unknown in (lambda: memory.update("x", "y"), lambda: memory.delete("x")):
        with pytest.raises(ValueError, match="Memory with id x not found"):
            unknown()
    with pytest.raises(ValueError, match="'icontains' is none of eq"):
        memory.search("x", filters={"user_id": "ines", "a": {"icontains": "b"}})
    for logic in ("AND", "OR", "NOT"):
        for given in ({"topic": "films"}, "topic", ["topic"], None):
            with pytest.raises(ValueError, match=f"{logic} needs a list of filters, not "):
                memory.get_all(filters={"user_id": "ines", logic: given})


@pytest.mark.parametrize(
    "given", [[{"role": "user"}], [{"role": "user", "content": None}], ["tea"], {"content": ["a"]}]
)
def test_a_message_without_a_text_is_refused(memory: Memory, given: Any) -> None:
    with pytest.raises(ValueError, match="a message is a mapping with a text as its content, not "):
        memory.add(given, user_id="ines")
    assert memory.get_all(user_id="ines")["results"] == []


def test_an_update_keeps_the_end_of_a_memory_and_what_has_ended_is_erased_like_others(
    memory: Memory, tmp_path: Path
) -> None:
    whose = {"user_id": "ines", "metadata": {}}
    memory.documents.put({"soon": {"text": "walnuts"} | whose}, expires_at=4e9)
    memory.update("soon", "almonds")
    assert [item.expires_at for item in memory.documents.get(["soon"])] == [4e9]
    for key, text in (("one", "quince"), ("two", "pistachio")):
        memory.documents.put({key: {"text": text} | whose}, expires_at=1.0)
    assert memory.get("one") is None and memory.delete("one")["receipt"]["complete"]
    with pytest.raises(ValueError, match="one not found"):
        memory.delete("one")
    assert len(memory.delete_all(user_id="ines")["receipt"]["events"]) == 3
    assert held(tmp_path / "memory.db", "walnuts", "almonds", "quince", "pistachio") == []
