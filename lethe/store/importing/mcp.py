"""The reference memory server's memory.jsonl, a line for each entity and relation: what `lethe mcp --graph` serves."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lethe.store.errors import LetheError
from lethe.store.graph import Entity, Relation, entity_put, relation_put
from lethe.store.importing.rows import MOST_BYTES, Left, Row, json_of, regular, string

_ENDS = ("from", "to", "relationType")


def rows(file: Path, collection: str | None, left: Left) -> Iterator[Row]:
    """The entities and relations of a file; an entity that is told twice has the observations of both."""
    if collection is not None:
        raise LetheError(f"{file}: a memory.jsonl has no collections; leave the collection out")
    entities: dict[str, tuple[str, Entity]] = {}
    relations: dict[tuple[str, ...], tuple[str, Relation]] = {}
    for where, line in _lines(file):
        if line.get("type") == "entity":
            _tell(entities, where, line, left)
        elif line.get("type") == "relation":
            source, to, kind = (string(where, each, line.get(each)) for each in _ENDS)
            left["relations told twice"] += (source, to, kind) in relations
            relations.setdefault((source, to, kind), (where, {"from": source, "to": to, "relationType": kind}))
        else:
            left["lines of another type, left out"] += 1
    puts = [(where, entity_put(entity)) for where, entity in entities.values()]
    puts += [(where, relation_put(relation)) for where, relation in relations.values()]
    for where, put in puts:
        yield Row(where, put.namespace, put.key, dict(put.value))


def _tell(entities: dict[str, tuple[str, Entity]], where: str, line: dict[str, Any], left: Left) -> None:
    name, kind = (string(where, each, line.get(each)) for each in ("name", "entityType"))
    given = line.get("observations")
    if not isinstance(given, list):
        raise LetheError(f"{where}: observations are a list, not {given!r:.80}; mend that line")
    told = [string(where, "an observation", each) for each in given]
    if name not in entities:
        entities[name] = where, Entity(name=name, entityType=kind, observations=told)
        return
    before = entities[name][1]
    left["further types of an entity, not kept"] += before["entityType"] != kind
    before["observations"] += [each for each in told if each not in before["observations"]]


def _lines(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each line that is not blank, and where it stands."""
    with regular(file).open("rb") as stream:
        for number, line in enumerate(iter(lambda: stream.readline(MOST_BYTES + 1), b""), start=1):
            where = f"{file}, line {number}"
            if len(line) > MOST_BYTES:
                raise LetheError(f"{where}: longer than {MOST_BYTES >> 20} MiB, which no entity is; take it out")
            if line.strip():
                told = json_of(where, line)
                if not isinstance(told, dict):
                    raise LetheError(f"{where}: no object of JSON; name the memory.jsonl of the reference server")
                yield where, told
