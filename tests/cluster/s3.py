"""An S3 server on loopback, in an environment built from its lock, with the clients of the workflow for it."""

import contextlib
import os
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx

from lethe.environments.build import interpreter
from lethe.environments.node import environment_on_node
from lethe.systems.servers import free_port
from tests.cluster.plugins import plugins
from tests.support.paths import ENVIRONMENTS

KEYS = {"SNAKEMAKE_STORAGE_S3_ACCESS_KEY": "AKIDLOOPBACK", "SNAKEMAKE_STORAGE_S3_SECRET_KEY": "only-in-the-environment"}


@dataclass(frozen=True)
class S3:
    """A server that runs; it forgets everything when it ends."""

    url: str

    def options(self, prefix: str) -> list[str]:
        """Options of `snakemake` with which results go to this server."""
        return [
            *("--default-storage-provider", "s3", "--default-storage-prefix", prefix),
            *("--storage-s3-endpoint-url", self.url, "--storage-s3-retries", "2"),
        ]

    def read(self, path: str) -> bytes:
        """The content of BUCKET/KEY."""
        # This server asks for a signature, and does not check it.
        return httpx.get(f"{self.url}/{path}", headers={"Authorization": "AWS anyone:0"}).raise_for_status().content

    def environment(self, project: Path) -> dict[str, str]:
        """Variables of a process that runs `snakemake` in `project`, which may be a copy."""
        return os.environ | KEYS | {"PYTHONPATH": f"{project}{os.pathsep}{plugins('kubernetes')}"}


@contextlib.contextmanager
def running_s3(folder: Path) -> Iterator[S3]:
    """A server, with its log in `folder`."""
    environment_on_node("s3_server", ENVIRONMENTS)
    port = free_port()
    program = interpreter(ENVIRONMENTS, "s3_server").with_name("moto_server")
    with (folder / "s3.log").open("wb") as log:
        server = subprocess.Popen([program, "--host", "127.0.0.1", "--port", str(port)], stdout=log, stderr=log)
    try:
        s3, deadline = S3(f"http://127.0.0.1:{port}"), time.monotonic() + 60
        while not _answers(s3.url):
            if server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the S3 server is not up: {(folder / 's3.log').read_text(encoding='utf-8')}")
            time.sleep(0.1)
        yield s3
    finally:
        server.terminate()
        server.wait(20)


def _answers(url: str) -> bool:
    try:
        return httpx.get(url).is_success
    except httpx.TransportError:
        return False
