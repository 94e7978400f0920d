"""`forgeteval docs`, which writes the pages of docs/ that follow from the schemas and from the command line."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import jinja2
import typer
import yaml
from typer.cli import get_docs_for_click

from forgeteval.errors import UserError
from forgeteval.files import write_text
from lethe.cli.standing import check_project
from lethe.config.model import Config, Part
from lethe.schemas import SCHEMA_VERSION, TABLES, Table

DATA_FILES = ("page",)
DATA_PAGE, CONFIGURATION_PAGE = Path("docs/data.md"), Path("docs/configuration.md")
COMMANDS_PAGE = Path("docs/commands.md")
SCHEMA_FILE, DEFAULTS_FILE = Path("config/config.schema.json"), Path("config/config.yaml")
_TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).with_name(DATA_FILES[0])),
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    keep_trailing_newline=True,
)


def docs(
    check: Annotated[bool, typer.Option("--check", help="write nothing; exit code 1 if a page is out of date")] = False,
    root: Annotated[Path, typer.Option(help="the project's folder")] = Path(),
) -> None:
    """Regenerate the pages of docs/ and the files of config/ that are written from the code."""
    check_project(root)
    pages = generated_pages()
    old = [page for page in pages if _read(root / page) != pages[page]]
    if check and old:
        raise UserError(f"{', '.join(map(str, old))}: not up to date; run `forgeteval docs`")
    for page in old:
        write_text(root / page, pages[page])
        print(f"{page}: written")
    if not old:
        print("the generated pages are up to date")


def generated_pages() -> dict[Path, str]:
    """The text of each generated page, by its path below the project's folder."""
    schema = Config.model_json_schema()
    return {
        DATA_PAGE: data_page(TABLES),
        CONFIGURATION_PAGE: configuration_page(schema),
        SCHEMA_FILE: json.dumps(schema, indent=1) + "\n",
        DEFAULTS_FILE: default_configuration(),
        COMMANDS_PAGE: commands_page(),
    }


def commands_page() -> str:
    """The text of docs/commands.md: every command of `forgeteval` and `lethe` with its arguments and options."""
    from forgeteval.cli.main import build_app
    from lethe.cli.study import add_commands
    from lethe.store.cli.commands import store

    app = build_app()
    add_commands(app)
    told = [
        get_docs_for_click(obj=command, ctx=typer.Context(command), name=name).rstrip()
        for name, command in (
            ("forgeteval", typer.main.get_command(app)),
            ("lethe", typer.main.get_command(store)),
        )
    ]
    return "\n\n".join(told) + "\n"


def data_page(tables: Sequence[Table]) -> str:
    """The text of docs/data.md: every Parquet table with its path, key and columns."""
    return _TEMPLATES.get_template("data.md.j2").render(tables=tables, version=SCHEMA_VERSION)


def configuration_page(schema: Mapping[str, Any]) -> str:
    """The text of docs/configuration.md: every key of the merged configuration, nested keys dotted.

    Args:
        schema: the JSON Schema of `lethe.config.model.Config`.
    """
    options, source = list(config_keys(schema, schema["$defs"])), "lethe/config/model.py"
    return _TEMPLATES.get_template("configuration.md.j2").render(options=options, values=_values, source=source)


def default_configuration() -> str:
    """The text of config/config.yaml: every key that has a default, except those with a file of their own."""
    elsewhere = {"suites", "systems", "models", "embedders"}
    defaults = {
        name: field.get_default(call_default_factory=True)
        for name, field in Config.model_fields.items()
        if name not in elsewhere
    }
    plain = {name: value.model_dump() if isinstance(value, Part) else value for name, value in defaults.items()}
    head = "# What to run; written by `forgeteval docs`. Every key is described in docs/configuration.md.\n"
    return head + yaml.safe_dump(plain, sort_keys=False, width=120, allow_unicode=True, default_flow_style=None)


def config_keys(
    schema: Mapping[str, Any], parts: Mapping[str, Any], prefix: str = ""
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield (dotted key, its schema), outer keys before inner ones; a key that may be chosen freely is called NAME."""
    for name, option in schema.get("properties", {}).items():
        key = f"{prefix}{name}"
        yield key, option
        for choice in (option, *option.get("anyOf", ())):
            free = _free(choice)
            if "$ref" in choice:
                yield from config_keys(_resolved(choice, parts), parts, f"{key}.")
            elif free is not None and "$ref" in free:
                yield from config_keys(_resolved(free, parts), parts, f"{key}.NAME.")


def _free(option: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What stands under keys that may be chosen freely; None where none may, or anything."""
    choices = [option.get("additionalProperties"), *option.get("patternProperties", {}).values()]
    return next((choice for choice in choices if isinstance(choice, Mapping)), None)


def _resolved(option: Mapping[str, Any], parts: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = parts[option["$ref"].rsplit("/", 1)[-1]]
    return found


def _read(path: Path) -> str | None:
    return path.read_bytes().decode("utf-8", errors="replace") if path.exists() else None


def _values(option: Mapping[str, Any]) -> str:
    choices = [choice for choice in option.get("anyOf", [option]) if choice.get("type") != "null"]
    return " or ".join(map(_value, choices))


def _value(option: Mapping[str, Any]) -> str:
    free = _free(option)
    if "const" in option:
        return f"`{option['const']}`"
    if "enum" in option:
        return ", ".join(f"`{value}`" for value in option["enum"] if value != "")
    if "$ref" in option or (free is not None and "$ref" in free):
        return "keys below"
    if option.get("type") == "object":
        return "mapping" if free is None else f"mapping to {_values(free)}"
    if option.get("type") == "array":
        kind, _, bounds = _values(option["items"]).partition(" ")
        return f"list of {kind} {bounds}" if kind.startswith("`") else f"list of {kind}s {bounds}".rstrip()
    return " ".join([option.get("type", "any"), *_bounds(option)])


def _bounds(option: Mapping[str, Any]) -> Iterator[str]:
    if "exclusiveMinimum" in option:
        yield f"above {option['exclusiveMinimum']}"
    if "minimum" in option:
        yield f"from {option['minimum']}"
    if "maximum" in option:
        yield f"to {option['maximum']}"
