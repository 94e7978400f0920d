"""Whether two texts say the same in the same words."""

import functools

from lethe.matcher.evidence.text.syntax import is_denial
from lethe.matcher.evidence.text.words import clean, content


def restates(one: str, other: str) -> bool:
    """Whether two texts have the same content words in the same order, and both or neither deny.

    Capitals, signs, articles and what marks a change ("now", "from now on") make no difference.
    """
    words = _said(one)
    return words == _said(other) and bool(words[0])


@functools.lru_cache(maxsize=4096)
def _said(text: str) -> tuple[tuple[str, ...], bool]:
    plain = clean(text)
    return content(plain), is_denial(plain)
