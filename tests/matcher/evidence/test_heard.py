"""Names by ear: how near a name of a request sounds to one of a memory in another script."""

import pytest

from lethe.matcher.evidence.heard import FAR, heard


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("Nakamura", "中村さんは弁護士です。", "佐藤さんは医者です。"),
        ("Giorgi Maisuradze", "გიორგი მაისურაძე wants the rent", "ნინო ბერიძე wants the rent"),
        ("Kostas Vlachos", "Ο Κώστας Βλάχος ζήτησε φιλία", "Ο Γιώργος Παπάς ζήτησε φιλία"),
        ("Wang Wei", "王伟 called", "李娜 called"),
        ("Vienna", "Klinika v Відень", "Klinika v Львів"),
    ],
)
def test_the_right_name_is_nearest(name: str, right: str, wrong: str) -> None:
    near, far, none = heard(name, [right, wrong, "Tea at four."])
    assert near.distance < far.distance
    assert none.distance == FAR


def test_a_native_form_is_nearer_to_its_own_latin_name() -> None:
    memories = ["Nino Maisashvili tunes it", "ნინო მაისაშვილი is at the market"]
    assert heard("Nino Maisuradze", memories)[1].rival < 0
