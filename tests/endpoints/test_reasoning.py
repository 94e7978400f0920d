"""A whole column of a reasoning model, by an entry that has its preset's name alone, through the workflow.

`FORGETEVAL_WHOLE_COLUMN=1` runs the whole suite in place of four cases of each category.
"""

import json
import os
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import Response

from forgeteval.cases.reading import read_cases
from lethe.parquet import read_rows
from lethe.schemas import TRIALS
from tests.support.paths import ADVERSARIAL, ROOT
from tests.support.scripted_endpoint import ScriptedEndpoint, completion, refusal
from tests.workflow.conftest import snakemake_command

pytestmark = pytest.mark.slow

CASES = {mutation.query: case for case in read_cases(ADVERSARIAL, "adversarial") for mutation in case.mutations}
WHOLE = "FORGETEVAL_WHOLE_COLUMN" in os.environ
TAKES = {"model", "messages", "max_completion_tokens", "response_format"}
SHAPES = ("after reasoning", "a tool call", "after reasoning, fenced", "a list of parts", "with words around it", "")


def right_answer(asked: dict[str, Any]) -> str:
    """The rows that a perfect memory does not hold at the end, read from the prompt's own inputs."""
    inputs = json.loads(re.findall(r"```json\n(.*?)\n```", asked["messages"][-1]["content"], re.DOTALL)[-1])
    gold = CASES[inputs.get("target") or inputs["query"]].gold_rows or ()
    dead = [row["index"] for row in inputs["candidates"] if row["text"] not in gold]
    return json.dumps({"whole": dead, "in_part": []})


def message(shape: str, said: str) -> dict[str, Any]:
    """A completion that says something in one of the shapes that reasoning endpoints have for it."""
    draft = '<think>First {"whole": [0, 1], "in_part": []}? No.</think>\n'
    match shape:
        case "after reasoning":
            return completion(f"{draft}{said}")
        case "after reasoning, fenced":
            return completion(f"{draft}```json\n{said}\n```")
        case "a tool call":
            call = {"id": "1", "type": "function", "function": {"name": "answer", "arguments": said}}
            return completion(None, "tool_calls", tool_calls=[call])
        case "a list of parts":
            parts = completion(None)
            parts["choices"][0]["message"]["content"] = [{"type": "text", "text": said}]
            return parts
        case "with words around it":
            return completion(f"My answer: {said}\nThat is all.")
    return completion(said, reasoning_content="Row by row ...")


class Reasoning:
    """Refuses what reasoning models refuse, and says each answer in the next shape."""

    def __init__(self) -> None:
        self.refused: list[str] = []
        self.answers = 0

    async def __call__(self, asked: dict[str, Any]) -> Response:
        if unknown := sorted(asked.keys() - TAKES):
            self.refused += unknown
            said = {"message": f"Unsupported parameter: '{unknown[0]}' is not supported with this model."}
            return await refusal(400, {"error": {**said, "param": unknown[0]}})(asked)
        self.answers += 1
        return Response(
            json.dumps(message(SHAPES[self.answers % len(SHAPES)], right_answer(asked))), media_type="application/json"
        )


def test_a_reasoning_endpoint_has_a_full_column_by_its_preset_s_name(
    endpoint: ScriptedEndpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REASONING_KEY", "sk-reasoning-0123456789")
    endpoint.otherwise = plays = Reasoning()
    entry = {"family": "reasoning", "base_url": endpoint.url, "model": "r-1", "api_key_env": "REASONING_KEY"}
    config: dict[str, Any] = {"models": {"reasoner": {**entry, "preset": "openai_reasoning"}}}
    if not WHOLE:
        config["suites"] = {"adversarial": {"cases_per_category": 4, "seed": 42}}
    runs = tmp_path / "out/results/runs/adversarial"
    targets = [str(runs / f"{name}.parquet") for name in ("lethe", "lethe+llm@reasoner")]

    done = subprocess.run(
        snakemake_command(targets, config, tmp_path), cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    trials = read_rows(runs / "lethe+llm@reasoner.parquet", TRIALS)
    assert len(trials) == (385 if WHOLE else 40)
    assert plays.refused == []
    assert [trial["error"] for trial in trials if trial["error"] is not None] == []
    assert sum(trial["llm_fallbacks"] for trial in trials) == 0
    assert plays.answers == len(endpoint.asked) >= sum(trial["llm_calls"] >= 1 for trial in trials) == len(trials)
    shapes = Counter(
        found[1]
        for trial in trials
        for decision in trial["decisions"]
        if (found := re.search(r"\(answer: (.*)\)", decision))
    )
    assert shapes.keys() >= {"after reasoning", "a tool call", "after reasoning, fenced", "a list of parts"}
    passed, alone = (
        sum(trial["verdict"] == "pass" for trial in read_rows(Path(target), TRIALS)) for target in reversed(targets)
    )
    assert passed > alone
    printed = rf"adversarial: lethe\+llm@reasoner passes {passed} of {len(trials)}, lethe alone {alone}; .*McNemar p = "
    assert re.search(printed, done.stderr), done.stderr
