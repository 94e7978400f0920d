"""When two models are of one family."""

from lethe.people.model_families import same_model_family


def test_capitals_and_white_space_make_no_other_family() -> None:
    assert same_model_family("Qwen", "qwen ")
    assert not same_model_family("qwen", "llama")
