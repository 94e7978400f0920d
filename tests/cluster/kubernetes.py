"""A stand-in for the API of Kubernetes: each job's pod is a process here, in a folder of its own."""

import base64
import json
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import yaml


class Cluster:
    """What was asked of the API.

    Attributes:
        kubeconfig: file that names the API, for KUBECONFIG.
        jobs: the bodies of the jobs, by name.
        secrets: what secrets hold, by their names; they stay here when they are removed there.
    """

    def __init__(self, folder: Path, url: str, environment: dict[str, str]) -> None:
        self.folder, self.kubeconfig, self._environment = folder, folder / "kubeconfig", environment
        self.jobs: dict[str, dict[str, Any]] = {}
        self.secrets: dict[str, dict[str, str]] = {}
        self._pods: dict[str, subprocess.Popen[bytes]] = {}
        context = {"name": "here", "context": {"cluster": "here", "user": "here"}}
        config = {
            "apiVersion": "v1", "kind": "Config", "current-context": "here", "contexts": [context],
            "clusters": [{"name": "here", "cluster": {"server": url}}], "users": [{"name": "here", "user": {}}],
        }  # fmt: skip
        self.kubeconfig.write_text(yaml.safe_dump(config), encoding="utf-8")

    def answer(self, method: str, path: list[str], body: dict[str, Any]) -> dict[str, Any]:
        kind = path[path.index("namespaces") + 2]
        if method == "POST" and kind == "secrets":
            self.secrets[body["metadata"]["name"]] = {
                key: base64.b64decode(value).decode() for key, value in body["data"].items()
            }
        elif method == "POST" and kind == "jobs":
            self._start(body)
        elif method == "GET" and kind == "jobs":
            status = self._pods[path[path.index("jobs") + 1]].poll()
            return {"status": {} if status is None else {"failed": 1} if status else {"succeeded": 1}}
        elif method == "GET":
            return {"items": []}
        return body

    def stop(self) -> None:
        for pod in self._pods.values():
            pod.kill()
            pod.wait()

    def _start(self, job: dict[str, Any]) -> None:
        name, (container,) = job["metadata"]["name"], job["spec"]["template"]["spec"]["containers"]
        folder = self.folder / name
        folder.mkdir()
        given = {}
        for variable in container["env"]:
            reference = variable["valueFrom"]["secretKeyRef"]
            given[variable["name"]] = self.secrets[reference["name"]][reference["key"]]
        command = [*container["command"], *container["args"]]
        environment = self._environment | {"PYTHONPATH": f"{folder}{os.pathsep}{self._environment['PYTHONPATH']}"}
        with folder.with_suffix(".log").open("wb") as log:
            self._pods[name] = subprocess.Popen(command, cwd=folder, env=environment | given, stdout=log, stderr=log)
        self.jobs[name] = job


@contextmanager
def running_cluster(folder: Path, environment: dict[str, str]) -> Iterator[Cluster]:
    """A cluster whose pods have the variables `environment`, and their folders and logs in `folder`."""

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            found = cluster.answer(self.command, self.path.partition("?")[0].split("/"), json.loads(sent or b"{}"))
            content = json.dumps(found).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_DELETE = _answer

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    cluster = Cluster(folder, f"http://127.0.0.1:{server.server_port}", environment)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield cluster
    finally:
        cluster.stop()
        server.shutdown()
        server.server_close()
