"""The Redis server from the package index, and what is Redis's own in the memories that are kept there."""

import json
import os
import subprocess
import textwrap
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.bench import Bench, TopicEmbedder, make_case
from tests.support.contract import BYSTANDERS, CRIMSON, EVERYTHING, python_in
from tests.support.paths import ROOT

pytestmark = pytest.mark.slow

SERVED = textwrap.dedent(
    """
    import json, sys
    from pathlib import Path
    import redis
    from lethe.systems.redis_server import SearchServer

    server = SearchServer("tried")
    folder = Path(server.client.config_get("dir")["dir"])
    print(json.dumps({
        "pid": server.client.info("server")["process_id"],
        "port": server.port,
        "folder": str(folder),
        "mode": oct((folder / "redis.conf").stat().st_mode & 0o777),
        "modules": sorted(module[b"name"].decode() for module in server.client.module_list()),
        "refuses": refused(lambda: redis.Redis(port=server.port).ping()),
    }), flush=True)
    server.client.hset("kept", mapping={"text": "painted crimson"})
    server.client.execute_command("FT.CREATE", "named", "SCHEMA", "text", "TEXT")
    before = b"painted crimson" in server.stored_bytes()
    server.empty()
    left = server.client.execute_command("FT._LIST"), server.client.keys()
    print(json.dumps([before, b"crimson" in server.stored_bytes(), *map(len, left)]), flush=True)
    sys.stdin.read()
    server.stop()
    """
)
REFUSED = textwrap.dedent(
    """
    def refused(call):
        import redis
        try:
            call()
        except redis.AuthenticationError:
            return True
        return False
    """
)


def test_the_server_is_on_loopback_behind_a_password_and_ends_with_its_owner(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    owner = subprocess.Popen(
        [python_in("redis"), "-c", REFUSED + SERVED],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip
    assert owner.stdin is not None and owner.stdout is not None
    with owner.stdin, owner.stdout:
        said, stored = json.loads(owner.stdout.readline()), json.loads(owner.stdout.readline())
        server = psutil.Process(said["pid"])
        listening = {line.laddr for line in server.net_connections() if line.status == psutil.CONN_LISTEN}
        owner.stdin.close()
        assert owner.wait() == 0
    assert listening == {("127.0.0.1", said["port"])}
    assert (said["mode"], said["refuses"]) == ("0o600", True)
    assert {"ReJSON", "search", "vectorset"} <= set(said["modules"])
    assert stored == [True, False, 0, 0]
    assert Path(said["folder"]).parent == tmp_path
    assert not Path(said["folder"]).exists() and not server.is_running()


@pytest.mark.parametrize(("backend", "own"), [("redis_history", 0.3), ("autogen_redis", 0.7)])
def test_with_its_own_threshold_a_memory_finds_only_what_is_near(backend: str, own: float, tmp_path: Path) -> None:
    facts = [CRIMSON, *BYSTANDERS]
    cases = [make_case("near", facts, "bicycle"), make_case("far", BYSTANDERS, "bicycle")]
    assert found(backend, tmp_path / "own", cases, distance_threshold=own) == {"near": 1, "far": 0}
    assert found(backend, tmp_path / "all", cases) == {"near": len(facts), "far": len(BYSTANDERS)}


def test_the_digits_of_a_vector_are_no_residue(tmp_path: Path) -> None:
    case = make_case("digits", [CRIMSON, *BYSTANDERS], EVERYTHING, must_not=[",0."])
    (row,) = ran("langgraph_redis", tmp_path, [case])
    assert row["residue"] == 0


def test_a_rewritten_autogen_memory_holds_each_item_once(tmp_path: Path) -> None:
    mutations = [("purge", "bicycle"), ("purge", "passport")]
    case = make_case("purged", [CRIMSON, *BYSTANDERS], EVERYTHING, mutations=mutations)
    assert found("autogen_redis", tmp_path, [case]) == {"purged": len(BYSTANDERS) - 1}


def found(backend: str, folder: Path, cases: list[Any], **options: Any) -> dict[str, int]:
    """How many memories each case recalls, of which none is there twice."""
    rows = ran(backend, folder, cases, **options)
    assert all(len(set(row["recalled"])) == len(row["recalled"]) for row in rows)
    return {row["case_id"]: len(row["recalled"]) for row in rows}


def ran(backend: str, folder: Path, cases: list[Any], **options: Any) -> list[dict[str, Any]]:
    folder.mkdir(exist_ok=True)
    return Bench(folder).run(
        cases,
        backend,
        policies={"purge": "equal_text"},
        options=options,
        python=python_in("redis"),
        embedder=TopicEmbedder(),
        start_timeout_s=120.0,
    )
