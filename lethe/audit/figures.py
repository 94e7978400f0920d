"""Every figure drawn again, and compared with what was handed on: a PNG by its pixels and what else it holds, a PDF by
every byte but for how well its streams were compressed."""

import io
import re
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from lethe.audit.record import Audit
from lethe.audit.versions import Versions
from lethe.study.inputs import Files
from lethe.study.setup import Setup
from lethe.tables.registry import FigureSpec, build, figure_specs
from lethe.tables.writing import FIGURE_FORMS, plain_style, save_figure

_DRAWN_WITH = ("matplotlib", "numpy", "pillow")
_SHADE = 2
"""Difference of a pixel's channel, of 255, that another processor may make."""
_STREAM = re.compile(rb"/Length (\d+)( 0 R)?[^\n]*\nstream\n(.*?)\nendstream", re.DOTALL)
_PLACE = re.compile(rb"(?m)^(\d{10}) \d{5} n|^startxref\n(\d+)")
"""An entry of the table of places of a PDF, or where that table is."""
_SIGNATURE, _END = b"\x89PNG\r\n\x1a\n", 12
"""The first bytes of a PNG file, and how long its last chunk is."""
_Edit = tuple[int, int, bytes]
"""What stands in place of a slice."""


def check_figures(setup: Setup, files: Files, versions: Versions, audit: Audit) -> None:
    """Compare each form of each figure of the registry that was handed on."""
    with plain_style():
        for spec in figure_specs(setup):
            audit.collect(f"figure {spec.name}", _check_figure(spec, files, versions, audit))


def _check_figure(spec: FigureSpec, files: Files, versions: Versions, audit: Audit) -> Iterator[str]:
    listed = files.listed or ()
    handed = {form: path.format(name=spec.name) for form, path in FIGURE_FORMS.items()}
    handed = {form: path for form, path in handed.items() if path in listed}
    if not handed:
        return
    with tempfile.TemporaryDirectory() as folder:
        drawn = {form: Path(folder, f"drawn.{form}") for form in handed}
        save_figure(build(spec, files), drawn)
        for form, path in handed.items():
            audit.checked["figures"] += 1
            if not _SAME[form](drawn[form].read_bytes(), (files.root / path).read_bytes()):
                others = versions.differing(_DRAWN_WITH)
                reason = f"; it was drawn with {others}, which may be the reason" if others else ""
                yield f"{path}: shows something else than the figure drawn from the results{reason}"


def _same_pixels(drawn: bytes, handed: bytes) -> bool:
    """Whether two PNG files show the same in every viewer; one of another size is not even unpacked."""
    from PIL import Image, UnidentifiedImageError

    if not _holds_no_more(drawn, handed):
        return False
    try:
        with Image.open(io.BytesIO(drawn)) as wanted, Image.open(io.BytesIO(handed), formats=["PNG"]) as found:
            if (wanted.size, wanted.mode) != (found.size, found.mode):
                return False
            pixels = [np.asarray(image).astype(np.int16) for image in (wanted, found)]
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, zlib.error):
        return False
    return bool(np.abs(pixels[0] - pixels[1]).max(initial=0) <= _SHADE)


def _holds_no_more(drawn: bytes, handed: bytes) -> bool:
    """Whether a PNG file consists of pixels and of chunks that the drawn one has too: others change what is shown."""
    known, found = (set(_chunks(file)) for file in (drawn, handed))
    return handed.startswith(_SIGNATURE) and found <= known and handed.endswith(drawn[-_END:])


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Kind and data of each chunk of a PNG file to the last byte; the pixels' are left out."""
    at = len(_SIGNATURE)
    while at < len(png):
        length = int.from_bytes(png[at : at + 4])
        kind = png[at + 4 : at + 8]
        if kind != b"IDAT":
            yield kind, png[at + 8 : at + 8 + length]
        at += 12 + length


def _same_contents(drawn: bytes, handed: bytes) -> bool:
    """Whether two PDF files are the same, however their streams were compressed."""
    if drawn == handed:
        return True
    made, given = list(_STREAM.finditer(drawn)), _streams(handed)
    if len(made) != len(given):
        return False
    same = (_unpacks_to(stream[3], other) for stream, other in zip(made, given, strict=True))
    return all(same) and _with_streams(drawn, made, given) == handed


def _streams(pdf: bytes) -> list[bytes]:
    return [part.partition(b"\nstream\n")[2] for part in pdf.split(b"\nendstream")[:-1]]


def _unpacks_to(stream: bytes, other: bytes) -> bool:
    """Whether another stream is the same, or is one compressed whole of the same contents."""
    if stream == other:
        return True
    contents, unpacking = zlib.decompress(stream), zlib.decompressobj()
    try:
        found = unpacking.decompress(other, len(contents) + 1)
    except zlib.error:
        return False
    return found == contents and unpacking.eof and not unpacking.unused_data


def _with_streams(pdf: bytes, made: Sequence[re.Match[bytes]], given: Sequence[bytes]) -> bytes:
    """A PDF with other streams in place of its own, with their lengths and the places of all that follows."""
    edits: list[_Edit] = []
    for stream, other in zip(made, given, strict=True):
        length = re.compile(rb"\n%s 0 obj\n(\d+)\nendobj" % stream[1]).search(pdf) if stream[2] else stream
        assert length is not None
        edits += [(*stream.span(3), other), (*length.span(1), b"%d" % len(other))]
    places: list[_Edit] = []
    for entry in _PLACE.finditer(pdf, pdf.rindex(b"\nxref\n")):
        group = 1 if entry[1] else 2
        place = int(entry[group])
        moved = place + sum(len(new) - (end - start) for start, end, new in edits if end <= place)
        places.append((*entry.span(group), b"%0*d" % (10 if entry[1] else 1, moved)))
    return _edited(pdf, [*edits, *places])


def _edited(text: bytes, edits: Iterable[_Edit]) -> bytes:
    parts, at = [], 0
    for start, end, new in sorted(edits):
        parts += [text[at:start], new]
        at = end
    return b"".join([*parts, text[at:]])


_SAME: Mapping[str, Callable[[bytes, bytes], bool]] = {"png": _same_pixels, "pdf": _same_contents}
