"""One contract for every measured system of config/systems.yaml, each run in its own environment's worker."""

import os
import shutil
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import psutil
import pytest

from forgeteval.errors import UserError
from tests.support.bench import Bench, make_case
from tests.support.contract import BYSTANDERS, CASES, CRIMSON, LONG, SCRIPTS, SYSTEMS, Ran, marks, not_offered, run
from tests.support.contract_exceptions import EXCEPTIONS
from tests.support.guarded import FORBIDDEN


def every_system(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test once a system."""
    return pytest.mark.parametrize("system", [pytest.param(name, marks=marks(name)) for name in SYSTEMS])(test)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Ran]:
    """The result of a system; each is run once for all tests of this module."""
    return cache(lambda system: run(system, tmp_path_factory.mktemp("contract")))


@pytest.fixture(scope="module")
def side_by_side(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Ran, Ran]]:
    """The results of two workers of a system at the same time, the second of which is guarded; run once likewise."""

    def both(system: str) -> tuple[Ran, Ran]:
        folder = tmp_path_factory.mktemp("side_by_side")
        with ThreadPoolExecutor(2) as pool:
            plain = pool.submit(run, system, folder / "plain")
            guarded = pool.submit(run, system, folder / "guarded", "guarded_")
            return plain.result(), guarded.result()

    return cache(both)


@pytest.fixture(autouse=True)
def _declared_exception(request: pytest.FixtureRequest) -> None:
    """A test that a system is known to fail must fail: `contract_exceptions.py` says why."""
    arguments = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    test = request.node.function.__name__.removeprefix("test_")
    case = arguments.get("case_id") or arguments.get("name")
    declared = EXCEPTIONS.get(arguments.get("system"), {})
    reason = declared.get(f"{test}[{case}]") if case else declared.get(test)
    if reason is not None:
        request.node.add_marker(pytest.mark.xfail(reason=reason, raises=AssertionError, strict=True))


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
def test_two_workers_of_a_system_do_not_meet(
    system: str, ran: Callable[[str], Ran], side_by_side: Callable[[str], tuple[Ran, Ran]]
) -> None:
    def verdicts(result: Ran) -> list[tuple[str, str, list[str]]]:
        return [(row["case_id"], row["verdict"], row["recalled"]) for row in result.rows.values()]

    plain, guarded = side_by_side(system)
    assert verdicts(plain) == verdicts(guarded) == verdicts(ran(system))


@every_system
def test_a_system_talks_to_loopback_at_most(system: str, side_by_side: Callable[[str], tuple[Ran, Ran]]) -> None:
    _, guarded = side_by_side(system)
    assert [line for line in guarded.log.splitlines() if FORBIDDEN in line] == []


def test_the_guard_sees_a_system_that_talks(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.run([make_case("c", [CRIMSON], "bicycle")], "tests.support.guarded:Chatty", python=Path(sys.executable))
    attempts = ["connect 192.0.2.1", "sendto 192.0.2.1", "connect 2001:db8::1", "getaddrinfo example.invalid"]
    seen = [f"{FORBIDDEN} socket.{attempt}" for attempt in [*attempts, "getaddrinfo child.invalid"]]
    if shutil.which("node") is not None:
        seen += [f"{FORBIDDEN} net.connect node.invalid", f"{FORBIDDEN} net.connect fetch.invalid"]
    logged = bench.logged()
    assert [attempt for attempt in seen if attempt not in logged] == []


@every_system
def test_a_killed_worker_leaves_nothing_and_the_run_goes_on(system: str, tmp_path: Path) -> None:
    armed = tmp_path / "armed"
    armed.touch()
    cases = [
        make_case("before", [CRIMSON, *BYSTANDERS], "bicycle", [CRIMSON]),
        make_case("killed", [f"!sigkill {armed}", CRIMSON], "bicycle", [CRIMSON]),
        make_case("after", BYSTANDERS, "bicycle", must_not=["crimson"]),
    ]
    with pytest.raises(UserError, match="died at case killed"):
        run(system, tmp_path, "killable_", cases)
    assert processes_of(tmp_path) == []
    assert not list(tmp_path.rglob("*.home"))
    armed.unlink()
    again = run(system, tmp_path, "killable_", cases)
    assert [again.verdict(case.case_id) for case in cases] == ["pass"] * 3
    assert processes_of(tmp_path) == []


def processes_of(folder: Path) -> list[psutil.Process]:
    """Processes whose HOME, working folder or command line lies in `folder`; they get a moment to end."""

    def living() -> list[psutil.Process]:
        found = []
        for process in psutil.process_iter():
            try:
                places = [process.environ().get("HOME", ""), process.cwd(), *process.cmdline()]
            except psutil.Error:
                continue
            if process.pid != os.getpid() and any(str(folder) in place for place in places):
                found.append(process)
        return found

    _, alive = psutil.wait_procs(living(), timeout=15)
    return alive
