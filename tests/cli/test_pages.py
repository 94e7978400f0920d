from pathlib import Path

import pytest
import typer
import yaml

from lethe.cli.pages import commands_page, configuration_page, data_page, generated_pages
from lethe.schemas import TABLES
from lethe.store.cli.commands import store
from tests.cli.conftest import Command
from tests.support.commands import app, mark_clone
from tests.support.paths import ROOT


@pytest.mark.parametrize("page", generated_pages(), ids=str)
def test_generated_pages_are_up_to_date(page: Path) -> None:
    assert (ROOT / page).read_text(encoding="utf-8") == generated_pages()[page], "run `forgeteval docs`"


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
            $defs:
              Group: {type: object, properties: {mode: {enum: [fast, slow], description: how}}}
            properties:
              size: {type: integer, minimum: 1, maximum: 9, default: 0, description: how | big}
              rate: {type: number, exclusiveMinimum: 0, description: per second}
              which: {anyOf: [{const: all}, {type: array, items: {type: string}}], description: names}
              groups:
                type: object
                description: by name
                additionalProperties: {$ref: "#/$defs/Group"}
        """)
    )
    assert page.split("| --- | --- | --- | --- |\n")[1].splitlines() == [
        "| `size` | integer from 1 to 9 | `0` | how \\| big |",
        "| `rate` | number above 0 |  | per second |",
        "| `which` | `all` or list of strings |  | names |",
        "| `groups` | keys below |  | by name |",
        "| `groups.NAME.mode` | `fast`, `slow` |  | how |",
    ]


def test_docs_writes_nothing_into_another_project(forgeteval: Command, tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.yaml").write_text("mine: 1\n")
    (tmp_path / "Snakefile").touch()
    code, _, err = forgeteval("docs", "--root", tmp_path)
    assert (code, "no clone of this project" in err) == (2, True)
    assert (tmp_path / "config/config.yaml").read_text() == "mine: 1\n"
    assert not (tmp_path / "docs").exists()


def test_docs_writes_what_check_then_accepts(forgeteval: Command, tmp_path: Path) -> None:
    mark_clone(tmp_path)
    code, _, err = forgeteval("docs", "--check", "--root", tmp_path)
    assert (code, err) == (
        2,
        "error: docs/data.md, docs/configuration.md, config/config.schema.json, config/config.yaml, docs/commands.md: "
        "not up to date; run `forgeteval docs`\n",
    )
    assert not (tmp_path / "docs").exists()
    assert forgeteval("docs", "--root", tmp_path)[0] == 0
    assert forgeteval("docs", "--check", "--root", tmp_path)[0] == 0

    with (tmp_path / "docs/data.md").open("a") as page:
        page.write("by hand\n")
    code, _, err = forgeteval("docs", "--check", "--root", tmp_path)
    assert (code, "docs/data.md:" in err) == (2, True)
