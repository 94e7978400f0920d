"""A PostgreSQL server with pgvector and Letta's tables, on loopback, which ends with the process that started it.

    python -m lethe.systems.letta_postgres        (once, in Letta's environment, when that is built)

writes `schema.sql`: all tables as the migrations of Letta's source distribution leave them. The migrations take 6 s;
a worker loads that file in 0.3 s.
"""

import os
import pwd
import secrets
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

from lethe.systems.servers import Server, free_port

_UP_S = 60.0
_DATABASE = "-D data -U letta --pwfile=password -A scram-sha-256 -E UTF8 --no-locale --no-sync --no-instructions"
_SETTINGS = "-c timezone=UTC -c unix_socket_directories= -c dynamic_shared_memory_type=mmap"
"""Settings with which no file stands outside the data folder."""
_FAST = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off"
"""Settings for speed instead of durability."""


class Postgres:
    """A PostgreSQL server with its own password on a free port of 127.0.0.1; its database is new, or that of a folder.

    A database without a folder ends with its server, and need not outlive a loss of power.
    PostgreSQL refuses to run as root. Started by root, it runs as `nobody`, in the temporary folder (TMPDIR) if other
    users may enter that, else in /tmp or /var/tmp, and from a copy of its programs if others may not enter theirs.

    Args:
        environment: folder of Letta's Python environment; the programs are in its environments/letta-postgres.
        folder: where the database stands and stays; an empty one gets a new database.

    Attributes:
        is_new: whether the database was made just now, without any table.
        uri: postgresql://USER:PASSWORD@127.0.0.1:PORT/DATABASE

    Raises:
        RuntimeError: if it does not start; the message ends with the end of its log.
    """

    def __init__(self, environment: Path, folder: Path | None = None) -> None:
        (programs,) = environment.glob("environments/letta-postgres/lib/python*/site-packages/pgserver/pginstall")
        user = pwd.getpwnam("nobody").pw_uid if os.geteuid() == 0 else None
        home = folder or Path(
            tempfile.mkdtemp(prefix="letta-postgres-", dir=None if user is None else _folder_open_to_others())
        )
        if user is not None and not _is_open_to_others(programs / "bin"):
            programs = Path(shutil.copytree(programs, home / "programs"))
        self._bin = programs / "bin"
        self.is_new, port = not (home / "data").exists(), free_port()
        if self.is_new:
            (home / "password").write_text(secrets.token_hex())
        self._password = (home / "password").read_text()
        self.uri = f"postgresql://letta:{self._password}@127.0.0.1:{port}/postgres"
        if user is not None:
            for path in (home, *home.rglob("*")):
                os.chown(path, user, user, follow_symlinks=False)
        initdb, postgres = shlex.quote(str(self._bin / "initdb")), shlex.quote(str(self._bin / "postgres"))
        settings = _SETTINGS if folder else f"{_SETTINGS} {_FAST}"
        made = f"{initdb} {_DATABASE} && " if self.is_new else ""
        script = f"{made}exec {postgres} -D data -h 127.0.0.1 -p {port} {settings}"
        self.server = Server(
            ["sh", "-c", script],
            env={"PATH": os.environ.get("PATH", os.defpath), "HOME": str(home)},
            cwd=home,
            log=home / "log",
            user=user,
            gentle=signal.SIGINT,
            remove=[] if folder else [home],
        )
        asking = [str(self._bin / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]
        try:
            self.server.wait_until(lambda: subprocess.run(asking, check=False).returncode == 0, _UP_S)
        except RuntimeError:
            self.stop()
            raise

    def run(self, program: str, *arguments: str | os.PathLike[str]) -> str:
        """Run one of PostgreSQL's client programs, e.g. "psql", on the database and return its output.

        Raises:
            RuntimeError: if it fails, with the end of its error output.
        """
        database = ["-d", self.uri.replace(f":{self._password}", "")]
        environment = os.environ | {"PGPASSWORD": self._password}
        command = [self._bin / program, *database, *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=False)
        if done.returncode:
            raise RuntimeError(f"{program}: {' '.join(done.stderr.split())[-300:]}")
        return done.stdout

    def load(self, schema: Path) -> None:
        """Create the tables that `schema` describes."""
        self.run("psql", "-q", "-v", "ON_ERROR_STOP=1", "--single-transaction", "-f", schema)

    def stop(self) -> None:
        """Stop the server, and delete its files where it was given no folder."""
        self.server.stop()


def _is_open_to_others(folder: Path) -> bool:
    return all(path.stat().st_mode & stat.S_IXOTH for path in (folder.absolute(), *folder.absolute().parents))


def _folder_open_to_others() -> Path:
    for name in (tempfile.gettempdir(), "/tmp", "/var/tmp"):
        if _is_open_to_others(Path(name)):
            return Path(name)
    raise RuntimeError("PostgreSQL refuses root and no temporary folder is open to other users; run as another user")


def _write_schema(environment: Path, schema: Path) -> None:
    """Run Letta's migrations on a new database and write its tables to `schema`."""
    (sources,) = environment.glob("sources/letta-*")
    postgres = Postgres(environment)
    try:
        postgres.run("psql", "-q", "-c", "CREATE EXTENSION vector")
        with tempfile.TemporaryDirectory() as home:
            subprocess.run(
                [sys.executable, "-m", "alembic", "upgrade", "head"],
                cwd=sources,
                env=os.environ | {"HOME": home, "LETTA_PG_URI": postgres.uri},
                check=True,
            )
        schema.write_text(postgres.run("pg_dump", "--no-owner", "--inserts"), encoding="utf-8")
    finally:
        postgres.stop()


if __name__ == "__main__":
    _write_schema(Path(sys.prefix), Path(sys.prefix) / "schema.sql")
