"""`forgeteval docs`, which writes the pages of docs/ that follow from the schemas and from the command line."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import jinja2
import typer
from typer.cli import get_docs_for_click

from forgeteval.errors import UserError
from forgeteval.files import write_text
from lethe.config.check import SCHEMA_PATH, load_schema
from lethe.schemas import SCHEMA_VERSION, TABLES, Table

DATA_FILES = ("page",)
DATA_PAGE, CONFIGURATION_PAGE = Path("docs/data.md"), Path("docs/configuration.md")
COMMANDS_PAGE = Path("docs/commands.md")
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
    """Regenerate docs/data.md and docs/configuration.md from the schemas, docs/commands.md from the command line."""
    pages = generated_pages(root)
    old = [page for page in pages if _read(root / page) != pages[page]]
    if check and old:
        raise UserError(f"{', '.join(map(str, old))}: not up to date; run `forgeteval docs`")
    for page in old:
        write_text(root / page, pages[page])
        print(f"{page}: written")
    if not old:
        print("the generated pages are up to date")


def generated_pages(root: Path) -> dict[Path, str]:
    """The text of each generated page, by its path below the project's folder `root`.

    Raises:
        OSError: if the schema of the configuration is missing below `root`.
    """
    return {
        DATA_PAGE: data_page(TABLES),
        CONFIGURATION_PAGE: configuration_page(load_schema(root)),
        COMMANDS_PAGE: commands_page(),
    }


def commands_page() -> str:
    """The text of docs/commands.md: every command of `forgeteval` and `lethe` with its arguments and options."""
    from forgeteval.cli.main import build_app
    from lethe.cli.store import store
    from lethe.cli.study import add_commands

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
    """The text of docs/configuration.md: every key of the merged configuration, nested keys dotted."""
    options, source = list(config_keys(schema)), SCHEMA_PATH.as_posix()
    return _TEMPLATES.get_template("configuration.md.j2").render(options=options, values=_values, schema=source)


def config_keys(schema: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield (dotted key, its schema), outer keys before inner ones; a key that may be chosen freely is called NAME."""
    inside = list(schema.get("properties", {}).items())
    if isinstance(free := schema.get("additionalProperties"), Mapping):
        inside.append(("NAME", free))
    for name, option in inside:
        key = f"{prefix}{name}"
        if name != "NAME":
            yield key, option
        yield from config_keys(option, f"{key}.")


def _read(path: Path) -> str | None:
    return path.read_bytes().decode("utf-8", errors="replace") if path.exists() else None


def _values(option: Mapping[str, Any]) -> str:
    for choices in ("anyOf", "oneOf"):
        if choices in option and "type" not in option:
            return " or ".join(_values(choice) for choice in option[choices])
    if "const" in option:
        return f"`{option['const']}`"
    if "enum" in option:
        return ", ".join(f"`{value}`" for value in option["enum"])
    if option["type"] == "object":
        return "keys below"
    if option["type"] == "array":
        return f"list of {_values(option['items'])}s"
    return " ".join([option["type"], *_bounds(option)])


def _bounds(option: Mapping[str, Any]) -> Iterator[str]:
    if "exclusiveMinimum" in option:
        yield f"above {option['exclusiveMinimum']}"
    if "minimum" in option:
        yield f"from {option['minimum']}"
    if "maximum" in option:
        yield f"to {option['maximum']}"
