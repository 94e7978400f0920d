"""One contract for every measured system of config/systems.yaml, each run in its own environment's worker."""

import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from lethe.environments import PIPELINE, build_environment, interpreter
from lethe.provenance import PACKAGE
from lethe.systems.policies import POLICIES

from .conftest import Bench, TopicEmbedder, make_case
from .misbehaving import FORBIDDEN

ROOT = PACKAGE.parent
ENVIRONMENTS = ROOT / ".environments"
SYSTEMS: dict[str, dict[str, Any]] = {
    name: entry
    for name, entry in yaml.safe_load((ROOT / "config/systems.yaml").read_text(encoding="utf-8"))["systems"].items()
    if entry["regime"] != "control"
}

# A query is one word that its topic's row alone holds, so that lexical, vector and substring matching agree.
CRIMSON, EMERALD = "bicycle painted crimson", "bicycle painted emerald"
PASSPORT, ALLERGY, PIANO = "passport expires november", "allergy to peanuts", "piano tuned yesterday"
BYSTANDERS = [PASSPORT, ALLERGY, PIANO]
EVERYTHING = "bicycle passport allergy piano"
"""A final query that lexical recall answers with every row; its vector is the bicycle's."""
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
    """A system's trial rows by case, and what its worker wrote."""

    rows: Mapping[str, Mapping[str, Any]]
    log: str

    def verdict(self, case_id: str) -> str:
        row = self.rows[case_id]
        if row["verdict"] != "pass":
            print({name: row[name] for name in ("case_id", "error", "missing", "leaked", "recalled")})
        return str(row["verdict"])


def every_system(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test once a system; those of other environments are slow."""
    parameters = [
        pytest.param(name, marks=[] if entry["environment"] == PIPELINE else [pytest.mark.slow])
        for name, entry in SYSTEMS.items()
    ]
    return pytest.mark.parametrize("system", parameters)(test)


def python_of(system: str) -> Path:
    """The interpreter of a system's environment, which is built where it is missing."""
    name = SYSTEMS[system]["environment"]
    python = interpreter(ENVIRONMENTS, name)
    if not python.exists():
        freeze = ENVIRONMENTS / f"{name}.freeze.txt"
        build_environment(ROOT / "envs" / f"{name}.lock", ENVIRONMENTS / name, freeze)
    return python


def run(system: str, folder: Path, prefix: str = "") -> Ran:
    entry, bench = SYSTEMS[system], Bench(folder)
    rows = bench.run(
        CASES,
        prefix + entry["backend"],
        policies=entry.get("policies", {}),
        python=python_of(system),
        embedder=TopicEmbedder(),
        case_timeout_s=60.0,
        start_timeout_s=120.0,
    )
    return Ran({row["case_id"]: row for row in rows}, bench.logged())


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Ran]:
    """The result of a system; each is run once for all tests of this module."""
    return cache(lambda system: run(system, tmp_path_factory.mktemp("contract")))


def not_offered(system: str) -> set[str]:
    entry = SYSTEMS[system]
    composed = entry["backend"] not in ("lethe", "naive_sql")
    return set(POLICIES) - set(entry.get("policies", {})) if composed else set()


@every_system
def test_no_case_is_an_error(system: str, ran: Callable[[str], Ran]) -> None:
    assert {row["case_id"]: row["error"] for row in ran(system).rows.values() if row["verdict"] == "error"} == {}


@every_system
def test_a_fact_is_recalled_verbatim(system: str, ran: Callable[[str], Ran]) -> None:
    assert ran(system).verdict("round_trip") == "pass"
    assert CRIMSON in ran(system).rows["round_trip"]["recalled"]


@every_system
def test_the_best_match_comes_first(system: str, ran: Callable[[str], Ran]) -> None:
    assert ran(system).rows["round_trip"]["recalled"][0] == CRIMSON


@every_system
@pytest.mark.parametrize("case_id", ["isolation", "after_mutations"])
def test_cases_are_isolated(system: str, case_id: str, ran: Callable[[str], Ran]) -> None:
    """Neither what another case stored nor what it left in a cache comes back, nor is it still in the storage."""
    assert ran(system).verdict(case_id) == "pass"
    assert ran(system).rows[case_id]["probed_verdict"] == "pass"
    assert ran(system).rows[case_id]["residue"] in (0, None)


@every_system
@pytest.mark.parametrize("case_id", [case.case_id for case in CASES if case.mutations])
def test_a_mutation_takes_effect_at_once_or_is_not_offered(
    system: str, case_id: str, ran: Callable[[str], Ran]
) -> None:
    needed = {mutation.op for case in CASES if case.case_id == case_id for mutation in case.mutations}
    expected = "na" if needed & not_offered(system) else "pass"
    assert ran(system).verdict(case_id) == expected
    if expected == "pass":
        assert ran(system).rows[case_id]["probed_verdict"] == "pass"


@every_system
@pytest.mark.parametrize("name", SCRIPTS)
def test_unicode_comes_back_as_it_went_in(system: str, name: str, ran: Callable[[str], Ran]) -> None:
    assert ran(system).verdict(f"script_{name}") == "pass"
    assert SCRIPTS[name] in ran(system).rows[f"script_{name}"]["recalled"]


@every_system
@pytest.mark.parametrize("case_id", ["long_fact", "long_query"])
def test_ten_kilobytes_are_one_fact(system: str, case_id: str, ran: Callable[[str], Ran]) -> None:
    assert len(LONG) > 9_300
    assert ran(system).verdict(case_id) == "pass"
    assert LONG in ran(system).rows[case_id]["recalled"]


@every_system
@pytest.mark.parametrize("case_id", ["ledger_first", "ledger_last"])
def test_two_hundred_facts_are_kept(system: str, case_id: str, ran: Callable[[str], Ran]) -> None:
    row = ran(system).rows[case_id]
    assert ran(system).verdict(case_id) == "pass"
    assert len(row["recalled"]) == 10
    assert len(set(row["recalled"])) == 10


@every_system
def test_two_workers_of_a_system_do_not_meet(system: str, ran: Callable[[str], Ran], tmp_path: Path) -> None:
    def verdicts(result: Ran) -> list[tuple[str, str, list[str]]]:
        return [(row["case_id"], row["verdict"], row["recalled"]) for row in result.rows.values()]

    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda name: run(system, tmp_path / name), ("one", "two")))
    assert verdicts(both[0]) == verdicts(both[1]) == verdicts(ran(system))


@every_system
def test_a_system_talks_to_loopback_at_most(system: str, ran: Callable[[str], Ran], tmp_path: Path) -> None:
    guarded = run(system, tmp_path, prefix="guarded_")
    assert [line for line in guarded.log.splitlines() if FORBIDDEN in line] == []
    assert [row["verdict"] for row in guarded.rows.values()] == [row["verdict"] for row in ran(system).rows.values()]


def test_the_guard_sees_a_system_that_talks(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.run([make_case("c", [CRIMSON], "bicycle")], "Chatty", python=Path(sys.executable))
    for attempt in ("connect 192.0.2.1", "sendto 192.0.2.1", "connect 2001:db8::1", "getaddrinfo example.invalid"):
        assert f"{FORBIDDEN} socket.{attempt}" in bench.logged()
