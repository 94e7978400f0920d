"""Which judges the configuration refuses."""

import pytest

from lethe.admission.judge_families import check_families
from lethe.errors import LetheError

MODELS = {"a": {"family": "Qwen"}, "b": {"family": "qwen "}, "c": {"family": "llama"}}


def test_a_judge_of_another_family_is_taken() -> None:
    check_families(MODELS, ["a"], ["c"], False)
    check_families(MODELS, [], ["a", "b"], False)


def test_a_judge_of_the_same_family_is_refused_unless_allowed() -> None:
    with pytest.raises(LetheError, match=r"llm\.judges: b .* hooked model a; .*llm\.allow_same_family"):
        check_families(MODELS, ["c", "a"], ["b"], False)
    check_families(MODELS, ["c", "a"], ["b"], True)


def test_a_hooked_model_does_not_judge() -> None:
    with pytest.raises(LetheError, match="c is of the model family 'llama', like the hooked model c"):
        check_families(MODELS, ["c"], ["c"], False)


@pytest.mark.parametrize("allowed", [True, False])
def test_an_unknown_judge_is_refused(allowed: bool) -> None:
    with pytest.raises(LetheError, match=r"llm\.judges: unknown name 'd'.*has a, b, c"):
        check_families(MODELS, [], ["d"], allowed)
    with pytest.raises(LetheError, match="no model"):
        check_families({}, [], ["d"], allowed)
