"""What a chat model would answer to Mem0's extraction, made up from the request itself: no model, and never shown as
one."""

import json
from collections.abc import Mapping
from typing import Any

_NEW, _AFTER, _ROLE = "## New Messages\n", "\n\n## Observation Date\n", "user: "


def answer(request: Mapping[str, Any]) -> str:
    """The new message itself, as the only memory extracted from it."""
    prompt = request["messages"][-1]["content"]
    message = prompt.split(_NEW, 1)[1].split(_AFTER, 1)[0]
    text = message.removeprefix(_ROLE).removesuffix("\n")
    return json.dumps({"memory": [{"id": "0", "text": text, "attributed_to": "user"}]})
