"""The data sets of other authors as they released them: where they stand, where they come from, and their checksums."""

from typing import NamedTuple


class Released(NamedTuple):
    """A data set.

    Attributes:
        path: below `datasets/`.
        url: where it can be fetched.
        sha256: its checksum, as `lethe.crosseval.datasets.data_sha256` gives it.
    """

    path: str
    url: str
    sha256: str


RELEASED = {
    "memora": Released(
        "datasets/memora/weekly",
        "https://codeload.github.com/geniesinc/Memora/tar.gz/a6493188",
        "3ed210109a168c13d3b14f5aa8a1e3c6c49766ed639b1f522861746ec4046634",
    ),
    "factcons": Released(
        "datasets/factconsolidation/Conflict_Resolution.json",
        "https://huggingface.co/datasets/ai-hyz/MemoryAgentBench/resolve/main/data/Conflict_Resolution-00000-of-00001.parquet",
        "d5168e94cba99744e35031c1e6419e6090d63978f5addc9163d56704a78c7acd",
    ),
    "longmemeval": Released(
        "datasets/longmemeval/longmemeval_s_cleaned.json",
        "https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned/resolve/main/longmemeval_s_cleaned.json",
        "d6f21ea9d60a0d56f34a05b609c79c88a451d2ae03597821ea3d5a9678c3a442",
    ),
    "locomo": Released(
        "datasets/locomo/locomo10.json",
        "https://raw.githubusercontent.com/snap-research/locomo/3eb6f2c585f5e1699204e3c3bdf7adc5c28cb376/data/locomo10.json",
        "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4",
    ),
}
"""By benchmark."""
