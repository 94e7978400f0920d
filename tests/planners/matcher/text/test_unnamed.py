"""Texts without the names that they are about."""

from lethe.planners.matcher.evidence.text.unnamed import unnamed


def test_a_text_of_names_alone_stays_as_it_is() -> None:
    assert unnamed("Wilma", {"wilma"}) == "Wilma"
    assert unnamed("Wilma's job", {"wilma"}) == "job"
