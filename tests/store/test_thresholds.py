import pytest

from lethe.store import largest_gap_threshold


@pytest.mark.parametrize(
    ("similarities", "threshold"),
    [
        ([0.8], 0.76),
        ([0.9, 0.5, 0.4], 0.7),
        ([0.5, 0.9, 0.4], 0.7),
        ([0.9, 0.88, 0.5], 0.69),
        ([0.75, 0.5, 0.25], 0.625),  # equal gaps: the highest
        ([0.5, 0.47, 0.44], 0.475),  # no gap of 0.05
        ([1.0, 0.951], 0.95),
        ([0.05, 0.0], 0.025),  # a gap of exactly 0.05 counts
        ([0.6, 0.6], 0.57),
        ([0.0], 0.0),
    ],
)
def test_threshold(similarities: list[float], threshold: float) -> None:
    assert largest_gap_threshold(similarities) == pytest.approx(threshold, abs=1e-12)


def test_no_candidates_have_no_threshold() -> None:
    with pytest.raises(ValueError, match="at least one"):
        largest_gap_threshold([])
