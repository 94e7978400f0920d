"""Schema-valid answers to Graphiti's prompts, derived from each prompt alone: no model, and never shown as one.

Every text becomes one fact, word for word, that joins the notebook to a page of its own. It holds from its episode on,
to the date after "until" where it ends in one, and contradicts the facts that differ from it in the last word alone.
"""

import ast
import hashlib
import itertools
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

NOTEBOOK = "Notebook"


def answer(request: Mapping[str, Any]) -> str:
    """The content that answers a chat request of Graphiti."""
    schema = request["response_format"]["json_schema"]["name"]
    return json.dumps(_ANSWERS[schema](request["messages"][-1]["content"]))


def wordy_answer(request: Mapping[str, Any]) -> str:
    """The same, but every word of a text is an entity, and a fact joins each to the next."""
    schema = request["response_format"]["json_schema"]["name"]
    return json.dumps((_ANSWERS | _WORDY)[schema](request["messages"][-1]["content"]))


def _words(prompt: str) -> dict[str, Any]:
    words = dict.fromkeys(_between(prompt, "TEXT").split())
    return {"extracted_entities": [{"name": word, "entity_type_id": 0} for word in words]}


def _neighbours(prompt: str) -> dict[str, Any]:
    names = [entity["name"] for entity in json.loads(_between(prompt, "ENTITIES"))]
    return {
        "edges": [
            {"source_entity_name": one, "target_entity_name": other, "relation_type": "NEXT", "fact": f"{one} {other}"}
            for one, other in itertools.pairwise(names)
        ]
    }


def _entities(prompt: str) -> dict[str, Any]:
    page = f"Page {hashlib.sha256(_between(prompt, 'TEXT').encode()).hexdigest()[:12]}"
    return {"extracted_entities": [{"name": name, "entity_type_id": 0} for name in (NOTEBOOK, page)]}


def _facts(prompt: str) -> dict[str, Any]:
    source, target = (entity["name"] for entity in json.loads(_between(prompt, "ENTITIES")))
    fact = {"source_entity_name": source, "target_entity_name": target, "relation_type": "HOLDS"}
    return {"edges": [fact | {"fact": _between(prompt, "CURRENT_MESSAGE")}]}


def _same_entities(prompt: str) -> dict[str, Any]:
    known = {entity["name"]: entity["candidate_id"] for entity in json.loads(_between(prompt, "EXISTING ENTITIES"))}
    return {
        "entity_resolutions": [
            {"id": entity["id"], "name": entity["name"], "duplicate_candidate_id": known.get(entity["name"], -1)}
            for entity in json.loads(_between(prompt, "ENTITIES"))
        ]
    }


def _contradicted(prompt: str) -> dict[str, Any]:
    listed = [
        fact
        for section in ("EXISTING FACTS", "FACT INVALIDATION CANDIDATES")
        for fact in ast.literal_eval(_between(prompt, section))
    ]
    new = _between(prompt, "NEW FACT")
    ended = [fact["idx"] for fact in listed if fact["fact"] != new and _but_last(fact["fact"]) == _but_last(new)]
    return {"duplicate_facts": [], "contradicted_facts": ended}


def _dates(prompt: str) -> dict[str, Any]:
    end = re.search(r" until (\d{4}-\d\d-\d\d)$", _between(prompt, "FACT"))
    return {"valid_at": _between(prompt, "REFERENCE TIME"), "invalid_at": f"{end[1]}T00:00:00Z" if end else None}


def _summaries(prompt: str) -> dict[str, Any]:
    """The prompt's own messages, shortened, so that a summary holds what a summary may hold."""
    messages = re.search(r"<(MESSAGES|EPISODES)>(.*)</\1>", prompt, re.DOTALL)
    assert messages is not None
    kept = " ".join(messages[2].split())[-200:]
    entities = json.loads(_between(prompt, "ENTITIES"))
    return {"summaries": [{"name": entity["name"], "summary": kept} for entity in entities]}


def _between(prompt: str, tag: str) -> str:
    return prompt.split(f"\n<{tag}>\n", 1)[1].split(f"\n</{tag}>", 1)[0]


def _but_last(fact: str) -> list[str]:
    return fact.split()[:-1]


_ANSWERS: dict[str, Callable[[str], dict[str, Any]]] = {
    "ExtractedEntities": _entities,
    "ExtractedEdges": _facts,
    "NodeResolutions": _same_entities,
    "EdgeDuplicate": _contradicted,
    "EdgeTimestamps": _dates,
    "SummarizedEntities": _summaries,
}
_WORDY = {"ExtractedEntities": _words, "ExtractedEdges": _neighbours}
