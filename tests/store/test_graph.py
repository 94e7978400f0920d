"""The tools of the reference memory server for MCP: its own tests in our words, by a client; and that deleting erases.

Left out are its tests of its file's lines, of the variable that names its file, and of subscriptions, which this server
does not offer.
"""

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from lethe.store import Store
from tests.support.agents import held, package
from tests.support.hash_embedder import DIM, hash_embed

package("mcp")

from mcp import Client  # noqa: E402

from lethe.store.graph import Graph  # noqa: E402
from lethe.store.mcp import server  # noqa: E402

Told = dict[str, Any]


class Tools:
    """The tools by name, as the reference server's manager has its methods."""

    def __init__(self, client: Any) -> None:
        self.client = client

    def __getattr__(self, tool: str) -> Callable[..., Coroutine[Any, Any, Told]]:
        async def call(**given: Any) -> Told:
            result = await self.client.call_tool(tool, given)
            if result.is_error:
                raise ValueError(result.content[0].text)
            told: Told = result.structured_content
            return told

        return call


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "graph.db"


@pytest.fixture
def play(path: Path) -> Iterator[Callable[[Callable[[Tools], Coroutine[Any, Any, None]]], None]]:
    """Plays a conversation with the server of a file; each play opens the file anew."""

    def run(conversation: Callable[[Tools], Coroutine[Any, Any, None]]) -> None:
        async def connected() -> None:
            with Store(path, embed=hash_embed, dim=DIM) as store:
                async with Client(server(store, tools="graph")) as client:
                    await conversation(Tools(client))
                assert store.audit() == []

        asyncio.run(connected())

    yield run


def entity(name: str, *observations: str, kind: str = "person") -> Told:
    return {"name": name, "entityType": kind, "observations": list(observations)}


def relation(start: str, kind: str, end: str) -> Told:
    return {"from": start, "to": end, "relationType": kind}


ALICE = entity("Alice", "works at Acme Corp")
PEOPLE = [entity("Alice"), entity("Bob"), entity("Charlie")]
KNOWN = [relation("Alice", "knows", "Bob"), relation("Bob", "knows", "Charlie")]
OFFICE = [
    entity("Alice", "works at Acme Corp", "likes programming"),
    entity("Bob", "works at TechCo"),
    entity("Acme Corp", "tech company", kind="company"),
]
JOBS = [relation("Alice", "works_at", "Acme Corp"), relation("Bob", "competitor", "Acme Corp")]


def test_new_entities_are_created_once_and_none_for_none(play: Any) -> None:
    async def conversation(tools: Tools) -> None:
        two = [ALICE, entity("Bob", "likes programming")]
        assert await tools.create_entities(entities=two) == {"entities": two}
        assert await tools.create_entities(entities=[ALICE]) == {"entities": []}
        assert await tools.create_entities(entities=[]) == {"entities": []}
        assert len((await tools.read_graph())["entities"]) == 2

    play(conversation)


def test_new_relations_are_created_once_and_none_for_none(play: Any) -> None:
    async def conversation(tools: Tools) -> None:
        await tools.create_entities(entities=PEOPLE)
        assert await tools.create_relations(relations=KNOWN[:1]) == {"relations": KNOWN[:1]}
        assert await tools.create_relations(relations=KNOWN[:1]) == {"relations": []}
        assert await tools.create_relations(relations=[]) == {"relations": []}
        assert (await tools.read_graph())["relations"] == KNOWN[:1]

    play(conversation)


def test_observations_are_added_once_to_an_entity_that_is_there(play: Any) -> None:
    async def conversation(tools: Tools) -> None:
        await tools.create_entities(entities=[ALICE])
        first = await tools.add_observations(
            observations=[{"entityName": "Alice", "contents": ["likes coffee", "has a dog"]}]
        )
        assert first == {"results": [{"entityName": "Alice", "addedObservations": ["likes coffee", "has a dog"]}]}
        second = await tools.add_observations(
            observations=[{"entityName": "Alice", "contents": ["likes coffee", "has a cat"]}]
        )
        assert second["results"][0]["addedObservations"] == ["has a cat"]
        assert len((await tools.read_graph())["entities"][0]["observations"]) == 4
        with pytest.raises(ValueError, match="Entity with name NonExistent not found"):
            await tools.add_observations(observations=[{"entityName": "NonExistent", "contents": ["some"]}])

    play(conversation)


def test_an_entity_is_deleted_with_its_relations(play: Any) -> None:
    async def conversation(tools: Tools) -> None:
        await tools.create_entities(entities=PEOPLE)
        await tools.create_relations(relations=KNOWN)
        await tools.delete_entities(entityNames=["NonExistent"])
        assert len((await tools.read_graph())["entities"]) == 3
        await tools.delete_entities(entityNames=["Bob"])
        assert await tools.read_graph() == {"entities": [PEOPLE[0], PEOPLE[2]], "relations": []}

    play(conversation)


def test_observations_are_deleted_and_those_of_nobody_are_no_error(play: Any) -> None:
    async def conversation(tools: Tools) -> None:
        await tools.create_entities(entities=[entity("Alice", "works at Acme Corp", "likes coffee")])
        await tools.delete_observations(deletions=[{"entityName": "Alice", "observations": ["likes coffee"]}])
        await tools.delete_observations(deletions=[{"entityName": "NonExistent", "observations": ["some"]}])
        assert (await tools.read_graph())["entities"] == [ALICE]

    play(conversation)


def test_one_relation_of_two_is_deleted(play: Any) -> None:
    async def conversation(tools: Tools) -> None:
        await tools.create_entities(entities=PEOPLE[:2])
        await tools.create_relations(relations=[KNOWN[0], relation("Alice", "works_with", "Bob")])
        await tools.delete_relations(relations=KNOWN[:1])
        assert (await tools.read_graph())["relations"] == [relation("Alice", "works_with", "Bob")]

    play(conversation)


def test_the_graph_is_read_empty_and_whole_and_stays_when_the_file_is_opened_anew(play: Any) -> None:
    whole = {"entities": [ALICE], "relations": [relation("Alice", "self", "Alice")]}

    async def first(tools: Tools) -> None:
        assert await tools.read_graph() == {"entities": [], "relations": []}
        await tools.create_entities(entities=whole["entities"])
        await tools.create_relations(relations=whole["relations"])
        assert await tools.read_graph() == whole

    async def second(tools: Tools) -> None:
        assert await tools.read_graph() == whole
        assert await tools.search_nodes(query="Alice") == whole
        assert await tools.open_nodes(names=["Alice", "Bob"]) == whole

    play(first)
    play(second)


SEARCHES = [
    ("Alice", ["Alice"], [0]),
    ("company", ["Acme Corp"], [0, 1]),
    ("programming", ["Alice"], [0]),
    ("ALICE", ["Alice"], [0]),
    ("Acme", ["Alice", "Acme Corp"], [0, 1]),
    ("NonExistent", [], []),
]


@pytest.mark.parametrize(("query", "names", "relations"), SEARCHES)
def test_a_search_is_by_name_type_and_observation_in_any_case_with_relations(
    play: Any, query: str, names: list[str], relations: list[int]
) -> None:
    async def conversation(tools: Tools) -> None:
        await tools.create_entities(entities=OFFICE)
        await tools.create_relations(relations=JOBS)
        found = await tools.search_nodes(query=query)
        assert [each["name"] for each in found["entities"]] == names
        assert found["relations"] == [JOBS[number] for number in relations]

    play(conversation)


OPENED = [
    (["Alice", "Bob"], ["Alice", "Bob"], [0, 1]),
    (["Bob"], ["Bob"], [0, 1]),
    (["Alice"], ["Alice"], [0]),
    (["Charlie"], ["Charlie"], [1]),
    (["NonExistent"], [], []),
    ([], [], []),
]


@pytest.mark.parametrize(("names", "found", "relations"), OPENED)
def test_nodes_are_opened_with_the_relations_at_either_end(
    play: Any, names: list[str], found: list[str], relations: list[int]
) -> None:
    async def conversation(tools: Tools) -> None:
        await tools.create_entities(entities=PEOPLE)
        await tools.create_relations(relations=KNOWN)
        opened = await tools.open_nodes(names=names)
        assert [each["name"] for each in opened["entities"]] == found
        assert opened["relations"] == [KNOWN[number] for number in relations]

    play(conversation)


def test_the_graph_is_a_resource_in_json(play: Any) -> None:
    async def conversation(tools: Tools) -> None:
        await tools.create_entities(entities=[ALICE])
        [resource] = (await tools.client.list_resources()).resources
        assert (resource.name, str(resource.uri)) == ("knowledge-graph", "memory://knowledge-graph")
        assert resource.mime_type == "application/json"
        [content] = (await tools.client.read_resource("memory://knowledge-graph")).contents
        assert json.loads(content.text) == {"entities": [ALICE], "relations": []}

    play(conversation)


def test_tools_that_delete_say_so(play: Any) -> None:
    async def conversation(tools: Tools) -> None:
        listed = (await tools.client.list_tools()).tools
        destructive = {tool.name for tool in listed if tool.annotations.destructive_hint}
        assert destructive == {"delete_entities", "delete_observations", "delete_relations"}
        assert len(listed) == 9

    play(conversation)


@pytest.mark.parametrize(
    ("tool", "given", "told"),
    [
        ("create_entities", {"entities": [], "owner": "bob"}, "no argument 'owner'; it takes entities"),
        ("read_graph", {"query": "a"}, "no argument 'query'; it takes none"),
        ("search_nodes", {"query": "a", "k": 1, "of": 2}, "no argument 'k', 'of'; it takes query"),
        ("create_entities", {"entities": [entity("A") | {"owner": "bob"}]}, "owner: Extra inputs are not permitted"),
        (
            "create_relations",
            {"relations": [{"from": "A", "to": "B", "relationType": "r", "days": 2}]},
            "days: Extra inputs are not permitted",
        ),
    ],
)
def test_an_argument_that_a_tool_has_not_is_refused_and_nothing_is_made(
    play: Any, tool: str, given: Told, told: str
) -> None:
    async def conversation(tools: Tools) -> None:
        with pytest.raises(ValueError, match=told):
            await getattr(tools, tool)(**given)
        assert await tools.read_graph() == {"entities": [], "relations": []}

    play(conversation)


def test_what_is_deleted_is_not_in_the_file_any_more(play: Any, path: Path) -> None:
    async def conversation(tools: Tools) -> None:
        await tools.create_entities(entities=[entity("Alice", "walnutine", "stays here"), entity("quixotica")])
        await tools.create_relations(relations=[relation("Alice", "pistachioned", "quixotica")])
        await tools.add_observations(observations=[{"entityName": "Alice", "contents": ["hazelnutty"]}])
        await tools.delete_observations(
            deletions=[{"entityName": "Alice", "observations": ["walnutine", "hazelnutty"]}]
        )
        await tools.delete_entities(entityNames=["quixotica"])
        assert await tools.read_graph() == {"entities": [entity("Alice", "stays here")], "relations": []}

    play(conversation)
    assert held(path, "walnutine", "hazelnutty", "quixotica", "pistachioned", "stays here") == ["stays here"]


def test_two_graphs_on_one_file_see_what_the_other_wrote(path: Path) -> None:
    stores = [Store(path, embed=hash_embed, dim=DIM) for _ in range(2)]
    first, second = map(Graph, stores)
    first.create_entities([{"name": "Alice", "entityType": "person", "observations": []}])
    assert second.create_entities([{"name": "Alice", "entityType": "person", "observations": []}]) == []
    second.add_observations([{"entityName": "Alice", "contents": ["seen"]}])
    assert first.read()["entities"][0]["observations"] == ["seen"]
    for store in stores:
        store.close()


@pytest.mark.parametrize(
    ("method", "given"),
    [
        ("delete_entities", "12"),
        ("delete_entities", b"12"),
        ("delete_entities", {"1": None}),
        ("delete_entities", [1]),
        ("delete_entities", None),
        ("open", "12"),
        ("create_entities", {"name": "3", "entityType": "t", "observations": []}),
        ("create_entities", [{"name": "3", "entityType": "t", "observations": "text"}]),
        ("create_relations", {"from": "1", "to": "2", "relationType": "knows"}),
        ("add_observations", [{"entityName": "1", "contents": "more"}]),
        ("delete_observations", [{"entityName": "1", "observations": "said a said b"}]),
        ("delete_relations", {"from": "1", "to": "2", "relationType": "r"}),
    ],
)
def test_one_text_or_mapping_where_a_list_belongs_is_refused_and_changes_nothing(
    path: Path, method: str, given: Any
) -> None:
    with Store(path, embed=hash_embed, dim=DIM) as store:
        graph = Graph(store)
        graph.create_entities([{"name": name, "entityType": "t", "observations": ["said a"]} for name in "12"])
        graph.create_relations([{"from": "1", "to": "2", "relationType": "r"}])
        before = graph.read()
        with pytest.raises(TypeError, match=r"must be a (list|string), not"):
            getattr(graph, method)(given)
        assert graph.read() == before


def test_names_may_come_from_an_iterator(path: Path) -> None:
    with Store(path, embed=hash_embed, dim=DIM) as store:
        graph = Graph(store)
        graph.create_entities([{"name": name, "entityType": "t", "observations": []} for name in "12"])
        assert len(graph.open(iter("12"))["entities"]) == 2  # type: ignore[arg-type]
        graph.delete_entities(iter("12"))  # type: ignore[arg-type]
        assert graph.read()["entities"] == []
