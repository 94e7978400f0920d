"""Workers that are forked from a server; how they end is tested where that of started ones is."""

from typing import Any

import pytest

from forgeteval.errors import UserError
from lethe.jobs import forks
from tests.support.bench import Bench, make_case
from tests.support.disturbed import PASSING


@pytest.mark.usefixtures("forking")
def test_the_worker_is_forked(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    forked, start = [], forks.ForkServer.start

    def noted(server: forks.ForkServer, order: forks.Order, *given: Any) -> forks.ForkedProcess:
        forked.append((start(server, order, *given), order.program))
        return forked[-1][0]

    monkeypatch.setattr(forks.ForkServer, "start", noted)
    rows = bench.run([make_case("c", PASSING, "unicycle", ["unicycle"])])
    assert [row["verdict"] for row in rows] == ["pass"]
    ((process, program),) = forked
    assert program == "lethe.jobs.keeper"
    assert process.wait() == 0


@pytest.mark.usefixtures("forking")
def test_a_module_whose_import_never_ends_hangs_no_longer_than_a_start_may_take(bench: Bench) -> None:
    with pytest.raises(UserError, match="the worker hung while starting for 2 s"):
        bench.run([make_case("c", PASSING, "x", ["x"])], "tests.support.never_imported:Store", start_timeout_s=2.0)
