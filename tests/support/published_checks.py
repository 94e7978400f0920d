"""What the paper's printed numbers must come to if they agree with one another."""

from collections.abc import Iterator

from lethe.study.published import Published
from tests.support.published_claims import claims, differences, judges, repeated_numbers
from tests.support.published_sums import (
    Comparison,
    category_sums,
    longmemeval_mean,
    memora_sums,
    not_applicable_sums,
    partition_sums,
    percents_of_counts,
    wilson_intervals,
)


def all_comparisons(paper: Published) -> Iterator[Comparison]:
    yield from percents_of_counts(paper)
    yield from wilson_intervals(paper)
    yield from category_sums(paper)
    yield from partition_sums(paper)
    yield from not_applicable_sums(paper)
    yield from differences(paper)
    yield from memora_sums(paper)
    yield from longmemeval_mean(paper)
    yield from judges(paper)
    yield from repeated_numbers(paper)
    yield from claims(paper)
