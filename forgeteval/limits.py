"""How much is read of what comes from outside: bundles, Parquet, JSON, CSV, YAML, spreadsheets, pages.

What is larger than any run of this project writes is refused. `forgeteval.foreign` holds processes to `Limits`.
"""

from dataclasses import dataclass

MOST_BYTES = 1 << 30
"""Of any file that is read whole."""
MOST_BYTES_OF = {".parquet": MOST_BYTES, ".html": 256 << 20, ".json": 16 << 20}
"""Of a file of results by its kind; of any other `MOST_BYTES_OF_OTHERS`."""
MOST_BYTES_OF_OTHERS = 64 << 20
MOST_PACKED, MOST_UNPACKED = 64 << 20, 256 << 20
"""Bytes of a bundle that is handed in."""
MOST_ROWS, MOST_VALUES, MOST_COLUMNS = 1_000_000, 50_000_000, 1_000
"""Of one Parquet file."""
MOST_YAML_VALUES = 1_000_000
"""Of one YAML file; what an alias stands for counts each time."""
MOST_SHEET_ROWS, MOST_SHEET_COLUMNS, MOST_SHEET_BYTES = 20_000, 100, 200_000_000
"""Of a spreadsheet, which is not read beyond those columns; bytes are those that it unpacks to."""
MOST_STYLE_BYTES = 1 << 20
"""Of those, the ones that say how its cells look: each style costs a thousand times its bytes."""
MOST_FOLDERS = 20
"""Folders in each other; results have five."""
DEEPEST = 100
"""Lists and objects in each other, of JSON and YAML."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a process that reads files from outside may take.

    Attributes:
        memory: bytes of its own; Linux alone keeps to it.
        seconds: from start to end.
        file: bytes of a file that it writes.
        files: files that it has open at once.
    """

    memory: int = 4 << 30
    seconds: int = 3600
    file: int = MOST_BYTES
    files: int = 256
