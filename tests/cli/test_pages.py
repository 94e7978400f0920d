import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from lethe.cli.pages import commands_page, config_keys, configuration_page, data_page, generated_pages
from lethe.cli.store import store
from lethe.config.check import load_schema
from lethe.schemas import TABLES
from tests.cli.conftest import Command
from tests.support.commands import app
from tests.support.paths import ROOT


@pytest.mark.parametrize("page", generated_pages(ROOT), ids=str)
def test_generated_pages_are_up_to_date(page: Path) -> None:
    assert (ROOT / page).read_text(encoding="utf-8") == generated_pages(ROOT)[page], "run `forgeteval docs`"


def properties(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    for name, option in schema.get("properties", {}).items():
        yield f"{path}{name}", option
        yield from properties(option, f"{path}{name}.")
    if isinstance(schema.get("additionalProperties"), dict):
        yield from properties(schema["additionalProperties"], f"{path}NAME.")


def test_every_config_key_is_described_and_listed() -> None:
    described = dict(properties(load_schema(ROOT)))
    assert len(described) > 30
    assert [key for key, option in described.items() if not option.get("description", "").strip()] == []
    assert [key for key, _ in config_keys(load_schema(ROOT))] == list(described)


def test_every_column_is_described_and_listed() -> None:
    page = data_page(TABLES)
    for table in TABLES:
        assert f"## {table.name}\n\n`{table.path}`" in page
        for column in table.columns:
            assert column.meaning.strip()
            assert f"| `{column.name}` | `{column.type}` | {'yes' if column.nullable else 'no'} | " in page


def test_every_command_is_described_and_listed() -> None:
    page = commands_page()
    for name, program in (("forgeteval", app), ("lethe", store)):
        commands = typer.main.get_command(program).commands  # type: ignore[attr-defined]
        assert len(commands) > 6
        for command in commands.values():
            assert f"## `{name} {command.name}`\n\n{command.help}" in page


def test_configuration_shows_values_bounds_defaults_and_nested_names() -> None:
    page = configuration_page(
        yaml.safe_load("""
            properties:
              size: {type: integer, minimum: 1, maximum: 9, default: 0, description: how | big}
              rate: {type: number, exclusiveMinimum: 0, description: per second}
              which: {anyOf: [{const: all}, {type: array, items: {type: string}}], description: names}
              groups:
                type: object
                description: by name
                additionalProperties: {type: object, properties: {mode: {enum: [fast, slow], description: how}}}
        """)
    )
    assert page.split("| --- | --- | --- | --- |\n")[1].splitlines() == [
        "| `size` | integer from 1 to 9 | `0` | how \\| big |",
        "| `rate` | number above 0 |  | per second |",
        "| `which` | `all` or list of strings |  | names |",
        "| `groups` | keys below |  | by name |",
        "| `groups.NAME.mode` | `fast`, `slow` |  | how |",
    ]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of what the generated pages are made of."""
    (tmp_path / "config/schemas").mkdir(parents=True)
    shutil.copy(ROOT / "config/schemas/config.schema.yaml", tmp_path / "config/schemas")
    return tmp_path


def test_docs_writes_what_check_then_accepts(forgeteval: Command, project: Path) -> None:
    code, _, err = forgeteval("docs", "--check", "--root", project)
    assert (code, err) == (
        2,
        "error: docs/data.md, docs/configuration.md, docs/commands.md: not up to date; run `forgeteval docs`\n",
    )
    assert not (project / "docs").exists()
    assert forgeteval("docs", "--root", project)[0] == 0
    assert forgeteval("docs", "--check", "--root", project)[0] == 0

    with (project / "docs/data.md").open("a") as page:
        page.write("by hand\n")
    code, _, err = forgeteval("docs", "--check", "--root", project)
    assert (code, "docs/data.md:" in err) == (2, True)
