"""A piece of a memory, as `splitting.split` cuts it."""

import re
from dataclasses import dataclass

from lethe.planners.matcher.text.syntax import starts_with_verb, verb_position

INTRODUCTION = re.compile(
    r"^(?:and|but|while|whereas|plus|as well as|along with|together with|by the way,?|nb:?|n\.b\.:?|"
    r"note:?|also|in addition,?|"
    r"besides,?|and also|and please note|please note(?: that)?|incidentally,?|furthermore,?|"
    r"moreover,?|ps:?|p\.s\.:?|though|yet|"
    r"that|meanwhile,?|separately,?|additionally,?|on top of that,?)\s+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a memory.

    Attributes:
        said: its words alone.
        kind: how it is attached to the rest: main, unit, joined, and, bracket, detail, relative, apposed, leading,
            with, list; header for the words that only name what the other pieces are about.
        head: the words before it that it needs to be a sentence: its subject, or subject and verb.
        whole: the sentence that it stands for, where that is not its head followed by its words.
    """

    said: str
    kind: str
    head: str = ""
    whole: str = ""

    def sentence(self) -> str:
        """The piece as a sentence of its own."""
        whole = "" if self.kind == "gapped" else self.whole
        said = INTRODUCTION.sub("", (whole or self.said).strip(" ,;")).strip(" ,;")
        said = INTRODUCTION.sub("", said)
        if self.kind == "leading" and self.head.endswith(" is"):
            said = said[:1].lower() + said[1:]
        text = (f"{self.head} {said}" if self.head else said).replace(" not only ", " ")
        text = text.strip().rstrip(",;:")
        if not text:
            return ""
        text = text[0].upper() + text[1:]
        return text if text[-1] in ".!?\"'" and text[-1] in ".!?" else text + "."


_IS = re.compile(r"\b(?:is|are|am|was|were)$|'(?:s|m|re)$")
_AUXILIARY = re.compile(
    r"(?:will|can|cannot|must|may|might|would|could|should|has|have|had|is|are|was|were|does|do|did)\b"
)


def stands_alone(text: str) -> bool:
    bare = INTRODUCTION.sub("", text.strip())
    if _AUXILIARY.match(bare):
        return False
    at = verb_position(bare)
    return (
        (at is not None and at > 0)
        or bool(re.match(r"(?:I|we|you|he|she|they|it)\b", bare, re.I))
        or bool(re.match(r"[^:]{2,40}: ", bare))
    )


def is_statement(part: Part) -> bool:
    """Whether the part is a label with its value, or has a verb (where it is coordinated, that of its head)."""
    text = part.said if part.kind == "list" and not _IS.search(part.head) else part.sentence()
    has_label = (part.kind in ("bracket", "unit") and part.head.endswith(":")) or re.match(
        r"[^:]{2,40}[:=]", part.said
    ) is not None
    return has_label or verb_position(text) is not None or starts_with_verb(text)
