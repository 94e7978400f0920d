"""The cache file: the answers that may be reused, and the log of every call (SQLite, safe for several processes)."""

import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forgeteval.errors import UserError
from lethe.fingerprints import value_fingerprint
from lethe.gateway.answers import Answer, RecordedAnswers
from lethe.gateway.context import CallContext
from lethe.gateway.requests import ChatRequest

if TYPE_CHECKING:
    from lethe.config.chat_models import ModelConfig

_IDENTITY = {"application_id": 0x4C474154, "user_version": 3}
_WITHOUT_ENDPOINTS = 2
"""The version that did not say whose an answer is."""
DATA_FILES = ("cache.sql",)
SCHEMA = Path(__file__).with_name(DATA_FILES[0]).read_text(encoding="utf-8")
WAIT_FOR_OTHERS_S = 30.0
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
"""Codes of a file that SQLite cannot read, whatever is done about its place."""

_ANSWER = ("response", "finish_reason", "tokens_in", "tokens_out", "cost_usd", "latency_ms", "attempts")
_SIGNED = ("key", "model", "request", *_ANSWER)
_SPENT = "SELECT count(*), total(cost_usd) FROM calls WHERE spent AND model = ?"
_SOURCES = (
    "SELECT max(cache_hit AND key NOT IN (SELECT key FROM answers)) AS recorded FROM calls "
    "WHERE model = ? AND system = ? AND suite = ? AND error IS NULL GROUP BY key"
)
_ROUNDING_USD = 1e-9
_FIND = f"SELECT checksum, {', '.join(_SIGNED)} FROM answers WHERE key = ? AND endpoint = ?"
_OLD = ", ".join((*_SIGNED, "checksum", "made_at"))
_TO_ENDPOINTS = (
    "ALTER TABLE answers RENAME TO old_answers",
    SCHEMA.partition(";\n")[0],
    f"INSERT INTO answers (endpoint, {_OLD}) SELECT '', {_OLD} FROM old_answers",
    "DROP TABLE old_answers",
    "ALTER TABLE calls ADD COLUMN endpoint TEXT NOT NULL DEFAULT ''",
)


@dataclass(frozen=True, slots=True)
class LoggedCall(CallContext):
    """One row of the log; the columns are described in `cache.sql` and `lethe.schemas.LLM_CALLS`."""

    model: str = ""
    endpoint: str = ""
    key: str = ""
    prompt_hash: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost_usd: float = 0.0
    latency_ms: float = 0.0
    attempts: int = 0
    cache_hit: bool = False
    spent: bool = False
    finish_reason: str = ""
    error: str | None = None
    request: str | None = None
    response: str | None = None

    @classmethod
    def of(cls, model: "ModelConfig", request: ChatRequest, context: CallContext) -> "LoggedCall":
        """A call that has no answer yet."""
        return cls(
            **asdict(context),
            model=model.name,
            endpoint=model.endpoint,
            key=request.key,
            prompt_hash=request.prompt_hash,
        )

    def answered(self, answer: Answer, *, cache_hit: bool) -> "LoggedCall":
        """The call with its answer."""
        fields = {name: getattr(answer, name) for name in _ANSWER if name != "response"}
        return replace(self, **{**fields, "attempts": 0 if cache_hit else answer.attempts, "cache_hit": cache_hit})


class Cache:
    """One connection to a cache file, which is created if missing; for one thread at a time.

    Args:
        recorded: answers that count as kept, though they stand elsewhere.

    Every method raises UserError if the file cannot be read or written, or is not a cache of this version.
    """

    def __init__(self, path: Path, recorded: RecordedAnswers | None = None) -> None:
        self.path, self._recorded = path, recorded or RecordedAnswers()
        with self._one_line_errors():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                path, timeout=WAIT_FOR_OTHERS_S, isolation_level=None, check_same_thread=False
            )
        try:
            with self._one_line_errors():
                self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def find(self, key: str, endpoint: str) -> Answer | None:
        """The answer of an endpoint kept under `key`, or recorded, if any; UserError also where it is not as it was
        written."""
        with self._one_line_errors():
            row = self._connection.execute(_FIND, (key, endpoint)).fetchone()
        if row is None:
            return self._recorded.find(key)
        checksum, *signed = row
        if any(isinstance(value, bytes) for value in row) or value_fingerprint(signed) != checksum:
            remedy = "restore the file, or delete this row of `answers` to ask again"
            raise UserError(f"cache {self.path}: the answer {key} is not as it was written; {remedy}")
        return Answer(**dict(zip(_ANSWER, signed[-len(_ANSWER) :], strict=True)))

    def hit(self, call: LoggedCall) -> Answer | None:
        """The answer to a call, if it is kept or recorded; the hit is logged."""
        answer = self.find(call.key, call.endpoint)
        if answer is not None:
            self.log(call.answered(answer, cache_hit=True))
        return answer

    def begin(
        self, call: LoggedCall, max_usd: float | None, max_calls: int | None, attempts: int
    ) -> tuple[int, int] | str:
        """Log a call that is about to be sent, as if each attempt had broken off and cost what it may cost at most.

        Args:
            call: with the cost of one attempt.
            attempts: how many it may take.

        Returns:
            Its number in the log, and for how many of the attempts there is room; or why there is none for any.
        """
        with self._writing():
            calls, usd = self._connection.execute(_SPENT, (call.model,)).fetchone()
            if max_calls is not None and calls >= max_calls:
                return f"max_calls {max_calls} is reached"
            if max_usd is not None and usd + call.cost_usd > max_usd + _ROUNDING_USD:
                return f"max_usd {max_usd:g} is reached ({usd:.6f} spent, a call may cost {call.cost_usd:.6f})"
            if max_usd is not None and call.cost_usd > 0:
                attempts = min(attempts, int((max_usd + _ROUNDING_USD - usd) / call.cost_usd))
            return self._insert("calls", asdict(replace(call, cost_usd=attempts * call.cost_usd))), attempts

    def log(self, call: LoggedCall, number: int | None = None) -> None:
        """Append a call to the log, or complete the one that began under a number."""
        with self._writing():
            self._log(call, number)

    def keep(self, call: LoggedCall, request: str, answer: Answer, number: int | None = None) -> Answer:
        """Log a call and keep its answer; returns the answer now kept, which another process may have written first."""
        row = {"key": call.key, "endpoint": call.endpoint, "model": call.model, "request": request}
        row |= {name: getattr(answer, name) for name in _ANSWER}
        checksum = value_fingerprint([row[name] for name in _SIGNED])
        with self._writing():
            self._insert("answers", {**row, "checksum": checksum}, "OR IGNORE ")
            self._log(call, number)
        return self.find(call.key, call.endpoint) or answer

    def other_endpoints(self, call: LoggedCall) -> list[str]:
        """The other endpoints of which an answer to this call is kept; an empty one is not known."""
        query = "SELECT endpoint FROM answers WHERE key = ? AND endpoint <> ? ORDER BY endpoint"
        return [row["endpoint"] for row in self.select(query, (call.key, call.endpoint))]

    def recorded_of(self, model: str, system: str, suite: str) -> tuple[int, int]:
        """How many of the answers of a model to a system on a suite were recorded ones, and how many there are."""
        found = [row["recorded"] for row in self.select(_SOURCES, (model, system, suite))]
        return sum(found), len(found)

    def select(self, query: str, parameters: Sequence[str] = ()) -> list[dict[str, Any]]:
        """The rows that a query gives, by the names of its columns."""
        with self._one_line_errors():
            found = self._connection.execute(query, parameters)
            names = [column[0] for column in found.description]
            return [dict(zip(names, row, strict=True)) for row in found]

    def close(self) -> None:
        """Close the connection; closing twice is harmless."""
        self._connection.close()

    def _prepare(self) -> None:
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._use_wal()
        with self._writing():
            if not self._connection.execute("SELECT 1 FROM sqlite_schema").fetchone():
                self._create()
            elif self._identity() == (_IDENTITY["application_id"], _WITHOUT_ENDPOINTS):
                self._execute(_TO_ENDPOINTS)
        found = self._identity()
        if found != tuple(_IDENTITY.values()):
            raise UserError(f"cache {self.path}: not a cache of this version; use another file, or move it away")

    def _create(self) -> None:
        self._execute(SCHEMA.split(";\n"))

    def _execute(self, statements: Iterable[str]) -> None:
        """Bring the tables to today's form."""
        for statement in statements:
            self._connection.execute(statement)
        for name, value in _IDENTITY.items():
            self._connection.execute(f"PRAGMA {name} = {value}")

    def _identity(self) -> tuple[int, ...]:
        return tuple(self._connection.execute(f"PRAGMA {name}").fetchone()[0] for name in _IDENTITY)

    def _use_wal(self) -> None:
        # SQLite does not wait for another process that makes the same change, but reports "locked" at once.
        deadline = time.monotonic() + WAIT_FOR_OTHERS_S
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode = WAL").fetchall()
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
            time.sleep(0.02)

    def _log(self, call: LoggedCall, number: int | None) -> None:
        row = asdict(call)
        if number is None:
            self._insert("calls", row)
            return
        changes = ", ".join(f"{name} = :{name}" for name in row)
        self._connection.execute(f"UPDATE calls SET {changes} WHERE call = :call", {**row, "call": number})

    def _insert(self, table: str, row: Mapping[str, Any], otherwise: str = "") -> int:
        places = ", ".join(f":{name}" for name in row)
        written = self._connection.execute(f"INSERT {otherwise}INTO {table} ({', '.join(row)}) VALUES ({places})", row)
        return written.lastrowid or 0

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._one_line_errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _one_line_errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            remedy = "check the path, its permissions and the free space"
            if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF in _DAMAGED:
                remedy = "restore it, or move it away, and what it held is asked for again"
            raise UserError(f"cache {self.path}: {error}; {remedy}") from error
