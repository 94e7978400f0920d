"""Systems that erase well or badly, each in one file of its folder, for tests of the erasure audit."""

import contextlib
import json
import os
import socket
import sqlite3
import tempfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from forgeteval.stores.contract import Claim, Hit
from lethe.jobs import erasing


class Eraser:
    """Keeps its memories in a JSON file, and a purge leaves nothing of one there."""

    def __init__(self) -> None:
        self._folder: Path | None = None
        self.rows: list[str] = []

    def open(self, folder: Path) -> None:
        self._folder = folder
        self.rows = json.loads(self._file.read_text()) if self._file.is_file() else []

    def shut(self) -> None:
        self._folder = None

    def reset(self) -> None:
        self.rows = []

    def inscribe(self, texts: Sequence[str]) -> None:
        self.rows.extend(texts)
        self._save()

    def recall_texts(self, query: str, k: int) -> list[str]:
        asked = set(query.lower().split())
        return sorted(self.rows, key=lambda row: -len(asked & set(row.lower().split())))[:k]

    def supersede(self, query: str, text: str) -> None: ...

    def release(self, query: str) -> None: ...

    def purge(self, query: str) -> None:
        self.rows = [row for row in self.rows if row != query]
        self._save()

    def close(self) -> None: ...

    @property
    def _file(self) -> Path:
        assert self._folder is not None
        return self._folder / "rows.json"

    def _save(self) -> None:
        if self._folder is not None:
            self._file.write_text(json.dumps(self.rows))


class Rehoused(Eraser):
    """Gives what it is made of a HOME of its own, in each process another."""

    def __init__(self) -> None:
        super().__init__()
        os.environ["HOME"] = tempfile.mkdtemp()


class Boaster(Eraser):
    """Keeps the words of what it purged, without their sentence, and says that nothing is left."""

    def purge(self, query: str) -> None:
        super().purge(query)
        (self._file.parent / "words.json").write_text(json.dumps(query.rstrip(".").split()))

    def claim(self) -> Claim:
        return Claim(True, "files", "1 row erased")


class Vague(Boaster):
    """Says so of what nobody looks at."""

    def claim(self) -> Claim:
        return Claim(True, "file", "1 row erased")  # type: ignore[arg-type]


class Logger(Eraser):
    """Erases, and writes down each question with what it found, in its folder and in its log."""

    def recall_texts(self, query: str, k: int) -> list[str]:
        found = super().recall_texts(query, k)
        with (self._file.parent / "questions.jsonl").open("a") as file:
            file.write(json.dumps([query, found]) + "\n")
        print(query, found, flush=True)
        return found


class Keeper(Eraser):
    """Purges nothing, and has a read and a past that show it."""

    def purge(self, query: str) -> None: ...

    def reads(self, id: object) -> Mapping[str, str]:
        return {"list": str(self.rows)}

    def past(self, query: str, k: int) -> list[str]:
        return self.recall_texts(query, k)


class Tombstoner(Eraser):
    """Marks what is purged, until it is compacted."""

    def __init__(self) -> None:
        super().__init__()
        self.dead: list[str] = []

    def purge(self, query: str) -> None:
        self.dead = [row for row in self.rows if row == query]
        super().purge(query)

    def compact(self) -> None:
        self.dead = []
        self._save()

    def _save(self) -> None:
        super()._save()
        if self._folder is not None:
            (self._folder / "tombstones").write_text("\n".join(self.dead))


class FailingCompaction(Tombstoner):
    """Its compaction empties the file of tombstones, and raises."""

    def compact(self) -> None:
        super().compact()
        raise OSError("no room for a second copy")


class Flipper(Eraser):
    """Keeps every byte of what is purged, each inverted."""

    def purge(self, query: str) -> None:
        assert self._folder is not None
        (self._folder / "copy.bin").write_bytes(bytes(byte ^ 0xFF for byte in query.encode()))
        super().purge(query)


class Secretive(Eraser):
    """What it writes cannot be read: the detector is blind there."""

    def _save(self) -> None:
        if self._folder is not None:
            self._file.write_text(json.dumps([hash(row) for row in self.rows]))

    def open(self, folder: Path) -> None:
        self._folder = folder
        self.rows = []


class Chatty(Eraser):
    """Prints what it purges, and leaves it in a temporary file and in its HOME."""

    def purge(self, query: str) -> None:
        print(query, flush=True)
        Path(os.environ["TMPDIR"], "queue.tmp").write_text(query)
        super().purge(query)


class Beside(Eraser):
    """Leaves what it purges next to the folders that it was given."""

    def purge(self, query: str) -> None:
        super().purge(query)
        assert self._folder is not None
        shared = self._folder.parent / "shared"
        shared.mkdir(exist_ok=True)
        (shared / "queue").write_text(query)
        (self._folder.parent / "queue").write_text(query)


class Leading(Eraser):
    """Keeps what it purged in a file of the machine, to which links in its folder lead."""

    def purge(self, query: str) -> None:
        super().purge(query)
        assert self._folder is not None
        outside = self._folder.parents[3] / "outside"
        outside.mkdir(exist_ok=True)
        (outside / "kept").write_text(query)
        (self._folder / "folder").symlink_to(outside, target_is_directory=True)
        (self._folder / "file").symlink_to(outside / "kept")


class Listening(Eraser):
    """Leaves a socket and a pipe in its folder."""

    def open(self, folder: Path) -> None:
        super().open(folder)
        within = os.open(folder, os.O_RDONLY)
        if not (folder / "pipe").exists():
            os.mkfifo("pipe", dir_fd=within)
        if not (folder / "socket").exists():
            # A path to a socket may be 107 bytes long.
            with socket.socket(socket.AF_UNIX) as listening:
                listening.bind(f"/proc/self/fd/{within}/socket")
        os.close(within)


class Muttering(Eraser):
    """Prints what it is asked."""

    def recall_texts(self, query: str, k: int) -> list[str]:
        print(query, flush=True)
        return super().recall_texts(query, k)


class Forger(Tombstoner):
    """Has its own process say that nothing is left in its files."""

    def __init__(self) -> None:
        super().__init__()
        examination: Any = erasing._Examination
        examination._files = lambda self, level: self._note(level, "text", "absent")


class Swelling(Eraser):
    """Packs much into little beside what it purged."""

    def purge(self, query: str) -> None:
        super().purge(query)
        assert self._folder is not None
        (self._folder / "packed").write_bytes(zlib.compress(bytes(128 << 20)))


class Misnaming(Eraser):
    """Leaves what it purges in a file whose name no text can hold."""

    def purge(self, query: str) -> None:
        super().purge(query)
        assert self._folder is not None
        (self._folder / os.fsdecode(b"a\xff")).write_text(query)


class Naming(Eraser):
    """Leaves what it purges as the name of an empty folder, and as the target of a link that leads nowhere."""

    def purge(self, query: str) -> None:
        super().purge(query)
        assert self._folder is not None
        (self._folder / "names" / query).mkdir(parents=True)
        (self._folder / "link").symlink_to(query)


class Archivist(Eraser):
    """Packs what it purges into a database, over more than one page."""

    def purge(self, query: str) -> None:
        super().purge(query)
        assert self._folder is not None
        numbers = " ".join(map(str, range(20_000)))
        with contextlib.closing(sqlite3.connect(self._folder / "archive.db")) as database, database:
            database.execute("CREATE TABLE archive (blob)")
            database.execute("INSERT INTO archive VALUES (?)", (zlib.compress(f"{numbers} {query}".encode()),))


class Nuker(Eraser):
    """A purge deletes everything."""

    def purge(self, query: str) -> None:
        self.rows = []
        self._save()


class Reviver(Eraser):
    """What was purged comes back when it is opened again."""

    def __init__(self) -> None:
        super().__init__()
        self._purged: list[str] = []

    def purge(self, query: str) -> None:
        super().purge(query)
        assert self._folder is not None
        (self._folder / "log").write_text(query[::-1])

    def open(self, folder: Path) -> None:
        super().open(folder)
        log = folder / "log"
        self.rows += [log.read_text()[::-1]] if log.is_file() else []


class InMemory(Eraser):
    """Has no folder."""

    open = None  # type: ignore[assignment]


class Refuser(Eraser):
    """Takes no text again that it purged, and raises where it is asked to read."""

    def __init__(self) -> None:
        super().__init__()
        self._refused = ""

    def purge(self, query: str) -> None:
        super().purge(query)
        self._refused = query
        assert self._folder is not None
        (self._folder / "refused").write_text(str(len(query)))

    def inscribe(self, texts: Sequence[str]) -> None:
        refused = self._folder is not None and (self._folder / "refused").is_file()
        super().inscribe([text for text in texts if not (refused and len(texts) == 1)])

    def reads(self, id: object) -> Mapping[str, str]:
        raise ConnectionError("the export is down")


class Overshadowed(Keeper):
    """Keeps everything, reads by an id alone, and puts another memory above the one that it is asked for."""

    def search(self, query: str, k: int) -> list[Hit]:
        others = [row for row in self.rows if row != query]
        texts = [*others[:1], *(row for row in self.rows if row == query), *others[1:]]
        return [Hit(text, text, 1 / place) for place, text in enumerate(texts[:k], 1)]

    def reads(self, id: object) -> Mapping[str, str]:
        return {"get": self.rows[self.rows.index(str(id))]}


class Unpurging(Eraser):
    """Cannot do what the audit is about."""

    def purge(self, query: str) -> None:
        raise NotImplementedError("it has no purge")
