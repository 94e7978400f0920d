"""What only Letta has: its PostgreSQL, under any user and in any folder, and the hook on its real API.

`test_contract.py` holds the rest. The endpoint is scripted: no model, and never shown as one.
"""

import json
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

from forgeteval.embed.embedder import CachedEmbedder
from lethe.config.chat_models import ModelConfig
from lethe.gateway.server import Gateway
from lethe.jobs.services import asking_system
from lethe.systems.letta_postgres import Postgres
from tests.support.asking import ENVIRONMENTS, answers, environment_python
from tests.support.bench import Bench, TopicEmbedder, make_case
from tests.support.contract import ALLERGY, CRIMSON, EMERALD, EVERYTHING, PASSPORT, PIANO
from tests.support.scripted_endpoint import ScriptedServer

pytestmark = [pytest.mark.slow, pytest.mark.heavy]

TWO_CLAUSES = f"{CRIMSON}; has nine gears"
CASES = [
    make_case("replaced", [CRIMSON, PIANO], EVERYTHING, [EMERALD, PIANO], ["crimson"],
              [("supersede", "bicycle", EMERALD)]),
    make_case("edited", [TWO_CLAUSES, PIANO], EVERYTHING, [EMERALD, "nine gears", PIANO], ["crimson"],
              [("supersede", "bicycle", EMERALD)]),
    make_case("released", [CRIMSON, PASSPORT, PIANO], EVERYTHING, [PIANO], ["crimson", "passport"],
              [("release", "bicycle passport")]),
    make_case("purged", [CRIMSON, ALLERGY, PIANO], EVERYTHING, [PIANO], ["crimson", "peanuts"],
              [("purge", "bicycle allergy")]),
    make_case("undecided", [CRIMSON, PIANO], EVERYTHING, [CRIMSON, PIANO], [], [("release", "landlord")]),
    make_case("nul", ["piano\x00tuned"], EVERYTHING, ["pianotuned"]),
]  # fmt: skip


@pytest.fixture(scope="module")
def environment() -> Path:
    environment_python("letta")
    return ENVIRONMENTS / "letta"


def plan(asked: Mapping[str, Any]) -> str:
    """A planner's answer from its own inputs: memories that share a word with the target match; a clause is kept."""
    asked_for = json.loads(re.findall(r"```json\n(.*?)\n```", asked["messages"][-1]["content"], re.DOTALL)[-1])
    if asked_for["task"] == "supersede":
        _, clause, rest = asked_for["memory"].partition("; ")
        edit = {"mode": "edit", "text": f"{asked_for['new_fact']}; {rest}"}
        return json.dumps(edit if clause else {"mode": "replace"})
    wanted = set(asked_for["target"].split())
    found = [row["index"] for row in asked_for["candidates"] if wanted & set(row["text"].split())]
    return json.dumps({"matching_indices": found})


@pytest.fixture(scope="module")
def hooked(environment: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, dict[str, Any]]]:
    folder, server = tmp_path_factory.mktemp("hooked"), ScriptedServer()
    endpoint = server.fresh()
    endpoint.otherwise = answers(plan)
    model = ModelConfig.from_config("scripted", {"family": "scripted", "base_url": endpoint.url, "model": "scripted"})
    embedder = CachedEmbedder({}, TopicEmbedder())
    with Gateway({"scripted": model}, folder / "cache.sqlite", "live", embedder) as gateway:
        rows = Bench(folder).run(
            CASES,
            "letta",
            policies={"supersede": "best_match", "purge": "all_hits"},
            services=asking_system(gateway, model, hooked=True),
            python=environment_python("letta"),
            embedder=embedder,
            limit_s=300.0,
            start_timeout_s=300.0,
        )
    yield {row["case_id"]: row for row in rows}
    server.stop()


@pytest.mark.parametrize("case_id", [case.case_id for case in CASES])
def test_the_hook_works_on_archival_memory(hooked: Mapping[str, Mapping[str, Any]], case_id: str) -> None:
    row = hooked[case_id]
    assert (row["verdict"], row["error"], row["missing"], row["leaked"]) == ("pass", None, [], [])


def test_only_mutations_ask_the_model(hooked: Mapping[str, Mapping[str, Any]]) -> None:
    asked = {name: row["llm_calls"] for name, row in hooked.items()}
    assert asked == {case.case_id: len(case.mutations) for case in CASES}
    assert {name for name, row in hooked.items() if row["llm_fallbacks"]} == {"undecided"}


def test_what_is_deleted_is_in_no_table(hooked: Mapping[str, Mapping[str, Any]]) -> None:
    assert {row["residue"] for row in hooked.values()} == {0}


@pytest.mark.parametrize("open_to_others", [True, False])
def test_postgres_runs_as_anybody_and_leaves_nothing(
    environment: Path, monkeypatch: pytest.MonkeyPatch, open_to_others: bool
) -> None:
    """Files stand in the run's folder; for root, whose stand-in cannot enter a closed one, in the machine's instead."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755 if open_to_others else 0o700)
        monkeypatch.setattr(tempfile, "tempdir", folder)
        postgres = Postgres(environment)
        try:
            process = psutil.Process(postgres.server.pid)
            data = Path(process.cwd())
            assert process.uids().real != 0
            assert data.is_relative_to(folder) == (open_to_others or os.geteuid() != 0)
            assert stat.S_IMODE(data.parent.stat().st_mode) == 0o700
            assert {each.laddr.ip for each in process.net_connections() if each.status == "LISTEN"} == {"127.0.0.1"}
            postgres.load(environment / "schema.sql")
            assert postgres.run("psql", "-At", "-c", "SELECT count(*) FROM archival_passages") == "0\n"
        finally:
            postgres.stop()
        assert not process.is_running()
        assert not data.parent.exists()


def test_postgres_wants_its_password(environment: Path) -> None:
    postgres = Postgres(environment)
    try:
        guess = postgres.uri.replace("letta:", "letta:not")
        command = [environment / "bin/python", "-c", _CONNECT, guess]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert "password authentication failed" in done.stderr
    finally:
        postgres.stop()


_CONNECT = "import asyncio, asyncpg, sys; asyncio.run(asyncpg.connect(sys.argv[1]))"


def test_postgres_ends_with_an_owner_that_is_killed(environment: Path) -> None:
    code = textwrap.dedent(
        f"""
        import sys, time
        from pathlib import Path
        from lethe.systems.letta_postgres import Postgres
        print(Postgres(Path({str(environment)!r})).server.pid, flush=True)
        time.sleep(600)
        """
    )
    owner = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert owner.stdout is not None
    server = psutil.Process(int(owner.stdout.readline()))
    family, home = [server, *server.children(recursive=True)], Path(server.cwd()).parent
    assert home.name.startswith("letta-postgres-")
    os.killpg(owner.pid, signal.SIGKILL)
    owner.wait()
    _, alive = psutil.wait_procs(family, timeout=30)
    assert alive == []
    end = time.monotonic() + 30
    while home.exists():
        assert time.monotonic() < end, "its files are still there"
        time.sleep(0.05)
