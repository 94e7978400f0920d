"""Memories of one statement with a remark that only a comma joins ("The play moved to the gym, the hall leaks")."""

import re
from collections.abc import Sequence

from lethe.planners.matcher.clauses.part import Part
from lethe.planners.matcher.text.syntax import label_of, starts_with_verb, verb_of
from lethe.planners.matcher.text.words import has, keys

_SUBORDINATE = re.compile(r"(?:while|whereas|although|though|since|because|if|when|as|after|before)\b", re.IGNORECASE)
_ABSOLUTE = re.compile(r"(?:its|his|her|their) (?:[\w-]+ )+?\w+ing\b", re.IGNORECASE)
_IN_PASSING = re.compile(r"(?:still |now |already )?\w{2,}ing\b", re.IGNORECASE)
_FIELD = re.compile(r"[:=]")
_SUBJECT = re.compile(
    r"(?:[\w'-]+ ){1,3}(?:is|are|was|were|has|have|had|will|can|could|did|does)\b|\w+'s? |\w+s \w+(?:ed|en|ing)\b\W*$"
)
_NUMBERED = re.compile(r"[^\W\d_]+\.? \w*\d[\w-]*\.?")
_NAMED = re.compile(r"(?:(?:his|her|their|its|our|my) [\w-]+ )?[A-Z][\w-]*(?!\w*'s)\b")


def is_remarked(parts: Sequence[Part], asked: str, fact: str) -> bool:
    """Whether a memory, given as its parts, makes one statement with remarks that fall with it.

    English joins two independent statements by more than a comma. What follows a bare one is a reason or a remark,
    unless it continues with a verb, names something else, or gives one more value for the label before a colon.
    """
    main, *rest = parts
    if not rest or main.kind != "main" or any(part.kind != "list" for part in rest) or _SUBORDINATE.match(main.said):
        return False
    label = label_of(main.said)
    if label:
        return _is_value_with_remark(label, main, rest, asked, fact)
    if len(rest) > 1:
        return False
    remark = rest[0].said.strip(" ,;")
    if re.search(r"[=:]", remark) or re.search(r"\balso\b", remark) or keys(main.said) & keys(remark):
        return False
    if _goes_on(remark) or _ABSOLUTE.match(remark) or _FIELD.search(remark):
        return False
    verbs = [verb_of(text) for text in (main.said, remark)]
    wanted = keys(asked)
    is_asked = [sum(has(keys(text), key) for key in wanted) for text in (main.said, remark)]
    if (not verbs[0] and (is_asked[0] or not verbs[1])) or (not verbs[1] and _NAMED.match(remark)):
        return False
    return verbs[0] != verbs[1] and (is_asked[0] >= is_asked[1] or not is_asked[0])


def _is_value_with_remark(label: str, main: Part, rest: Sequence[Part], asked: str, fact: str) -> bool:
    """Whether the value right after the label is asked for, and what follows it is not another value of the label."""
    own, told = keys(label), keys(fact)
    held = [keys(part.said) - own for part in (main, *rest)]
    if any(has(one, key) for one in held for key in keys(asked) - own if not has(own, key)):
        return False
    said = [part.said.strip(" ,") for part in rest]
    if all(_IN_PASSING.match(text) for text in said):
        return True
    if any(_NUMBERED.fullmatch(text) or _goes_on(text) for text in said):
        return False
    return keys(label_of(fact)) == own or not any(has(one, key) for one in held for key in told - own)


def _goes_on(text: str) -> bool:
    """Whether a text has the verb of a statement that began before it.

    Not so a plural with a verb or a participle of its own.
    """
    return starts_with_verb(text) and _SUBJECT.match(text) is None
