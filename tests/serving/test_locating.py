"""What is served is what the entry says: the weights' checksum is seen at each start of a server."""

import hashlib
import json
import os
import signal
from pathlib import Path
from typing import Any

import psutil
import pytest

from forgeteval.errors import UserError
from lethe.config.chat_models import ModelConfig
from lethe.serving.locating import Prepared, served
from tests.serving.conftest import Options

SUM = hashlib.sha256(b"the weights").hexdigest()


@pytest.fixture
def prepared(options: Options, tmp_path: Path) -> Prepared:
    """A file of weights, its description, and the environment of a server that answers."""
    environments = tmp_path / "environments"
    python = environments / "llama_cpp" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(options().python)
    (environments / "llama_cpp.freeze.txt").write_text("xllamacpp==1\n")
    found = Prepared.of("m", environments)
    found.weights.parent.mkdir()
    found.weights.write_text(json.dumps({"file": str(weights(tmp_path))}))
    weights(tmp_path).write_bytes(b"the weights")
    return Prepared(found.weights, environments, tmp_path / "logs")


def weights(folder: Path) -> Path:
    return folder / "answers"


def model(**changes: Any) -> ModelConfig:
    serve = {"weights": "my.gguf", "sha256": SUM, "context": 512, "threads": 1, **changes}
    return ModelConfig.from_config("m", {"family": "f", "serve": serve})


@pytest.mark.parametrize("own", [True, False])
def test_no_server_is_started_on_other_weights_than_those_that_were_checked(
    prepared: Prepared, tmp_path: Path, own: bool
) -> None:
    file = weights(tmp_path)
    remedy = "restore it, or correct models.m.serve in config/models.yaml"
    if not own:
        remedy = f"remove {prepared.weights} and run again, which fetches it"
    with served(model(weights="my.gguf" if own else "my.lock"), prepared) as addresses:
        assert addresses["m"]().base_url.startswith("http://127.0.0.1:")
        (pid,) = map(int, (tmp_path / "started").read_text().split())
        written = file.stat().st_mtime_ns
        file.write_bytes(b"other bytes")
        os.utime(file, ns=(written, written))
        addresses["m"]()
        server = psutil.Process(pid)
        os.kill(pid, signal.SIGKILL)
        server.wait(30)
        other = hashlib.sha256(b"other bytes").hexdigest()
        with pytest.raises(UserError) as raised:
            addresses["m"]()
        assert str(raised.value) == f"model m: {file} has the sha256 {other}, not {SUM}; {remedy}"
        file.unlink()
        with pytest.raises(UserError) as raised:
            addresses["m"]()
        assert str(raised.value) == f"model m: {file} is not a file; {remedy}"
        file.write_bytes(b"the weights")
        addresses["m"]()
    assert len((tmp_path / "started").read_text().split()) == 2
