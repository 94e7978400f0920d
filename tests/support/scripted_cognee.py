"""What a chat model would answer to Cognee, made up from the request itself: no model, and never shown as one."""

import json
from collections.abc import Mapping
from typing import Any


def answer(request: Mapping[str, Any]) -> str:
    """A text's first and last word as a graph of two nodes and one edge; the text itself as its summary."""
    text = request["messages"][-1]["content"]
    wanted = request["response_format"]["json_schema"]["name"]
    if wanted == "SummarizedContent":
        return json.dumps({"summary": text, "description": ""})
    assert wanted == "KnowledgeGraph"
    words = text.split() or ["nothing"]
    nodes = [{"id": word, "name": word, "type": "Word", "description": word} for word in {words[0], words[-1]}]
    edge = {"source_node_id": words[0], "target_node_id": words[-1], "relationship_name": "precedes"}
    return json.dumps({"nodes": nodes, "edges": [edge] if len(nodes) > 1 else []})
