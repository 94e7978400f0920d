"""What the faults share with the tests of runs and of the command line."""

from tests.cli.conftest import lethe
from tests.run.conftest import switch

__all__ = ["lethe", "switch"]
