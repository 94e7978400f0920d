"""The contract that every measured system of config/systems.yaml is held to: its cases, and how they are run."""

import importlib
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from starlette.responses import Response

from forgeteval.embed.embedder import CachedEmbedder
from forgeteval.stores.policies import POLICIES
from lethe.config.chat_models import ModelConfig
from lethe.config.configurations import PIPELINE, lock_file
from lethe.environments.build import build_environment, interpreter
from lethe.folders import locked
from lethe.gateway.server import Gateway
from lethe.jobs.services import NO_SERVICES, RunServices, asking_system
from lethe.systems.backends import ADAPTERS
from tests.support.bench import Bench, TopicEmbedder, make_case
from tests.support.paths import BUILDING, ENVIRONMENTS, ROOT
from tests.support.scripted_endpoint import ScriptedServer, completion


def _distinct_systems() -> dict[str, dict[str, Any]]:
    """Every system but controls and hooked ones; of a system with two contracts, the uniform one."""
    text = (ROOT / "config/systems.yaml").read_text(encoding="utf-8")
    entries: dict[str, dict[str, Any]] = yaml.safe_load(text)["systems"]
    uniform = {name.partition("+")[0] for name, entry in entries.items() if entry.get("contract") == "uniform"}
    return {
        name: entry
        for name, entry in entries.items()
        if not (entry["regime"] == "control" or "hook" in entry or "not_run" in entry)
        and (entry.get("contract") != "paper" or name not in uniform)
    }


SYSTEMS = _distinct_systems()

# A query is one word that its topic's memory alone holds, so that lexical, vector and substring matching agree.
CRIMSON, EMERALD = "bicycle painted crimson", "bicycle painted emerald"
PASSPORT, ALLERGY, PIANO = "passport expires november", "allergy to peanuts", "piano needs tuning"
BYSTANDERS = [PASSPORT, ALLERGY, PIANO]
EVERYTHING = "bicycle passport allergy piano"
"""A final query that lexical recall answers with every memory; its vector is the bicycle's."""
LEDGER = [f"ledger entry Q{number:03d}X belongs to person{number:03d}" for number in range(200)]
LONG = "landlord " + " ".join(f"clause{number:04d}" for number in range(850))
SCRIPTS = {
    "emoji": "home \U0001f3e0 mit \U0001f468\u200d\U0001f469\u200d\U0001f467 und \U0001f3f4\u200d☠️ 🇩🇪",
    "rtl": "גר ברחוב \u202aHerzl 5\u202c תל־אביב ويسكن في القاهرة \u200fמול הים",
    "combining": "cafe\u0301 Ångstro\u0308m a\u0323\u0307 हिन्दी में क्ष नहीं ỹ\u0301",
    "wide": "東京都に住んでいる ｆｕｌｌｗｉｄｔｈ １２３ \u3000 Ǆ ﬁ ſ İ ẞ",
    "controls": "tab\tnewline\ncarriage\rbell\x07 line\u2028separator \ufeffbom \u200bzero",
    "syntax": """"double" 'single' `tick` \\back % _ * ? ^ {0} [0] <b>&amp;</b> -- ; DROP TABLE x; ${HOME} %s""",
    "astral": "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐍈 𒀀 \U0010fffd",
}

CASES = [
    make_case("round_trip", [CRIMSON, *BYSTANDERS], "bicycle", [CRIMSON]),
    make_case("isolation", BYSTANDERS, "bicycle", must_not=["crimson", "bicycle"]),
    make_case(
        "supersede", [CRIMSON, *BYSTANDERS], EVERYTHING, [EMERALD, *BYSTANDERS], ["crimson"],
        [("supersede", "bicycle", EMERALD)],
    ),
    make_case("release", [CRIMSON, *BYSTANDERS], EVERYTHING, BYSTANDERS, ["crimson"], [("release", "bicycle")]),
    make_case("purge", [CRIMSON, *BYSTANDERS], EVERYTHING, BYSTANDERS, ["crimson"], [("purge", "bicycle")]),
    make_case(
        "mutated_twice", [CRIMSON, *BYSTANDERS], EVERYTHING, BYSTANDERS, ["crimson", "emerald"],
        [("supersede", "bicycle", EMERALD), ("purge", "bicycle")],
    ),
    make_case("emptied", [CRIMSON], "bicycle", [], ["crimson"], [("purge", "bicycle")]),
    make_case("emptied_twice", [CRIMSON], "bicycle", [], ["crimson"], [("purge", "bicycle"), ("release", "bicycle")]),
    make_case(
        "emptied_and_filled", [CRIMSON], "bicycle", [EMERALD], ["crimson"],
        [("purge", "bicycle"), ("supersede", "bicycle", EMERALD)],
    ),
    make_case("after_mutations", [PASSPORT], "bicycle", [PASSPORT], ["crimson", "emerald", "peanuts"]),
    *(make_case(f"script_{name}", [text, PASSPORT], text, [text]) for name, text in SCRIPTS.items()),
    make_case("long_fact", [LONG, *BYSTANDERS], "landlord", [LONG]),
    make_case("long_query", [LONG, *BYSTANDERS], LONG, [LONG]),
    make_case("ledger_first", LEDGER, LEDGER[0], [LEDGER[0]]),
    make_case("ledger_last", LEDGER, LEDGER[-1], [LEDGER[-1]]),
]  # fmt: skip


@dataclass(frozen=True)
class Ran:
    """A system's trials by case, and what its worker wrote."""

    rows: Mapping[str, Mapping[str, Any]]
    log: str

    def verdict(self, case_id: str) -> str:
        row = self.rows[case_id]
        if row["verdict"] != "pass":
            print({name: row[name] for name in ("case_id", "error", "missing", "leaked", "recalled")})
        return str(row["verdict"])


def marks(name: str) -> list[pytest.MarkDecorator]:
    """Systems of other environments are slow; the heavy ones, and those with a chat model inside, which take minutes
    each, run only with `pytest --heavy`."""
    entry = SYSTEMS[name]
    if entry["environment"] == PIPELINE:
        return []
    lacking = [command for command in entry.get("requires", []) if shutil.which(command) is None]
    return [
        pytest.mark.slow,
        *([pytest.mark.heavy] if entry.get("heavy") or entry.get("gateway") == "chat" else []),
        *([pytest.mark.skip(f"needs {', '.join(lacking)}")] if lacking else []),
    ]


def python_of(system: str) -> Path:
    """The interpreter of a system's environment, which is built if it is missing."""
    return python_in(SYSTEMS[system]["environment"])


def python_in(name: str) -> Path:
    """The interpreter of an environment, which is built if it is missing."""
    python, freeze = interpreter(ENVIRONMENTS, name), ENVIRONMENTS / f"{name}.freeze.txt"
    if name != PIPELINE:
        with locked(BUILDING):
            if not freeze.exists():
                build_environment(lock_file(ROOT, name), ENVIRONMENTS / name, freeze)
    return python


def not_offered(system: str) -> set[str]:
    """The mutations that a system's configuration does not compose."""
    entry = SYSTEMS[system]
    return set() if entry["backend"] in ADAPTERS else set(POLICIES) - set(entry.get("policies", {}))


def run(system: str, folder: Path, prefix: str = "", cases: list[Any] | None = None) -> Ran:
    """Run the contract's cases on a system; `prefix` puts a wrapper of tests/support/guarded.py around it."""
    entry, bench = SYSTEMS[system], Bench(folder)
    with opened_gateway(entry, folder) as services:
        rows = bench.run(
            CASES if cases is None else cases,
            f"tests.support.guarded:{prefix}{entry['backend']}" if prefix else entry["backend"],
            policies=entry.get("policies", {}),
            options=entry.get("options", {}),
            services=services,
            python=python_of(system),
            embedder=TopicEmbedder(),
            limit_s=300.0,
            start_timeout_s=300.0,
        )
    return Ran({row["case_id"]: row for row in rows}, bench.logged())


@contextmanager
def opened_gateway(
    entry: Mapping[str, Any], folder: Path, answer: Callable[[Mapping[str, Any]], str] | None = None
) -> Iterator[RunServices]:
    """What the run gives a system that asks a gateway; its chat model is scripted and exists for this contract.

    Args:
        answer: what the model says to a request; the backend's own script, if None.
    """
    embedder = CachedEmbedder({}, TopicEmbedder())
    if entry.get("gateway") == "embeddings":
        with Gateway({}, folder / "cache.sqlite", "off", embedder) as gateway:
            yield asking_system(gateway, None, hooked=False)
    elif entry.get("gateway") == "chat":
        said = answer or importlib.import_module(f"tests.support.scripted_{entry['backend']}").answer
        server = ScriptedServer()
        try:
            endpoint = server.fresh()

            async def scripted(asked: dict[str, Any]) -> Response:
                return Response(json.dumps(completion(said(asked))), media_type="application/json")

            endpoint.otherwise = scripted
            options = {"family": "scripted", "base_url": endpoint.url, "model": "scripted", "timeout_s": 60.0}
            model = ModelConfig.from_config("scripted", options)
            with Gateway({"scripted": model}, folder / "cache.sqlite", "live", embedder) as gateway:
                yield asking_system(gateway, model, hooked=False)
        finally:
            server.stop()
    else:
        yield NO_SERVICES
