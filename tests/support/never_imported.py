"""Is never imported to its end, and puts off being told to end."""

import os
import signal
import threading
from pathlib import Path

signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
if pid := os.environ.get("NEVER_IMPORTED"):
    Path(pid).write_text(str(os.getpid()))
threading.Event().wait()
