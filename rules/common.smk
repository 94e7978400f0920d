# Checked configuration and the paths that every stage shares.
from pathlib import Path

from lethe.config import (
    check_config,
    chosen_suites,
    reasons_suite_empty,
)
from lethe.errors import one_line_errors
from lethe.provenance import code_fingerprint
from lethe.rows import reasons_not_run, rows_to_run, table_rows

ROOT = Path(workflow.basedir)

with one_line_errors():
    check_config(config, ROOT)

OUT = "" if config["output_dir"] == "." else config["output_dir"].rstrip("/") + "/"
ENVIRONMENTS = config["environments_dir"].rstrip("/")
EMBEDDER = f"{ENVIRONMENTS}/embedders/{config['embedder']['name'].split('/')[-1]}-{config['embedder']['max_tokens']}"
SUITES = chosen_suites(config)
ROWS = table_rows(config)
LLM_CACHE = OUT + config["llm"]["cache"]


def scripts(name):
    return ROOT / "workflow_scripts" / name


wildcard_constraints:
    suite="[^/]+",
    system="[^/]+",
    environment="[^/]+",
