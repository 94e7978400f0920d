"""Every figure drawn again, and compared with what was handed on: the pixels of a PNG, the contents of a PDF."""

import io
import re
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np

from lethe.analysis.inputs import Files
from lethe.analysis.setup import Setup
from lethe.audit.record import Audit
from lethe.audit.versions import Versions
from lethe.tables.registry import FigureSpec, build, figure_specs
from lethe.tables.writing import FIGURE_FORMS, plain_style, save_figure

_DRAWN_WITH = ("matplotlib", "numpy", "pillow")
_SHADE = 2
"""Difference of a pixel's channel, of 255, that another processor may make."""
_UNPACKED = 64 << 20
_STREAM = re.compile(rb"stream\r?\n(.*?)\r?\nendstream", re.DOTALL)
_PLACES = re.compile(rb"\d{10} \d{5} [nf] ?\r?\n|startxref\s+\d+|\d+ 0 obj\s+\d+\s+endobj|/Length \d+(?! \d+ R)")
"""Where the parts of a PDF are and how long they are: these follow from how well they were compressed."""


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
    """Whether two PNG files show the same; one of another size is not even unpacked."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(drawn)) as wanted, Image.open(io.BytesIO(handed), formats=["PNG"]) as found:
            if (wanted.size, wanted.mode) != (found.size, found.mode):
                return False
            pixels = [np.asarray(image).astype(np.int16) for image in (wanted, found)]
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, zlib.error):
        return False
    return bool(np.abs(pixels[0] - pixels[1]).max(initial=0) <= _SHADE)


def _same_contents(drawn: bytes, handed: bytes) -> bool:
    """Whether two PDF files consist of the same parts, however these were compressed."""
    return drawn == handed or _contents(drawn) == _contents(handed)


def _contents(file: bytes) -> list[bytes]:
    parts = _STREAM.split(file)
    around = [_PLACES.sub(b"", part) for part in parts[::2]]
    return [*around, *map(_unpacked, parts[1::2])]


def _unpacked(stream: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(stream, _UNPACKED)
    except zlib.error:
        return stream


_SAME: Mapping[str, Callable[[bytes, bytes], bool]] = {"png": _same_pixels, "pdf": _same_contents}
