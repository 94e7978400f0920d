"""What a chat model would answer to HippoRAG, made up from the request itself: no model, and never shown as one."""

import json
import re
from collections.abc import Mapping
from typing import Any


def answer(request: Mapping[str, Any]) -> str:
    """A passage's first three words as its only triple; for a query, the facts that share a word with it."""
    prompt = request["messages"][-1]["content"]
    if "fact_before_filter" in prompt:
        return _filtered(prompt)
    passage = prompt.split("```\n", 1)[1].split("\n```", 1)[0] if "```" in prompt else prompt
    words = re.findall(r"\w+", passage)
    if "```" in prompt:
        return json.dumps({"triples": [words[:3]] if len(words) > 2 else []})
    return json.dumps({"named_entities": [words[0], words[2]] if len(words) > 2 else []})


def _filtered(prompt: str) -> str:
    question = re.search(r"\[\[ ## question ## \]\]\n(.*?)\n\n\[\[ ##", prompt, re.DOTALL)
    before = re.search(r"\[\[ ## fact_before_filter ## \]\]\n(.*?)\n\nRespond", prompt, re.DOTALL)
    assert question is not None and before is not None
    asked = set(question[1].lower().split())
    kept = [fact for fact in json.loads(before[1])["fact"] if asked & set(" ".join(fact).split())]
    return f"[[ ## fact_after_filter ## ]]\n{json.dumps({'fact': kept})}\n\n[[ ## completed ## ]]"
