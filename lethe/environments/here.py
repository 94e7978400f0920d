"""What a job needs that stands outside the results, where it runs: as the workflow's rules made it, or, where storage
holds no more of it than its description, made here by `lethe.environments.node`."""

from collections.abc import Iterable
from pathlib import Path

from lethe.config.model import Config

CHOSEN_MODULES = ("lethe.environments.node",)


def embedder_folder(description: Path, config: Config) -> Path:
    """The folder of the embedder that `description`, an input of the job, describes."""
    environments = Path(config.environments_dir)
    if description.is_relative_to(environments):
        return description.parent
    from lethe.environments.node import embedder_on_node

    return embedder_on_node(description, environments, config)


def see_to_environments(freezes: Iterable[Path], environments: Path) -> None:
    """Let the environments whose lists of packages are inputs of the job stand in the folder `environments`."""
    for freeze in freezes:
        if freeze.parent != environments:
            from lethe.environments.node import environment_on_node

            environment_on_node(freeze.name.removesuffix(".freeze.txt"), environments)
