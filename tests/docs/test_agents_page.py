"""The blocks of docs/agents.md run as they stand, each with its framework where that is installed."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support.markdown import Found, blocks


def names(block: Found) -> dict[str, Any]:
    """What a block leaves to its reader: a model of its framework, which must be installed."""
    if ".langgraph " in block.said:
        pytest.importorskip("langgraph.graph")
    if ".langchain " in block.said:
        pytest.importorskip("langchain_core")
    if ".llama_index " in block.said:
        pytest.importorskip("llama_index.core")
    if ".openai_agents " in block.said:
        from agents.testing import ScriptedModel, assistant_message

        return {"my_agents_model": ScriptedModel([[assistant_message("At the bakery.")]])}
    if ".crewai " in block.said:
        from tests.store.frameworks.test_crewai import NoModel

        return {"my_llm": NoModel()}
    return {}


def complete(receipt: Any) -> bool:
    """Whether a receipt, its JSON or what that holds says so."""
    said = json.loads(receipt) if isinstance(receipt, str) else receipt
    return bool(said["complete"] if isinstance(said, dict) else said.complete)


@pytest.mark.parametrize(
    "block", [block for block in blocks("python") if block.page == Path("docs/agents.md")], ids=str
)
def test_a_block_runs_as_it_stands_and_once_more(block: Found, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        try:
            given = names(block)
        except ModuleNotFoundError as missing:
            pytest.skip(f"{missing} (docs/agents.md)")
        exec(compile(block.said, str(block), "exec"), given)
        if "receipt" in given:
            assert complete(given["receipt"])
            told = given["receipt"] if isinstance(given["receipt"], dict | str) else given["receipt"].to_json()
            assert (json.loads(told) if isinstance(told, str) else told)["events"]
    assert list(tmp_path.glob("*.db"))


def test_blocks_share_no_file_but_the_notes_of_a_plain_store() -> None:
    files = Counter(
        name
        for block in blocks("python")
        if block.page == Path("docs/agents.md")
        for name in set(re.findall(r'"(\w+\.db)"', block.said))
    )
    assert len(files) > 6 and {name for name, count in files.items() if count > 1} == {"notes.db"}
