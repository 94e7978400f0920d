"""What the faults share with the tests of runs, of the command line and of the gateway."""

from tests.cli.conftest import forgeteval
from tests.gateway.conftest import cache, endpoint, server, start
from tests.jobs.conftest import switch

__all__ = ["cache", "endpoint", "forgeteval", "server", "start", "switch"]
