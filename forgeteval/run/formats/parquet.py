"""The trials as the study's workflow writes them: Parquet, by pyarrow, which the extra `parquet` brings."""

from pathlib import Path
from typing import Any

from forgeteval import __version__
from forgeteval.errors import UserError, extra
from forgeteval.files import atomic_write
from forgeteval.run.results import Results

TABLE, SCHEMA_VERSION = "trials", 1
COLUMNS = {
    "suite": "text",
    "system": "text",
    "model": "text",
    "repetition": "count",
    "case_id": "text",
    "verdict": "text",
    "missing": "texts",
    "leaked": "texts",
    "recalled": "texts",
    "probed_verdict": "text or null",
    "residue": "count or null",
    "present": "flags",
    "inscribe_ms": "real",
    "mutate_ms": "real",
    "recall_ms": "real",
    "cpu_ms": "real",
    "llm_calls": "count",
    "llm_fallbacks": "count",
    "matcher_fallbacks": "count",
    "decisions": "texts",
    "tokens_in": "count",
    "tokens_out": "count",
    "cost_usd": "real",
    "answer_ms": "real",
    "error": "text or null",
    "traceback": "text or null",
}
"""The table `trials` of the study (docs/data.md): the kind of each column."""


def require_pyarrow(path: Path) -> None:
    """Raise UserError where pyarrow is missing, before a run whose trials are to be written to `path`."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError as error:
        raise UserError(f"{path}: Parquet needs pyarrow, which is not installed; {extra('parquet')}") from error


def write_trials(results: Results, path: Path) -> None:
    """Write the trials, whole or not at all; without tracebacks, which show paths and lines of whoever ran them.

    Raises:
        UserError: where pyarrow is missing, or the file cannot be written.
    """
    require_pyarrow(path)
    import pyarrow
    import pyarrow.parquet

    rows = [{**trial.to_row(), "traceback": None} for trial in results.trials]
    metadata = {"schema_version": str(SCHEMA_VERSION), "table": TABLE, "producer": f"forgeteval {__version__}"}
    table = pyarrow.Table.from_pylist(rows, schema=schema().with_metadata(metadata))
    with atomic_write(path) as stream:
        pyarrow.parquet.write_table(table, stream, compression="zstd", write_page_checksum=True)


def schema() -> Any:
    """The Arrow schema of the table."""
    import pyarrow

    kinds = {
        "text": pyarrow.string(),
        "count": pyarrow.int64(),
        "real": pyarrow.float64(),
        "texts": pyarrow.list_(pyarrow.string()),
        "flags": pyarrow.list_(pyarrow.bool_()),
    }
    return pyarrow.schema(
        [
            pyarrow.field(name, kinds[kind.removesuffix(" or null")], kind.endswith(" or null"))
            for name, kind in COLUMNS.items()
        ]
    )
