"""What an audit takes of memory, in a process of its own."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

from tests.support.paths import ROOT

MEASURED = textwrap.dedent(
    """
    import resource, sys
    from pathlib import Path
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    from lethe.trust.check import audit
    from forgeteval.errors import UserError
    try:
        audit(Path(sys.argv[1]))
    except UserError:
        pass
    status = Path("/proc/self/status").read_text()
    # Not ru_maxrss, which counts what the process had that started this one.
    print(int(status.partition("VmHWM:")[2].split()[0]) >> 10)
    """
)
ROOM_MB = 700
"""What an audit of the small bundle may take; without an attack it takes some 350."""


def megabytes(root: Path) -> int:
    """The most memory that the audit of a folder has, MiB."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(root)], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr[-500:]
    return int(done.stdout)
