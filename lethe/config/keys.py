"""The keys in this process's environment: of chat models, and of the storage of the results."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from lethe.config.model import Model

STORAGE_KEYS = (
    *("SNAKEMAKE_STORAGE_S3_ACCESS_KEY", "SNAKEMAKE_STORAGE_S3_SECRET_KEY", "SNAKEMAKE_STORAGE_S3_TOKEN"),
    *("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"),
)


def key_variables(models: Mapping[str, Model]) -> list[str]:
    """The environment variables that hold a key of one of the configuration's models."""
    return sorted({name for model in models.values() if (name := model.api_key_env) and name in os.environ})


def drop_keys(models: Mapping[str, Model]) -> None:
    """Take the keys out of the environment that this process gives to those that it starts."""
    for name in (*key_variables(models), *STORAGE_KEYS):
        os.environ.pop(name, None)


@contextmanager
def hidden_keys(models: Mapping[str, Model]) -> Iterator[None]:
    """Keep the keys from processes that are started in the block."""
    before = dict(os.environ)
    drop_keys(models)
    try:
        yield
    finally:
        os.environ.update(before)
