"""How well requests overlap, and what a replay costs, with an endpoint that takes half a second.

    python benchmarks/time_hook.py

It runs the 385 adversarial cases on Lethe without a hook, with one (limit of 16 requests), and again from the cache.
The endpoint is scripted and answers from the gold memories: its passes are no model's.
"""

import os
import shutil
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))


from forgeteval.cases.suites import build_suite
from forgeteval.embed.embedder import CachedEmbedder
from lethe.config.configurations import Configuration
from lethe.embedding.embedder import FastEmbedder
from lethe.embedding.prepare import prepare_embedder
from lethe.gateway.cache import Cache
from lethe.gateway.models import ModelConfig
from lethe.gateway.replay import ReplayedChat
from lethe.gateway.server import Gateway
from lethe.jobs.services import NO_SERVICES, RunServices, chat_planner, replayed_planner
from lethe.jobs.session import RunSettings, Session
from lethe.jobs.trials import run_cases
from tests.support.scripted_endpoint import ScriptedServer
from tests.workflow.test_llm import right_answers

DELAY_S, LIMIT = 0.5, 16

folder = Path(tempfile.mkdtemp())
prepare_embedder(folder / "model", "sentence-transformers/all-MiniLM-L6-v2", "package", 128)
cases = build_suite("adversarial", {"folder": "suites/adversarial"})
embedder = CachedEmbedder({}, FastEmbedder(folder / "model"))
embedder.embed([text for case in cases for text in case.texts()])
server = ScriptedServer()
os.environ["SCRIPTED_KEY"] = "sk-benchmark"
options = {"family": "scripted", "base_url": server.fresh().url, "model": "m", "api_key_env": "SCRIPTED_KEY"}
model = ModelConfig.from_config("scripted", {**options, "concurrency": LIMIT})


def timed(label: str, name: str, services: RunServices) -> tuple[float, int]:
    """Run the suite once; returns seconds and chat calls."""
    system = Configuration(name, backend="lethe", model="scripted" if services.asks_model else "")
    session = Session(
        system, Path(sys.executable), embedder, RunSettings(), folder / "journal", folder / "log", label, services
    )
    start = time.perf_counter()
    with run_cases(session, cases) as trials:
        seconds = time.perf_counter() - start
    passed = sum(trial["verdict"] == "pass" for trial in trials)
    print(f"{label}: {seconds:.1f} s, {passed} of {len(trials)} passed")
    return seconds, sum(trial["llm_calls"] for trial in trials)


try:
    server.current.otherwise = right_answers(DELAY_S)
    plain, _ = timed("no hook", "lethe", NO_SERVICES)
    with Gateway({"scripted": model}, folder / "cache.sqlite", "live") as gateway:
        hooked, calls = timed("hooked", "lethe+llm", chat_planner(gateway, model))
    ideal = calls * DELAY_S / LIMIT
    print(f"{calls} calls: ideal {ideal:.1f} s, hooked / ideal = {hooked / ideal:.2f}")
    with closing(Cache(folder / "cache.sqlite")) as cache:
        replayed, _ = timed("replayed", "lethe+llm", replayed_planner(ReplayedChat(cache, model), model))
    print(f"replayed / no hook = {replayed / plain:.2f}")
finally:
    server.stop()
    shutil.rmtree(folder)
