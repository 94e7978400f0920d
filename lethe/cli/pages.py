"""The generated reference pages: docs/data.md from `lethe.schemas`, docs/configuration.md from the config's schema."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lethe.config.check import SCHEMA_PATH, load_schema
from lethe.schemas import SCHEMA_VERSION, TABLES, Table

DATA_PAGE, CONFIGURATION_PAGE = Path("docs/data.md"), Path("docs/configuration.md")


def generated_pages(root: Path) -> dict[Path, str]:
    """Path below the project's folder `root`, and text, of each generated page.

    Raises:
        OSError: where the config's schema is missing below `root`.
    """
    return {DATA_PAGE: data_page(TABLES), CONFIGURATION_PAGE: configuration_page(load_schema(root))}


def data_page(tables: Sequence[Table]) -> str:
    """docs/data.md: every Parquet table with its path, key and columns."""
    parts = [
        "# Data",
        "",
        "Written by `lethe docs` from `lethe/schemas.py`; edit that file instead.",
        "",
        "Each stage of the workflow writes Parquet that the next one reads. The metadata of every file holds "
        f"`schema_version` (now {SCHEMA_VERSION}), `table` (its name below) and `producer` (fingerprint of the code "
        "that made it).",
    ]
    for table in tables:
        parts += [
            "",
            f"## {table.name}",
            "",
            f"`{table.path}`",
            "",
            table.meaning,
            "",
            f"Unique key: {', '.join(f'`{name}`' for name in table.key)}.",
            "",
            *_markdown_table(
                ("column", "type", "null", "meaning"),
                [(f"`{c.name}`", f"`{c.type}`", "yes" if c.nullable else "no", c.meaning) for c in table.columns],
            ),
        ]
    return "\n".join(parts) + "\n"


def configuration_page(schema: Mapping[str, Any]) -> str:
    """docs/configuration.md: every key of the merged configuration, nested keys dotted."""
    rows = [
        (f"`{key}`", _values(option), _default(option), option.get("description", ""))
        for key, option in config_keys(schema)
    ]
    return (
        "\n".join(
            [
                "# Configuration",
                "",
                f"Written by `lethe docs` from `{SCHEMA_PATH.as_posix()}`; edit that file instead.",
                "",
                "What is run stands in `config/config.yaml`, the suites in `config/suites.yaml`, the systems in "
                "`config/systems.yaml`. A further `--configfile` is merged over them. An unknown key is an error. "
                "`NAME` stands for a name of your choice.",
                "",
                *_markdown_table(("key", "values", "default", "meaning"), rows),
            ]
        )
        + "\n"
    )


def config_keys(schema: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each (dotted key, its schema), outer keys before the keys inside them; keys of free choice are called NAME."""
    inside = list(schema.get("properties", {}).items())
    if isinstance(free := schema.get("additionalProperties"), Mapping):
        inside.append(("NAME", free))
    for name, option in inside:
        key = f"{prefix}{name}"
        if name != "NAME":
            yield key, option
        yield from config_keys(option, f"{key}.")


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


def _default(option: Mapping[str, Any]) -> str:
    return f"`{option['default']}`" if "default" in option else ""


def _markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield _line(head)
    yield _line(["---"] * len(head))
    yield from (_line(row) for row in rows)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
