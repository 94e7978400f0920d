"""A second round of attacks on the audit: each test fails at the commit that it was written against."""

import io
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import textwrap
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lethe.trust.figures import _same_contents, _same_pixels
from PIL import Image

from forgeteval.cases.suites import build_suite
from forgeteval.errors import UserError
from forgeteval.files import write_text
from lethe.parquet import write_rows
from lethe.schemas import MANIFEST
from lethe.trust.check import audit
from lethe.trust.folder import MANIFEST_FILE, PAGES, VERSIONS_FILE, listed_files
from lethe.trust.manifest import _entry
from lethe.trust.recipe import RECIPE_FILE
from lethe.trust.versions import without_credentials
from tests.support.bundle import PRODUCER, RUN, SUITE, config, sign_off, write_pages
from tests.support.paths import ROOT

pytestmark = pytest.mark.slow


def sign_as_it_is(root: Path) -> None:
    """Write the manifest of what stands there, the forged record of versions included."""
    (root / MANIFEST_FILE).unlink()
    write_rows(root / MANIFEST_FILE, MANIFEST, [_entry(root, path) for path in listed_files(root)], PRODUCER)


def change_json(path: Path, change: Callable[[Any], None]) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    change(data)
    write_text(path, json.dumps(data))


@pytest.mark.parametrize("own", [{"generator": "template"}, {"folder": "suites/adversarial"}], ids=["generated", "own"])
@pytest.mark.parametrize("key", ["source", "intake"])
def test_no_file_of_the_auditor_is_read(bundle: Path, own: dict[str, str], key: str) -> None:
    private = bundle.parent / "cases.jsonl"
    case = {**build_suite(SUITE, config()["suites"][SUITE])[0].to_json(), "setup_facts": ["what the auditor alone has"]}
    private.write_text(json.dumps(case) + "\n", encoding="utf-8")
    options = {"label": "Mine", **own, key: str(private if key == "source" else private.parent)}
    change_json(bundle / VERSIONS_FILE, lambda versions: versions["config"]["suites"].update({SUITE: options}))
    sign_as_it_is(bundle)
    assert "what the auditor alone has" not in " ".join(audit(bundle).findings)


def chunks(png: bytes) -> list[tuple[bytes, bytes]]:
    found, at = [], 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        found.append((png[at + 4 : at + 8], png[at + 8 : at + 8 + length]))
        at += 12 + length
    return found


def png_of(parts: list[tuple[bytes, bytes]]) -> bytes:
    written = (struct.pack(">I", len(d)) + kind + d + struct.pack(">I", zlib.crc32(kind + d)) for kind, d in parts)
    return b"\x89PNG\r\n\x1a\n" + b"".join(written)


def animated(png: bytes) -> bytes:
    """The picture as the one that is shown where animations are not known; browsers show another."""
    parts = chunks(png)
    with Image.open(io.BytesIO(png)) as image:
        stream = io.BytesIO()
        Image.new(image.mode, image.size, (0, 160, 0, 255)).save(stream, "PNG")
        width, height = image.size
    shown = b"".join(data for kind, data in chunks(stream.getvalue()) if kind == b"IDAT")
    frame = struct.pack(">IIIIIHHBB", 0, width, height, 0, 0, 1, 1, 0, 0)
    head = [parts[0], (b"acTL", struct.pack(">II", 1, 0)), *parts[1:-1]]
    return png_of([*head, (b"fcTL", frame), (b"fdAT", struct.pack(">I", 1) + shown), parts[-1]])


def with_part(kind: bytes, data: bytes) -> Callable[[bytes], bytes]:
    def changed(png: bytes) -> bytes:
        first, *others = chunks(png)
        return png_of([first, (kind, data), *(part for part in others if part[0] != kind)])

    return changed


@pytest.mark.parametrize(
    "change",
    [
        animated,
        with_part(b"gAMA", struct.pack(">I", 1)),
        with_part(b"cHRM", struct.pack(">8I", 31270, 32900, 15000, 6000, 30000, 60000, 64000, 33000)),
        with_part(b"pHYs", struct.pack(">IIB", 1, 1000, 0)),
        with_part(b"eXIf", b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x03\0\0\0\0\0\0"),
        lambda png: png + b"<script>alert(1)</script>",
    ],
    ids=["an animation", "gamma", "colours", "proportions", "orientation", "what stands behind its end"],
)
def test_a_picture_that_viewers_show_otherwise_is_another(change: Callable[[bytes], bytes]) -> None:
    stream = io.BytesIO()
    Image.new("RGBA", (40, 30), (200, 10, 10, 255)).save(stream, "PNG")
    drawn = stream.getvalue()
    assert _same_pixels(drawn, drawn)
    assert not _same_pixels(drawn, change(drawn))


def test_an_animation_in_place_of_a_figure_is_found(bundle_with_figures: Path) -> None:
    file = bundle_with_figures / "figures/heatmap.png"
    file.write_bytes(animated(file.read_bytes()))
    sign_off(bundle_with_figures)
    write_pages(bundle_with_figures)
    assert any(line.startswith("figures/heatmap.png: ") for line in audit(bundle_with_figures).findings)


def redrawn(pdf: bytes) -> bytes:
    """The PDF with other contents of its page, which stand behind the end of a compressed stream; its table of places
    leads there. MuPDF and Poppler show a green page."""
    found = re.search(
        rb"9 0 obj\n<< /Length 12 0 R /Filter /FlateDecode >>\nstream\n.*?(?=\nendstream)", pdf, re.DOTALL
    )
    assert found is not None
    draw, at = b"0 0.6 0 rg 0 0 458 188 re f", found.end()
    added = b"\n9 0 obj\n<< /Length %d >>\nstream\n%s endstream\nendobj\n" % (len(draw), draw)
    whole = pdf[:at] + added + pdf[at:]
    table = whole.rindex(b"\nxref") + 1
    body, places = whole[:table], whole[table:]

    def moved(entry: re.Match[bytes]) -> bytes:
        place = int(entry[1])
        return b"%010d %s" % (place + len(added) if place >= at else place, entry[2])

    lines = re.sub(rb"(\d{10}) (\d{5} n)", moved, places).split(b"\n")
    lines[2 + 9] = b"%010d 00000 n " % (at + 1)
    return body + re.sub(rb"startxref\n\d+", b"startxref\n%d" % table, b"\n".join(lines))


def exchanged(pdf: bytes) -> bytes:
    """The PDF whose table of places gives one part for another."""
    table = pdf.rindex(b"\nxref") + 1
    lines = pdf[table:].split(b"\n")
    lines[2 + 9], lines[2 + 75] = lines[2 + 75], lines[2 + 9]
    return pdf[:table] + b"\n".join(lines)


@pytest.mark.parametrize("change", [redrawn, exchanged])
def test_a_pdf_that_viewers_show_otherwise_is_found(
    bundle_with_figures: Path, change: Callable[[bytes], bytes]
) -> None:
    pdf = (bundle_with_figures / "figures/heatmap.pdf").read_bytes()
    assert not _same_contents(pdf, change(pdf))


@pytest.mark.parametrize("left_out", ["figures", "figures/heatmap.png"])
def test_a_forged_page_is_found_though_a_figure_was_not_handed_on(bundle_with_figures: Path, left_out: str) -> None:
    path = bundle_with_figures / left_out
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
    sign_off(bundle_with_figures)
    write_text(bundle_with_figures / PAGES[0], "<h1>Lethe passes everything.</h1><script>alert(1)</script>")
    assert any(line.startswith(PAGES[0]) for line in audit(bundle_with_figures).findings)


@pytest.mark.parametrize(
    "name",
    ["paper_tables/headline.tex", "paper_tables/templ\u0430te.csv", "paper_tables/Template.csv", "figures/heatmap.svg",
     "results/report/more.html"],
)  # fmt: skip
def test_a_listed_file_that_no_stage_makes_is_a_finding_or_named(bundle: Path, name: str) -> None:
    write_text(bundle / name, "Lethe passes everything.")
    sign_off(bundle)
    found = audit(bundle)
    assert any(name in line for line in [*found.findings, *found.taken])


FORGED_RECORDS: dict[str, Callable[[dict[str, Any]], object]] = {
    "no judge": lambda setup: setup.update(no_judge="judged by three humans"),
    "an empty suite": lambda setup: setup["empty_suites"].update(x={"label": "X", "reason": "500 cases are promised"}),
    "seen by": lambda setup: setup["suites"][SUITE].update(seen_by=["matcher"]),
    "available since": lambda setup: setup["suites"][SUITE].update(available_since="abc"),
    "store size": lambda setup: setup["store_size"].update(k=100),
}


@pytest.mark.parametrize("name", FORGED_RECORDS)
def test_a_record_that_the_configuration_does_not_give_is_found(bundle: Path, name: str) -> None:
    from lethe.study.setup import Setup
    from lethe.tables.writing import write_tables

    change_json(bundle / RECIPE_FILE, lambda recipe: FORGED_RECORDS[name](recipe["setup"]))
    write_tables(Setup.from_json(json.loads((bundle / RECIPE_FILE).read_text(encoding="utf-8"))["setup"]), bundle)
    sign_off(bundle)
    assert audit(bundle).findings != []


def test_a_folder_of_many_folders_is_one_line_or_findings(bundle: Path) -> None:
    before = Path.cwd()
    try:
        os.chdir(bundle / "results")
        for _ in range(1200):
            Path("d").mkdir()
            os.chdir("d")
    finally:
        os.chdir(before)
    try:
        audit(bundle)
    except UserError:
        pass
    finally:
        # What pytest removes temporary folders with goes down as far as Python may.
        subprocess.run(["rm", "-rf", str(bundle / "results")], check=True)


def test_what_a_killed_process_left_of_a_file_is_no_finding(bundle: Path) -> None:
    """A run that was killed and then ended well has honest results: what lies about is removed, or passed over."""
    path = bundle / "results/analysis/scores/mine.parquet"
    code = (
        "import os, sys\nfrom pathlib import Path\nfrom lethe.folders import atomic_write\n"
        "with atomic_write(Path(sys.argv[1])) as stream:\n    stream.write(b'half')\n    os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], cwd=ROOT, check=False)
    sign_off(bundle)
    assert audit(bundle).findings == []


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
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(root)], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr[-500:]
    return int(done.stdout)


def repeated(path: Path, column: str, key: str, keys: list[str]) -> None:
    """A file whose dictionary holds one long text, which every row names: its own account is of that text alone."""
    data = pa.concat_tables([pq.read_table(path).slice(0, 1)] * len(keys))
    for name, values in ((column, ["A" * (20 << 20)] * len(keys)), (key, keys)):
        data = data.set_column(data.column_names.index(name), data.schema.field(name), pa.array(values))
    pq.write_table(
        data,
        path,
        compression="zstd",
        dictionary_pagesize_limit=1 << 30,
        data_page_size=1 << 30,
        write_statistics=False,
    )


@pytest.mark.parametrize("path", ["results/recipe.json", "paper_tables/template.csv", PAGES[0], "figures/heatmap.png"])
def test_a_long_file_without_contents_does_not_fill_the_memory(bundle_with_figures: Path, path: str) -> None:
    os.truncate(bundle_with_figures / path, 0)
    os.truncate(bundle_with_figures / path, 600 << 20)
    assert megabytes(bundle_with_figures) < ROOM_MB


def test_a_dictionary_does_not_fill_the_memory(bundle: Path) -> None:
    repeated(bundle / RUN, "error", "case_id", [str(number) for number in range(60)])
    assert (bundle / RUN).stat().st_size < 100_000
    assert megabytes(bundle) < ROOM_MB


def test_a_manifest_does_not_fill_the_memory(bundle: Path) -> None:
    repeated(bundle / MANIFEST_FILE, "sha256", "file", [f"results/{number}" for number in range(60)])
    assert (bundle / MANIFEST_FILE).stat().st_size < 100_000
    assert megabytes(bundle) < ROOM_MB


def test_a_pdf_does_not_fill_the_memory(bundle_with_figures: Path) -> None:
    pdf = (bundle_with_figures / "figures/heatmap.pdf").read_bytes()
    stream = zlib.compress(b"\0" * (64 << 20), 9)
    tracemalloc.start()
    _same_contents(
        pdf, pdf + (b"\n99 0 obj\n<< /Filter /FlateDecode >>\nstream\n" + stream + b"\nendstream\nendobj") * 16
    )
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 400 << 20


@pytest.mark.parametrize(
    "config",
    [
        {"suites": {"x": {"url": ["https://example.org/x?token=secret"]}}},
        {"crosseval": {"memora": {"url": "https://example.org/x?sig=secret"}}},
        {"url": "https://me:pass@secret@example.org/x"},
        {"url": "https://me:pass/secret@example.org/x"},
        {"models": {"m": {"extra_body": {"api_key": "secret"}}}},
    ],
    ids=str,
)
def test_no_credentials_of_other_addresses_reach_the_versions(config: dict[str, Any]) -> None:
    assert "secret" not in json.dumps(without_credentials(config))
