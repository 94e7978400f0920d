"""What jobs read from the configuration besides their parameters: none of it changes a result."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any


def run_limits(config: Mapping[str, Any]) -> dict[str, Any]:
    """Time limits of a run, and what a worker's failure means for it.

    They are no parameters of a rule: a trial that was finished does not depend on them, and a longer limit runs nothing
    again.
    """
    return {name: config["run"][name] for name in ("case_timeout_s", "start_timeout_s", "worker_failure")}


def answer_cache(config: Mapping[str, Any]) -> Path:
    """The file of chat models' answers; it holds them for any run and changes none."""
    return Path(config["output_dir"], config["llm"]["cache"])
