"""Scripts of the workflow as forked processes: importing the package takes longer than most of them run.

Snakemake starts an interpreter for each script. `fork_scripts` has it ask a fork server (`lethe.jobs.fork_server`)
instead, which has imported what nearly all scripts need; the benchmark files then hold the processor time and the
memory of all processes of a job, short ones too.
"""

import atexit
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from snakemake.script import PythonScript

from lethe.fingerprints import PACKAGE
from lethe.installed import reason_lacking
from lethe.jobs.forks import ForkServer, NotForked, Order, can_fork
from lethe.processors import own_processor

_PRELOADED = (
    "snakemake.script",
    "lethe.workflow",
    "lethe.jobs.run_job",
    "lethe.embedding.onnx_model",
    "lethe.config.chat_models",
    "lethe.gateway.chat",
    "onnxruntime",
    "tokenizers",
    "pandas",
    "pyarrow.acero",
    "pyarrow.dataset",
)
_PRELOADED_MATCHER = ("lethe.matcher.planner", "lethe.matcher.evidence.scripts:load_dictionaries")
_THREAD_VARIABLES = ("OMP", "GOTO", "OPENBLAS", "MKL", "VECLIB", "NUMEXPR")
_QUIET = {"ORT_DISABLE_TELEMETRY": "1"}
"""Without it, what sends usage statistics is a thread as soon as onnxruntime is imported."""
_starting = threading.Lock()
_server: list[ForkServer] = []


def fork_scripts() -> None:
    """From here on this process, Snakemake's, has the Python scripts of its rules forked, where the system can."""
    if not can_fork():
        return
    start = PythonScript.execute_script

    def execute_script(script: Any, fname: str, edit: bool = False) -> None:
        began = time.time()
        with own_processor() if _has_one_thread(script) else nullcontext(os.sched_getaffinity(0)) as processors:
            path = str(Path(fname).absolute())
            order = Order(path, [], _environment(script), str(Path.cwd()), processors=sorted(processors))
            try:
                process = _one_server().start(order, [0, 1, 2])
            except NotForked:
                start(script, fname, edit)
                return
            code = process.wait()
        if script.bench_record is not None and process.ended is not None:
            record = script.bench_record
            record.running_time = time.time() - began
            record.cpu_time = record.cpu_usage = process.ended.cpu_s
            record.max_rss, record.data_collected = process.ended.peak_mb, True
        if code:
            raise subprocess.CalledProcessError(code, f"{sys.executable} {fname}")

    PythonScript.execute_script = execute_script


def _has_one_thread(script: Any) -> bool:
    """Whether one processor is all that a job uses: it starts no server, of a model or of a heavy system."""
    system = script.params.get("system") or {}
    return script.threads == 1 and not script.input.get("weights") and not system.get("heavy")


def _one_server() -> ForkServer:
    with _starting:
        if not _server:
            path = os.pathsep.join([str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
            environment = {**os.environ, "PYTHONPATH": path, **_threads(1), **_QUIET}
            modules = _PRELOADED if reason_lacking("matcher") else (*_PRELOADED, *_PRELOADED_MATCHER)
            _server.append(ForkServer.started(sys.executable, modules, environment))
            # It ends with this process anyway; waited for, its time counts as this one's.
            atexit.register(_server[0].close)
        return _server[0]


def _environment(script: Any) -> Mapping[str, str]:
    """The variables that Snakemake gives a script."""
    temporary = script.resources.get("tmpdir")
    folders = dict.fromkeys(("TMPDIR", "TMP", "TEMPDIR", "TEMP"), temporary) if temporary else {}
    return {**os.environ, **_threads(script.threads), **folders}


def _threads(number: int) -> Mapping[str, str]:
    return {f"{library}_NUM_THREADS": str(number) for library in _THREAD_VARIABLES} | {
        "VECLIB_MAXIMUM_THREADS": str(number)
    }
