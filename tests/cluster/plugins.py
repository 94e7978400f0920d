"""Snakemake's plugins for clusters, which the pipeline's environment does not have."""

from pathlib import Path

from lethe.environments.node import environment_on_node
from tests.support.paths import ENVIRONMENTS


def plugins(name: str) -> Path:
    """The folder of the plugins of `envs/NAME.lock`, which is installed where it is not there yet."""
    environment_on_node(name, ENVIRONMENTS)
    (found,) = (ENVIRONMENTS / name / "lib").glob("python3*/site-packages")
    return found.absolute()
