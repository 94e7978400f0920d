"""The blocks of docs/agents.md run as they stand, each with its framework where that is installed."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.hash_embedder import DIM, hash_embed
from tests.support.markdown import Found, blocks


def names(block: Found) -> dict[str, Any]:
    """What a block leaves to its reader: an embedder and a model of its framework."""
    if ".langgraph " in block.said:
        pytest.importorskip("langgraph.graph")
        padded = hash_embed(["a"]).tolist()[0] * (384 // DIM)
        return {"my_embeddings": lambda texts: [padded for _ in texts]}
    if ".langchain " in block.said:
        from tests.store.frameworks.test_langchain import Hashed

        return {"my_embeddings": Hashed()}
    if ".llama_index " in block.said:
        from tests.store.frameworks.test_llama_index import Hashed as Model

        return {"my_dim": DIM, "my_model": Model()}
    if ".openai_agents " in block.said:
        from agents.testing import ScriptedModel, assistant_message

        return {"my_agents_model": ScriptedModel([[assistant_message("At the bakery.")]])}
    if ".crewai " in block.said:
        from tests.store.frameworks.test_crewai import NoModel

        return {"my_dim": DIM, "my_llm": NoModel(), "my_embedder": lambda texts: hash_embed(texts).tolist()}
    return {}


def complete(receipt: Any) -> bool:
    """Whether a receipt, its JSON or what that holds says so."""
    said = json.loads(receipt) if isinstance(receipt, str) else receipt
    return bool(said["complete"] if isinstance(said, dict) else said.complete)


@pytest.mark.parametrize(
    "block", [block for block in blocks("python") if block.page == Path("docs/agents.md")], ids=str
)
def test_a_block_runs_as_it_stands(block: Found, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        given = names(block)
    except ModuleNotFoundError as missing:
        pytest.skip(f"{missing} (docs/agents.md)")
    exec(compile(block.said, str(block), "exec"), given)
    if "receipt" in given:
        assert complete(given["receipt"])
    assert list(tmp_path.glob("*.db"))
