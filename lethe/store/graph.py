"""A knowledge graph over the items of a store: what the tools of the reference memory server for MCP do.

Entities and relations are items; so what is deleted is erased, with every earlier value that held it.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from lethe.store import arguments
from lethe.store.items import Address, Batch, Item, Namespace, Put, Writing, looking, writing
from lethe.store.store import Store

try:
    # Pydantic, which reads these for MCP and agents' tools, takes the standard library's from Python 3.12 on.
    from typing_extensions import TypedDict
except ImportError:
    from typing import TypedDict

ENTITIES = ("graph", "entities")
RELATIONS = ("graph", "relations")
_MOST = 2**31
_Part = TypeVar("_Part")


class Entity(TypedDict):
    """A node: its name, what it is, and what is known of it."""

    name: str
    entityType: str
    observations: list[str]


Relation = TypedDict("Relation", {"from": str, "to": str, "relationType": str})
"""An edge between the names of two entities, in active voice."""


class KnowledgeGraph(TypedDict):
    """Entities, and relations between them."""

    entities: list[Entity]
    relations: list[Relation]


class Observations(TypedDict):
    """What is to be added to an entity."""

    entityName: str
    contents: list[str]


class Added(TypedDict):
    """What was added to an entity: what it did not have yet."""

    entityName: str
    addedObservations: list[str]


class Deletion(TypedDict):
    """What is to be deleted of an entity."""

    entityName: str
    observations: list[str]


class Graph:
    """The knowledge graph in a store; each method is one transaction, so that clients may share it.

    `ValueError` for an entity that observations are added to and that is not there; `TypeError` for a text where a list
    belongs, as one name where several are asked for.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def create_entities(self, entities: Sequence[Entity]) -> list[Entity]:
        """Add the entities whose names are not taken; returns those."""
        checked = [_checked(entity) for entity in arguments.several("entities", entities)]
        with writing(self._store) as batch:
            given = {entity["name"]: entity for entity in reversed(checked)}
            new = _new(batch, {(ENTITIES, name): entity for name, entity in reversed(given.items())})
            batch.put([entity_put(entity) for entity in new])
        return new

    def create_relations(self, relations: Sequence[Relation]) -> list[Relation]:
        """Add the relations that are not there; returns those."""
        relations = arguments.several("relations", relations)
        with writing(self._store) as batch:
            new = _new(batch, {_address(relation): relation for relation in relations})
            batch.put([relation_put(relation) for relation in new])
        return new

    def add_observations(self, observations: Sequence[Observations]) -> list[Added]:
        """Add what the entities do not have yet."""
        observations = arguments.several("observations", observations)
        told = [(each["entityName"], _texts("contents", each["contents"])) for each in observations]
        with writing(self._store) as batch:
            standing = _entities(batch, [name for name, _ in told])
            added = []
            for name, contents in told:
                if name not in standing:
                    raise ValueError(f"Entity with name {name} not found")
                known = standing[name]["observations"]
                new = [content for content in dict.fromkeys(contents) if content not in known]
                known += new
                added.append(Added(entityName=name, addedObservations=new))
            changed = {each["entityName"] for each in added if each["addedObservations"]}
            batch.put([entity_put(entity) for name, entity in standing.items() if name in changed])
        return added

    def delete_entities(self, names: Sequence[str]) -> None:
        """Erase entities, and the relations that they are an end of."""
        names = _names(names)
        with writing(self._store) as batch:
            touched = [_address(each) for each in _relations(batch) if each["from"] in names or each["to"] in names]
            _erase(batch, [*((ENTITIES, name) for name in names), *touched])

    def delete_observations(self, deletions: Sequence[Deletion]) -> None:
        """Erase observations of entities, from every earlier value too."""
        deletions = arguments.several("deletions", deletions)
        doomed = [(each["entityName"], _texts("observations", each["observations"])) for each in deletions]
        with writing(self._store) as batch:
            standing = _entities(batch, [name for name, _ in doomed])
            changed = {}
            for name, observations in doomed:
                entity = standing.get(name)
                if entity is not None:
                    kept = [said for said in entity["observations"] if said not in observations]
                    changed[entity["name"]] = entity
                    entity["observations"] = kept
            older = batch.told([(ENTITIES, name) for name in changed])
            batch.put([entity_put(entity) for entity in changed.values()])
            if older:
                batch.erase(older)

    def delete_relations(self, relations: Sequence[Relation]) -> None:
        """Erase relations."""
        relations = arguments.several("relations", relations)
        with writing(self._store) as batch:
            _erase(batch, [_address(relation) for relation in relations])

    def read(self) -> KnowledgeGraph:
        """All of it."""
        with looking(self._store) as batch:
            return KnowledgeGraph(entities=_all_entities(batch), relations=_relations(batch))

    def search(self, query: str) -> KnowledgeGraph:
        """The entities whose name, type or observations hold the query, in any case, with their relations."""
        wanted = query.lower()
        return self._part(
            lambda entity: any(
                wanted in said.lower() for said in (entity["name"], entity["entityType"], *entity["observations"])
            )
        )

    def open(self, names: Sequence[str]) -> KnowledgeGraph:
        """The entities with these names, with their relations."""
        wanted = _names(names)
        return self._part(lambda entity: entity["name"] in wanted)

    def _part(self, is_wanted: Callable[[Entity], bool]) -> KnowledgeGraph:
        graph = self.read()
        entities = [entity for entity in graph["entities"] if is_wanted(entity)]
        names = {entity["name"] for entity in entities}
        relations = [each for each in graph["relations"] if each["from"] in names or each["to"] in names]
        return KnowledgeGraph(entities=entities, relations=relations)


def _names(given: Sequence[str]) -> list[str]:
    return arguments.strings("several names", "a name", given)


def _texts(what: str, given: Sequence[str]) -> list[str]:
    return arguments.strings(what, "an observation", given)


def _checked(entity: Entity) -> Entity:
    """An entity whose observations are a list."""
    return {**entity, "observations": _texts("observations", entity["observations"])}


def _address(relation: Relation) -> Address:
    return RELATIONS, json.dumps([relation["from"], relation["to"], relation["relationType"]], ensure_ascii=False)


def _new(batch: Batch, given: Mapping[Address, _Part]) -> list[_Part]:
    """What is given under addresses that are not taken."""
    taken = batch.get(list(given))
    return [part for address, part in given.items() if address not in taken]


def entity_put(entity: Entity) -> Put:
    """An entity as the item that it is kept as."""
    return Put(ENTITIES, entity["name"], {"entityType": entity["entityType"], "observations": entity["observations"]})


def relation_put(relation: Relation) -> Put:
    """A relation as the item that it is kept as."""
    return Put(*_address(relation), relation)


def _entity(item: Item) -> Entity:
    return Entity(name=item.key, entityType=item.value["entityType"], observations=list(item.value["observations"]))


def _entities(batch: Batch, names: Sequence[str]) -> dict[str, Entity]:
    return {key: _entity(item) for (_, key), item in batch.get([(ENTITIES, name) for name in set(names)]).items()}


def _in_order(batch: Batch, namespace: Namespace) -> list[Item]:
    """The items of a namespace, the one that was first told first."""
    found = batch.listed(namespace, {}, _MOST, 0)
    return sorted(found, key=lambda item: (item.created_at, item.memory_id))


def _all_entities(batch: Batch) -> list[Entity]:
    return [_entity(item) for item in _in_order(batch, ENTITIES)]


def _relations(batch: Batch) -> list[Relation]:
    return [
        {"from": item.value["from"], "to": item.value["to"], "relationType": item.value["relationType"]}
        for item in _in_order(batch, RELATIONS)
    ]


def _erase(batch: Writing, addresses: Sequence[Address]) -> None:
    doomed = batch.told(list(dict.fromkeys(addresses)))
    if doomed:
        batch.erase(doomed)
