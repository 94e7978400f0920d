"""Whether two texts say the same in the same words."""

import functools
import re

from lethe.matcher.evidence.words import clean, content

_DENIAL = re.compile(
    r"\b(?:not|no(?!\.? ?\d)|never|none|nothing|nobody|neither|nor|without|cannot|lacks?|ban(?:ned|s)?|"
    r"refus(?:es|ed|al)|"
    r"prohibit(?:ed|ions?|s)?|forbid(?:s|den)?|off[- ]limits|out[- ]of[- ]order|exempt(?:ion)?)\b|n't\b",
    re.IGNORECASE,
)

_MARK = re.compile(
    r"(?<=\w )A(?![\w'])|(?<![\w'])(?![AaIi](?!\w))[^\W\d_](?![\w'])|[+#$€£¥%≥≤<>±°]|(?<!\w)-(?=\d)|(?<=\b\w)-(?!\w)"
)
"""A letter that stands alone, as the name of something, and a sign of a name or a value."""


def restates(one: str, other: str) -> bool:
    """Whether two texts have the same content words in the same order, and both or neither deny.

    Capitals, punctuation, articles and what marks a change ("now") make no difference; single letters and signs do
    (C and C++, plan A and plan B, -5 and 5)."""
    words = _said(one)
    return words == _said(other) and bool(words[0])


@functools.lru_cache(maxsize=4096)
def _said(text: str) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    plain = clean(text)
    return content(plain), tuple(map(str.lower, _MARK.findall(plain))), _DENIAL.search(plain) is not None
