"""Bundles that want something of the machine they are taken in on: refused in one line, and nothing stays."""

import gzip
import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forgeteval.errors import UserError
from lethe.config.submission import SUBMISSION_FILE, TRIALS_FILE
from lethe.trust import bundle as bundles
from lethe.trust.admit import admit
from lethe.trust.bundle import write_bundle
from lethe.trust.submit import submit
from tests.support.bundle import SUITE, config
from tests.support.config import of
from tests.support.paths import ROOT

TRIALS_OF = TRIALS_FILE.format(suite=SUITE)


@pytest.fixture
def contents(bundle: Path, tmp_path: Path) -> dict[str, bytes]:
    """The files of an honest bundle."""
    file = tmp_path / "honest.tar.gz"
    submit(bundle, "naive_sql", "Ana", file, ROOT)
    with tarfile.open(file) as archive:
        return {member.name: archive.extractfile(member).read() for member in archive}  # type: ignore[union-attr]


def refused(file: Path, tmp_path: Path) -> str:
    """What is said of a bundle that is not taken in."""
    into = tmp_path / "into"
    before = sorted(path for path in tmp_path.rglob("*") if into not in path.parents and path != into)
    with pytest.raises(UserError) as caught:
        admit(file, of(config()), into)
    assert sorted(path for path in tmp_path.rglob("*") if into not in path.parents and path != into) == before
    assert list(into.iterdir()) == [], "nothing stays of what was refused"
    assert "\n" not in str(caught.value)
    return str(caught.value)


def archive_of(file: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(file, "w:gz") as archive:
        for member, content in members:
            member.size = len(content) if member.isreg() else 0
            archive.addfile(member, io.BytesIO(content))
    return file


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.linkname = kind, target
    return made


@pytest.mark.parametrize(
    "hostile",
    [
        member("../outside.txt"),
        member("/tmp/outside.txt"),
        member("trials/../../outside.parquet"),
        member("trials/a/b.parquet"),
        member("lethe/systems/evil.py"),
        member("admission.json"),
        member(SUBMISSION_FILE, tarfile.SYMTYPE, "/etc/passwd"),
        member(TRIALS_OF, tarfile.LNKTYPE, SUBMISSION_FILE),
        member(TRIALS_OF, tarfile.SYMTYPE, "../../../etc/passwd"),
        member(TRIALS_OF, tarfile.FIFOTYPE),
        member(TRIALS_OF, tarfile.CHRTYPE),
        member("trials", tarfile.DIRTYPE),
    ],
    ids=lambda hostile: f"{hostile.name}-{hostile.type.decode()}",
)
def test_paths_links_and_devices(tmp_path: Path, hostile: tarfile.TarInfo) -> None:
    assert "which no bundle holds" in refused(archive_of(tmp_path / "x.tar.gz", (hostile, b"")), tmp_path)


def test_a_file_given_twice(tmp_path: Path, contents: dict[str, bytes]) -> None:
    twice = [(member(SUBMISSION_FILE), contents[SUBMISSION_FILE])] * 2
    assert "twice" in refused(archive_of(tmp_path / "x.tar.gz", *twice), tmp_path)


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "MOST_UNPACKED", 1 << 20)
    file = tmp_path / "bomb.tar.gz"
    file.write_bytes(gzip.compress(bytes(1 << 24)))
    assert "when unpacked" in refused(file, tmp_path)


def test_a_large_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "MOST_PACKED", 100)
    file = tmp_path / "large.tar.gz"
    file.write_bytes(bytes(101))
    assert "larger than 100 bytes" in refused(file, tmp_path)


def test_a_member_larger_than_its_kind(tmp_path: Path) -> None:
    file = archive_of(tmp_path / "x.tar.gz", (member(SUBMISSION_FILE), b" " * ((1 << 20) + 1)))
    assert "is larger than" in refused(file, tmp_path)


def test_a_sparse_member_that_claims_a_terabyte(tmp_path: Path) -> None:
    sparse = member(TRIALS_OF)
    sparse.pax_headers = {"GNU.sparse.major": "0", "GNU.sparse.size": str(1 << 40), "GNU.sparse.map": "0,1"}
    file = tmp_path / "x.tar.gz"
    with tarfile.open(file, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        sparse.size = 1
        archive.addfile(sparse, io.BytesIO(b"x"))
    assert "which no bundle holds" in refused(file, tmp_path)


def test_more_headers_in_each_other_than_python_follows(tmp_path: Path) -> None:
    extension = member("x", tarfile.XHDTYPE)
    extension.size = len(b"13 comment=x\n")
    extended = (extension.tobuf() + b"13 comment=x\n".ljust(tarfile.BLOCKSIZE, b"\0")) * 200_000
    file = tmp_path / "x.tar.gz"
    file.write_bytes(gzip.compress(extended + member(SUBMISSION_FILE).tobuf(), 1))
    assert "no archive of `forgeteval submit`" in refused(file, tmp_path)


@pytest.mark.parametrize(
    "content",
    [b"", b"no archive", gzip.compress(b"no archive"), gzip.compress(b"x" * 600)[:20]],
    ids=["empty", "text", "packed", "cut off"],
)
def test_what_is_no_archive(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "x.tar.gz"
    file.write_bytes(content)
    refused(file, tmp_path)


def test_a_file_that_is_missing(tmp_path: Path) -> None:
    assert "no such file" in refused(tmp_path / "x.tar.gz", tmp_path)


def test_a_changed_file_is_not_what_the_record_says(tmp_path: Path, contents: dict[str, bytes]) -> None:
    file = tmp_path / "x.tar.gz"
    write_bundle(file, {**contents, TRIALS_OF: contents[TRIALS_OF] + b"x"})
    assert f"{TRIALS_OF}: not of the SHA-256" in refused(file, tmp_path)
    write_bundle(file, {name: content for name, content in contents.items() if name != TRIALS_OF})
    assert f"{TRIALS_OF}: not of the SHA-256" in refused(file, tmp_path)
    write_bundle(file, {**contents, "adapter.py": b"x"})
    assert "adapter.py: not of the SHA-256" in refused(file, tmp_path)


Edit = Callable[[dict[str, Any]], Any]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda record: record.update(by="../../x"), "by: '../../x' is not a name"),
        (lambda record: record.update(by=""), "is not a name"),
        (lambda record: record["configuration"].update(system="../x"), "'../x' is not a name"),
        (lambda record: record["configuration"].update(system=".."), "is not a name"),
        (lambda record: record["configuration"].update(system="a" * 80), "is not a name"),
        (lambda record: record.update(by="ab" * 20), "is not a name"),
        (lambda record: record["configuration"].update(label="a\x1b[2J"), "cannot be shown"),
        (lambda record: record["configuration"].update(label="x" * 61), "cannot be shown"),
        (lambda record: record["configuration"].update(label="\u3164\u2800 "), "cannot be shown"),
        (lambda record: record["configuration"].update(label="L\u0435the"), "mixes scripts within a word"),
        (lambda record: record["configuration"].update(label="=HYPERLINK(A1)"), "is a formula to a spreadsheet"),
        (lambda record: record["configuration"].update(label="<b>Mem0</b>"), "holds markup"),
        (lambda record: record["configuration"].update(options={"x": float("nan")}), "NaN is not a JSON number"),
        (lambda record: record["configuration"].update(loads="os"), "not a record"),
        (lambda record: record.update(k=1 << 70), "k: must be from 1 to 1000"),
        (lambda record: record.update(k=True), "not a record"),
        (lambda record: record.update(repetitions=0), "repetitions: must be from 1"),
        (lambda record: record.update(format=2), "format: 2 is not 1"),
        (lambda record: record.update(suites={}), "suites: none"),
        (lambda record: record["suites"][SUITE].update(version=-1), "version: below 0"),
        (lambda record: record["suites"].update({"../x": record["suites"][SUITE]}), "'../x' is not a name"),
        (lambda record: record["files"].update({TRIALS_OF: "0"}), "a SHA-256 is none"),
        (lambda record: record["files"].update({"../x": "0" * 64}), "files: must list the trials"),
        (lambda record: record.update(files=[]), "not a record"),
        (lambda record: record.pop("code"), "not a record"),
    ],
)
def test_a_record_that_no_bundle_has(tmp_path: Path, contents: dict[str, bytes], change: Edit, said: str) -> None:
    record = json.loads(contents[SUBMISSION_FILE])
    change(record)
    file = tmp_path / "x.tar.gz"
    write_bundle(file, {**contents, SUBMISSION_FILE: json.dumps(record).encode()})
    assert said in refused(file, tmp_path)


@pytest.mark.parametrize(
    "text",
    ['{"by": "Ana", "by": "Ben"}', '{"k": ' + "9" * 5000 + "}", "[" * 100_000, "[]", "\x00", '{"k": 1e999}'],
)
def test_json_that_no_bundle_has(tmp_path: Path, contents: dict[str, bytes], text: str) -> None:
    file = tmp_path / "x.tar.gz"
    write_bundle(file, {**contents, SUBMISSION_FILE: text.encode()})
    refused(file, tmp_path)


@pytest.mark.parametrize(
    ("is_parquet", "said"),
    [(False, "cannot be read as Parquet"), (True, "contains an unknown table of schema version none, not trials of 1")],
)
def test_trials_of_no_such_file_are_a_finding(
    tmp_path: Path, contents: dict[str, bytes], is_parquet: bool, said: str
) -> None:
    import hashlib

    trials = io.BytesIO(b"PAR1")
    if is_parquet:
        pq.write_table(pa.table({"verdict": ["pass"]}), trials)
    record = json.loads(contents[SUBMISSION_FILE])
    record["files"][TRIALS_OF] = hashlib.sha256(trials.getvalue()).hexdigest()
    file = tmp_path / "x.tar.gz"
    write_bundle(file, {**contents, TRIALS_OF: trials.getvalue(), SUBMISSION_FILE: json.dumps(record).encode()})
    _, found = admit(file, of(config()), tmp_path / "into")
    assert any(line.startswith(f"{TRIALS_OF}: {said}") for line in found.findings), found.findings
    assert not any("remove" in line or "being-checked" in line for line in found.findings)
    assert list((tmp_path / "into").iterdir()) == []
