"""A Slurm of one node on this machine: munged, slurmctld and slurmd, with every file in one folder."""

import contextlib
import os
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from lethe.systems.servers import free_port

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol")
CONFIGURATION = Path("/etc/slurm/slurm.conf")
_SETTINGS = """\
ClusterName=lethe
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
MinJobAge=600
SlurmctldTimeout=120
SlurmdTimeout=120
KillWait=2
OverTimeLimit=0
SchedulerParameters=sched_interval=2,batch_sched_delay=0,sched_min_interval=0
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} CoresPerSocket={cpus} RealMemory={memory} State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


class Slurm:
    """A running cluster.

    Attributes:
        folder: configuration, state and logs.
    """

    def __init__(self, folder: Path, cpus: int = 2) -> None:
        self.folder = folder
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        for name in ("state", "spool"):
            (folder / name).mkdir(parents=True)
        folder.chmod(0o755)
        (folder / "munge.key").write_bytes(secrets.token_bytes(128))
        (folder / "munge.key").chmod(0o400)
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
        ports = {"controller": free_port(), "node": free_port()}
        settings = _SETTINGS.format(
            host=socket.gethostname().partition(".")[0], folder=folder, cpus=cpus, memory=memory * 9 // 10, **ports
        )
        (folder / "slurm.conf").write_text(settings, encoding="utf-8")

    def start(self) -> None:
        # Snakemake's executor takes SLURM_CONF from what its jobs are started with, so that it has to be this file.
        CONFIGURATION.parent.mkdir(exist_ok=True)
        CONFIGURATION.symlink_to(self.folder / "slurm.conf")
        key, socket_path = self.folder / "munge.key", self.folder / "munge.socket"
        files = [f"--{name}-file={self.folder / f'munge.{name}'}" for name in ("pid", "log", "seed")]
        self._run("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={socket_path}", *files)
        self._until(socket_path.exists, "munged")
        self.start_controller()
        self._run("slurmd", "-D")
        self._until(lambda: self._says("sinfo", "--noheader", "--format=%T") == "idle", "slurmd")

    def start_controller(self) -> None:
        self._run("slurmctld", "-D", "-i")
        self._until(lambda: "is UP" in self._says("scontrol", "ping"), "slurmctld")

    def stop_controller(self) -> None:
        self._end("slurmctld")

    def jobs(self, states: str = "all") -> dict[str, str]:
        """The state of each job by its number."""
        listed = self._says("squeue", "--noheader", "--format=%i %T", f"--states={states}").splitlines()
        return dict(line.split() for line in listed)

    def cancel(self, job: str) -> None:
        subprocess.run(["scancel", job], check=True)

    def stop(self) -> None:
        for job in self.jobs("pending,running") if "slurmctld" in self._processes else ():
            self.cancel(job)
        for name in ("slurmd", "slurmctld", "munged"):
            self._end(name)
        if CONFIGURATION.is_symlink() and CONFIGURATION.readlink() == self.folder / "slurm.conf":
            CONFIGURATION.unlink()

    def _run(self, program: str, *arguments: str) -> None:
        with (self.folder / f"{program}.out").open("ab") as log:
            command = [shutil.which(program) or program, *arguments]
            self._processes[program] = subprocess.Popen(command, stdout=log, stderr=log)

    def _end(self, program: str) -> None:
        process = self._processes.pop(program, None)
        if process is None:
            return
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _says(self, *command: str) -> str:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stdout.strip()

    def _until(self, condition: Callable[[], bool], program: str) -> None:
        deadline = time.monotonic() + 60
        while not condition():
            if time.monotonic() > deadline or self._processes[program].poll() is not None:
                told = (self.folder / f"{program}.out").read_text(encoding="utf-8", errors="replace")
                raise RuntimeError(f"{program} is not up: {told[-2000:]}")
            time.sleep(0.1)


def lacking() -> str:
    """Why there can be no cluster here; empty where there can."""
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        return f"{', '.join(missing)} not installed (Debian: slurm-wlm, munge)"
    if CONFIGURATION.exists():
        return f"there is a Slurm here already ({CONFIGURATION})"
    return "" if os.geteuid() == 0 else "slurmd needs root"


@contextlib.contextmanager
def running_slurm(folder: Path) -> Iterator[Slurm]:
    cluster = Slurm(folder)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
