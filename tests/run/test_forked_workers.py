"""Workers that are forked end as those that are started: the same tests, in a process that has a fork server."""

import os
import sys
from collections.abc import Iterator, Sequence

import pytest

from lethe.run import forks
from tests.faults.test_second_round_systems import (  # noqa: F401
    test_a_daemon_does_not_outlive_a_run_whose_keeper_was_ended,
)
from tests.faults.test_workers_and_daemons import (  # noqa: F401
    daemon,
    test_a_daemon_does_not_outlive_a_finished_run,
    test_a_daemon_does_not_outlive_a_worker_that_ends_badly,
)
from tests.run.conftest import switch  # noqa: F401
from tests.run.test_worker_failures import (  # noqa: F401
    test_a_dying_worker_stops_the_run_which_then_goes_on,
    test_the_message_repeats_what_a_dying_worker_said_last,
)
from tests.support.bench import Bench, make_case
from tests.support.disturbed import PASSING
from tests.support.paths import ROOT


@pytest.fixture(autouse=True)
def forking() -> Iterator[None]:
    server = forks.ForkServer.started(sys.executable, [], {**os.environ, "PYTHONPATH": str(ROOT)})
    forks._here[:] = [server]
    yield
    forks._here.clear()
    server.close()


def test_the_worker_is_forked(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    forked, start = [], forks.ForkServer.start

    def noted(server: forks.ForkServer, order: forks.Order, *given: Sequence[int]) -> forks.ForkedProcess:
        forked.append((start(server, order, *given), order.program))
        return forked[-1][0]

    monkeypatch.setattr(forks.ForkServer, "start", noted)
    rows = bench.run([make_case("c", PASSING, "unicycle", ["unicycle"])])
    assert [row["verdict"] for row in rows] == ["pass"]
    ((process, program),) = forked
    assert program == "lethe.run.keeper"
    assert process.wait() == 0
