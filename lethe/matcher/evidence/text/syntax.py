"""Subject and verb of an English clause, as far as the form of its words tells."""

import functools
import re
from collections.abc import Sequence

from lethe.matcher.evidence.tables import table
from lethe.matcher.evidence.text.words import FUNCTION_WORDS, Word, words

VERBS = frozenset(table("syntax", "verbs").split())
_BASES = frozenset(verb[:-1] for verb in VERBS if re.search(r"[^su]s$", verb))
"""Verbs without the ending of the third person; many are nouns, too."""
_BEFORE_NOUNS = frozenset(table("syntax", "before_nouns").split())
_PRONOUNS = frozenset(("i", "we", "you", "he", "she", "they", "it", "who", "that"))
_PARTICIPLES = frozenset(("based", "born", "located", "called", "named", "aged", "known", "titled", "dated"))


@functools.lru_cache(maxsize=8192)
def verb_position(text: str) -> int | None:
    """Where the first finite verb of a clause starts, as far as form tells; None where none follows a subject."""
    found = words(text)
    for number, word in enumerate(found):
        shortened = _SHORTENED.match(text, word.start)
        if shortened:
            return shortened.end()
        if number == 0:
            continue
        plain = word.text.lower()
        if word.is_capital:
            continue
        before = found[number - 1]
        determined = (before.text if number > 1 else before.text.lower()) in _BEFORE_NOUNS or before.text.endswith("'s")
        if determined:
            continue
        if (
            plain in VERBS
            or plain.endswith("n't")
            or (plain in _BASES and _is_plural(found[:number]))
            or _is_past(plain, before, text[word.end :])
        ):
            return word.start
        if (
            re.fullmatch(r"[a-z]{2,}(?:[^s]s|sses)", plain)
            and (before.is_capital or not re.search(r"[^su]s$", before.text))
            and plain not in FUNCTION_WORDS
            and number < 6
        ):
            after = found[number + 1].text.lower() if number + 1 < len(found) else ""
            if (
                after
                and after not in VERBS
                and after not in ("of", "for")
                and not re.match(r"\s*[:,]", text[word.end :])
            ):
                return word.start
    return None


_SHORTENED = re.compile(
    r"(?:(?:I|you|we|he|she|it|they|there|that|who)(?='(?:m|re|s|ve|ll|d)\b)|"
    r"[^\W\d_]+(?='s (?:an?|the|not|now|been|no longer|still|back|in|at|on|from|with|off|away|\w+(?:ed|ic) "
    r"(?:to|with|by|at|in|of|about))\b))",
    re.IGNORECASE,
)
"""A shortened verb with what it is attached to ("she's a vet", "Freya's allergic to nuts")."""


def _is_plural(before: Sequence[Word]) -> bool:
    """Whether the words name several, or stand for a speaker.

    Then a bare stem after them is a verb ("A and B sit").
    """
    texts = [word.text.lower() for word in before]
    return texts[-1] in ("i", "we", "you", "they") or ("and" in texts and len(texts) < 8)


def _is_past(plain: str, before: Word, behind: str) -> bool:
    """Whether a word in -ed, or "left", is a past tense rather than a participle, as far as its neighbours tell."""
    if before.text.lower() not in _PRONOUNS and not (before.is_capital and len(before.text) > 1):
        return False
    if re.match(r" (?:by|with|as|in|at|on)\b", behind) and before.text.lower() not in _PRONOUNS:
        return False
    return plain == "left" or (plain.endswith("ed") and len(plain) > 4 and plain not in _PARTICIPLES)


_PAST = re.compile(
    r"(?:[A-Z][\w-]*|(?:the|our|my|his|her|their|its|a|an|some) [\w-]+)(?: [A-Z][\w-]*)* "
    r"(\w{2,}ed|broke|brought|burst|caught|came|cut|did|drew|fell|felt|fled|froze|got|hurt|knew|laid|left|let|lit|"
    r"made|meant|paid|quit|rang|rose|sank|saw|set|shook|shot|shrank|shut|slid|spread|sprang|stole|struck|swore|swept|"
    r"taught|tore|threw|thought|understood|woke|wore|wound|withdrew)\b",
    re.IGNORECASE,
)


def verb_of(text: str) -> str:
    """The key of a clause's verb, as far as form tells; any past tense where it follows a short subject."""
    at = verb_position(text)
    if at is not None:
        return words(text[at:])[0].key
    past = _PAST.match(text)
    return words(past[1])[0].key if past else ""


def starts_with_verb(text: str) -> bool:
    """Whether a clause without a subject begins with what looks like its verb."""
    first = re.match(r"(?:(?:also|now|still|currently|usually|always|never|often) )?([a-z][\w'-]*)", text)
    if re.match(r"(?:left|[a-z]{2,}ed) (?:the|an?|his|her|their|its|our|my)\b", text):
        return True
    return first is not None and (first[1] in VERBS or re.fullmatch(r"[a-z]{2,}[^su]s", first[1]) is not None)


def label_of(text: str) -> str:
    """The words before a colon, where they make no statement: "Tank 4, 3 March" of "Tank 4, 3 March: pH 6.8"."""
    colon = re.match(r"([^:;]{2,60}):\s+(?=\S)", text)
    if colon is None or ("," in colon[1] and verb_position(colon[1]) is not None):
        return ""
    return colon[1]


def subject(text: str) -> str:
    """What a clause is about: the words before its colon or its verb."""
    label = label_of(text)
    if label:
        return label
    at = verb_position(text)
    return _ADVERBS.sub("", text[:at].strip(" ,")) if at else ""


_ADVERBS = re.compile(r"(?: (?:not only|also|now|still|currently|usually|always|often|never|only))+$")


def is_denial(text: str, *, states: bool = False) -> bool:
    """Whether a text says that something is not, or must not be.

    Args:
        states: count words like "closed" and "blocked", too.
    """
    return _DENIAL.search(text) is not None or (states and _CLOSED.search(text) is not None)


_DENIAL = re.compile(
    r"\b(?:not|no(?!\.? ?\d)|never|none|nothing|nobody|neither|nor|without|cannot|lacks?|lacking|ban(?:ned|s)?|"
    r"prohibit(?:ed|ions?|s)?|forbid(?:s|den)?|restrict(?:ed|ion|ions)?|off[- ]limits|out[- ]of[- ]order|"
    r"refus(?:es|ed|al)|abstain(?:s|ing)?|unsupported|exempt(?:ion)?)\b|n't\b",
    re.IGNORECASE,
)
_CLOSED = re.compile(
    r"\b(?:dislikes?|hates?|declin(?:es|ed)|closed|closure|blocked|suspend(?:ed|s)?|stop(?:ped)?|block|denied|denial|avoids?|"
    r"skips?|objections?|objects)\b",
    re.IGNORECASE,
)
