"""Labels beside the axes."""

import pytest

from lethe.tables.figures.labels import spread


@pytest.mark.parametrize(
    ("wanted", "placed"),
    [
        ([10.0, 50.0], [10.0, 50.0]),
        ([50.0, 50.0], [48.0, 52.0]),
        ([10.0, 49.0, 50.0, 51.0], [10.0, 46.0, 50.0, 54.0]),
        ([48.0, 51.0, 53.0, 53.0], [45.25, 49.25, 53.25, 57.25]),
        ([], []),
    ],
)
def test_labels_keep_their_distance(wanted: list[float], placed: list[float]) -> None:
    assert spread(wanted, 4.0) == placed
