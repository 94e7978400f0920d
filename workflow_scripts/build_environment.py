"""Build one system's environment from its lock."""

from pathlib import Path

from forgeteval.files import write_text
from lethe.config.keys import drop_keys
from lethe.config.model import Config
from lethe.environments.build import build_environment
from lethe.environments.here import see_to_environments
from lethe.workflow import job

with job(snakemake):
    drop_keys(Config.of(snakemake.config).models)
    folder, freeze = Path(snakemake.params.folder), Path(snakemake.output.freeze)
    if freeze.parent == folder.parent:
        build_environment(Path(snakemake.input.lock), folder, freeze)
    else:
        see_to_environments([freeze], folder.parent)
        write_text(freeze, (folder.parent / freeze.name).read_text(encoding="utf-8"))
