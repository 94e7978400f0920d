"""Damaged files of a bundle: a finding for each, or one line where it is the manifest; never a traceback."""

import random
from pathlib import Path
from typing import Any

import pytest

from forgeteval.errors import UserError
from lethe.parquet import read_rows, write_rows
from lethe.schemas import LATENCY, MANIFEST
from lethe.trust.check import audit
from lethe.trust.crate import CRATE_FILE
from lethe.trust.folder import MANIFEST_FILE, VERSIONS_FILE
from lethe.trust.recipe import RECIPE_FILE
from tests.support.bundle import PRODUCER, RUN, sign_off

pytestmark = pytest.mark.slow

LATENCY_FILE = LATENCY.path
NO_JSON = {
    "empty": b"",
    "no object": b"[]",
    "no text": b"\xff\xfe{}",
    "cut short": b'{"setup": {"a"',
    "a key twice": b'{"setup": {}, "setup": {}}',
    "too deep": b'{"setup": ' + b"[" * 100_000,
    "too long a number": b'{"setup": ' + b"1" * 10_000 + b"}",
    "other types": b'{"setup": 3, "inputs": [3], "published_sha256": null}',
    "other versions": b'{"code": "c", "config": {}, "environments": {"pipeline": 3}, "machine": {}}',
}


@pytest.mark.parametrize("path", [RECIPE_FILE, VERSIONS_FILE], ids=str)
@pytest.mark.parametrize("damage", NO_JSON)
def test_a_damaged_record_is_a_finding(bundle: Path, path: Path, damage: str) -> None:
    (bundle / path).write_bytes(NO_JSON[damage])
    found = audit(bundle).findings
    assert f"{path}: changed since it was written" in found
    assert any(path.name in line for line in found if "changed since" not in line), found
    assert all("\n" not in line for line in found)


def test_a_key_given_twice_is_a_finding_in_a_table_too(bundle: Path) -> None:
    path = bundle / "results/tables/own_template.json"
    path.write_text(
        path.read_text(encoding="utf-8").replace('{"name":', '{"name": "own_template", "name":', 1), "utf-8"
    )
    found = audit(bundle).findings
    assert "results/tables/own_template.json: cannot be read (the key 'name' is given twice)" in found


def mangled(content: bytes, seed: int) -> bytes:
    """The bytes cut short, or with some of them exchanged, or none."""
    generator = random.Random(seed)
    if seed % 3 == 0:
        return content[: generator.randrange(len(content))]
    if seed % 3 == 1:
        return generator.randbytes(len(content))
    found = bytearray(content)
    for _ in range(20):
        found[generator.randrange(len(found))] = generator.randrange(256)
    return bytes(found)


def test_a_damaged_file_is_a_finding(bundle: Path) -> None:
    """Several kinds of damage in one folder, since each audit takes a second."""
    manifest = MANIFEST_FILE.as_posix()
    files = [path for path in sorted(bundle.rglob("*.*")) if path.relative_to(bundle).as_posix() != manifest]
    for seed in range(6):
        content = {path: path.read_bytes() for path in files}
        chosen = random.Random(seed).sample(files, 12)
        for path in chosen:
            path.write_bytes(mangled(content[path], seed))
        found = audit(bundle).findings
        for path in chosen:
            name = path.relative_to(bundle).as_posix()
            assert any(line.startswith(f"{name}: ") for line in found), (seed, name)
        for path in chosen:
            path.write_bytes(content[path])


@pytest.mark.parametrize("seed", range(9))
def test_a_damaged_manifest_is_one_line_or_findings(bundle: Path, seed: int) -> None:
    path = bundle / MANIFEST_FILE
    path.write_bytes(mangled(path.read_bytes(), seed))
    try:
        found = audit(bundle)
    except UserError as error:
        assert MANIFEST_FILE.name in str(error)
    else:
        assert found.findings, seed


@pytest.mark.parametrize(
    "entry",
    [
        {"row_digests": ["no digest"]},
        {"row_digests": ["f" * 99]},
        {"column_digests": []},
        {"columns": [], "column_digests": []},
        {"row_digests": []},
    ],
    ids=str,
)
def test_damaged_digests_are_a_finding(bundle: Path, entry: dict[str, list[str]]) -> None:
    rows = read_rows(bundle / MANIFEST_FILE, MANIFEST)
    changed = [{**row, **entry, "sha256": "0" * 64} if row["file"] == LATENCY_FILE else row for row in rows]
    write_rows(bundle / MANIFEST_FILE, MANIFEST, changed, PRODUCER)
    *found, in_crate = audit(bundle).findings
    assert found and all(line.startswith(f"{LATENCY_FILE}: ") for line in found), found
    assert in_crate.startswith(f"{CRATE_FILE}: {LATENCY_FILE}: of another checksum")


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"bytes": 1}, "bytes; the manifest says 1"),
        ({"row_digests": ["0" * 16]}, "the manifest's digests"),
        ({"columns": [], "column_digests": []}, "the manifest's digests are not those of its cells"),
    ],
    ids=str,
)
def test_what_a_manifest_says_falsely_of_an_unchanged_file_is_a_finding(
    bundle: Path, entry: dict[str, Any], said: str
) -> None:
    rows = read_rows(bundle / MANIFEST_FILE, MANIFEST)
    if "row_digests" in entry:
        [of_file] = [row for row in rows if row["file"] == LATENCY_FILE]
        entry = {"row_digests": entry["row_digests"] * len(of_file["row_digests"])}
    changed = [{**row, **entry} if row["file"] == LATENCY_FILE else row for row in rows]
    write_rows(bundle / MANIFEST_FILE, MANIFEST, changed, PRODUCER)
    found = audit(bundle).findings
    assert any(line.startswith(f"{LATENCY_FILE}: ") and said in line for line in found), found


def test_a_file_of_another_kind_is_a_finding(bundle: Path) -> None:
    (bundle / RUN).write_bytes((bundle / LATENCY_FILE).read_bytes())
    sign_off(bundle)
    found = audit(bundle).findings
    assert any(line.startswith(f"{RUN}: cannot be computed again") and "contains latency" in line for line in found)
