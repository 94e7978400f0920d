"""What a chat model would answer to A-MEM, made up from the request itself: no model, and never shown as one."""

import json
import re
from collections.abc import Mapping
from typing import Any

_CONTENT = "Content for analysis:\n"
CONTEXT, TAGS = "something to remember", ["memory", "fact", "note"]


def answer(request: Mapping[str, Any]) -> str:
    """A fact's longest words as its keywords; a new note is linked to its nearest, whose words stay as they are."""
    prompt = request["messages"][-1]["content"]
    if _CONTENT in prompt:
        words = re.findall(r"\w+", prompt.split(_CONTENT, 1)[1])
        return json.dumps({"keywords": sorted(words, key=len)[-3:], "context": CONTEXT, "tags": TAGS})
    neighbours = re.findall(r"^\s*memory_id:(\S+)", prompt, re.MULTILINE)
    evolution = {
        "should_evolve": True,
        "actions": ["strengthen", "update_neighbor"],
        "suggested_connections": neighbours[:1],
        "tags_to_update": TAGS,
        "new_context_neighborhood": [CONTEXT for _ in neighbours],
        "new_tags_neighborhood": [TAGS for _ in neighbours],
    }
    return json.dumps(evolution)
