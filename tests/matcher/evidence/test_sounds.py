"""Names by ear: how near a name sounds to one in another script."""

import pytest

from lethe.matcher.evidence.sounds import FAR, name_distance


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("harada", "ハラダユキ", "モリユキ"),
        ("maisuradze", "მაისურაძე", "ბერიძე"),
        ("vlachos", "Βλάχος", "Παπάς"),
        ("wangwei", "王伟", "李娜"),
        ("petrov", "Петров", "Иванов"),
        ("noa", "נועה", "דוד"),
    ],
)
def test_the_right_name_is_nearer(name: str, right: str, wrong: str) -> None:
    assert name_distance(name, right) <= 0.17 < name_distance(name, wrong)
    assert name_distance(right, name) == name_distance(name, right)


def test_an_empty_or_endless_word_sounds_like_nothing() -> None:
    assert name_distance("", "ana") == name_distance("a" + "bc" * 40, "ana") == FAR
