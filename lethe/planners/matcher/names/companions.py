"""What a request adds to a name: which of two namesakes is meant, who else besides them, or only themselves."""

import re
from collections.abc import Sequence
from dataclasses import replace

from lethe.planners.matcher.names.entities import memories_about
from lethe.planners.matcher.names.links import is_doer
from lethe.planners.matcher.names.written_names import Name
from lethe.planners.matcher.scope.requests import Request
from lethe.planners.matcher.text.mentions import runs
from lethe.planners.matcher.text.words import FUNCTION_WORDS, alike, fold, key, words

_COMPANION = re.compile(
    r"\b(?:and|or|nor|with)(?: all)?(?: on| about| of| for)? (?:his|her|its|their) ((?:[a-z]+ ){0,2}?[a-z]+)\b",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"(?:the|our|my) [a-z]")
_SPEAKER = re.compile(r"\b(?:I|me|mine|myself)\b|\b[Mm]y (?!(?:[a-z]+ )?[a-z]+ [A-Z])")
"""The speaker as the one that a text is about; not in "my partner Mads"."""
_ONLY_SELF = re.compile(r"\b(?:himself|herself|itself|themselves)\b", re.IGNORECASE)


def without_opening(request: Request, memories: Sequence[str]) -> Request:
    """The request without a name that is only a word with a sentence's first capital ("Pottery for beginners")."""
    if not request.names or len(request.names[0].words) > 1 or request.topic[:1] != request.names[0].words[0][:1]:
        return request
    opening = request.names[0].words[0]
    if not request.aspect or not re.match(r" [a-z]", request.topic[len(opening) :]):
        return request
    plain = re.compile(rf"(?<![\w@./+-]){re.escape(opening.lower())}(?![\w@/+-]|\.\w)")
    if (
        not opening[:1].isupper()
        or not request.topic.startswith(opening)
        or not any(plain.search(memory) for memory in memories)
    ):
        return request
    if any(re.search(rf"\w[ ,]+{re.escape(opening)}(?![^\W_])", memory) for memory in memories) and not request.aspect:
        return request
    return replace(request, names=request.names[1:], aspect=(key(opening), *request.aspect))


def without_owner(request: Request) -> Request:
    """The request for "Ana's dog Rex" as one for Rex."""
    if len(request.names) != 2:
        return request
    owner, name = (re.escape(" ".join(one.words)) for one in request.names)
    topic = request.topic.partition(" , ")[0].strip(" .,!?")
    owned = re.fullmatch(rf"(?:the )?{owner}(?:'s|') ([a-z]+(?: [a-z]+)?),? (?:[A-Z]\w{{1,3}}\.? )?{name}", topic)
    if owned is None or not FUNCTION_WORDS.isdisjoint(owned[1].split()):
        return request
    return replace(request, names=request.names[1:], aspect=(), is_wide=True)


def with_full_name(request: Request, memories: Sequence[str]) -> Request:
    """The request with the full name of the one namesake that fits what it adds ("the sign painter Samira").

    That is the one whose memories say most of it.
    """
    if len(request.names) != 1 or len(request.names[0].words) != 1 or not request.aspect:
        return request
    own = set(request.names[0].folded)
    fuller = {run for memory in memories for run in runs(memory) if own < set(run) and len(run) > 1}
    if len(fuller) < 2:
        return request
    said = [word for word in words(request.topic) if word.key in request.aspect]
    score: dict[tuple[str, ...], int] = {}
    for run in fuller:
        about = memories_about([Name(run)], memories, wide=False, links=False)
        held = [word for position in about for word in words(memories[position])]
        score[run] = sum(any(alike(word.key, other.key) or is_doer(word, other) for other in held) for word in said)
    best = max(sorted(score), key=lambda run: score[run])
    if sum(value == score[best] for value in score.values()) > 1:
        return request
    return replace(request, names=(Name(best),))


def companions(request: Request, memories: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """The memories on whoever the memories found name as the companion that the request adds.

    Such is "her owner" in "Calliphora and her owner".
    """
    own = {part for name in request.names for part in name.folded}
    added: dict[int, str] = {}
    for companion in _COMPANION.finditer(request.text):
        noun = key(companion[1].split()[-1])
        for position in found:
            memory = memories[position]
            others = {run for run in runs(memory) if not set(run) & own and len("".join(run)) > 2}
            if (
                len(others) == 1
                and not _is_kind(min(others), memory)
                and any(alike(noun, word.key) for word in words(memory))
            ):
                added |= memories_about([Name(min(others))], memories, wide=True)
    return {position: why for position, why in added.items() if position not in found}


def _is_kind(run: Sequence[str], memory: str) -> bool:
    """Whether a name is that of a make or kind ("her car is a white Norda Kombi")."""
    return re.search(rf"\ban? (?:[a-z-]+ )*{re.escape(' '.join(run))}(?![^\W_])", fold(memory)) is not None


def introduced(request: Request, memories: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """The memories on whoever a memory names as the one asked for: "Mina's mother is called Soraya"."""
    asked = re.search(r"[^\W\d_]+(?:'s|s') [a-z]+(?=\W*$)", re.split(r" ?[,;(] ?", request.topic)[0])
    if not asked:
        return {}
    called = r"(?:,| is called| is named| \() ?((?:[^\W\d_a-z][^\W\d_]+ ?){1,3})(?=[ ,.)]|$)"
    by_name = re.compile(rf"(?i:\b{re.escape(asked[0])}){called}")
    added: dict[int, str] = {}
    for position in found:
        name = by_name.search(memories[position])
        if name and (run := next(iter(runs(name[1])), ())):
            about = memories_about([Name(run)], memories, wide=True)
            shared = any(_is_called(run, memories[other]) for other in about if other not in found)
            owner = key(asked[0].partition("'")[0])
            added |= {
                other: why
                for other, why in about.items()
                if not shared or any(word.key == owner for word in words(memories[other]))
            }
    return {position: why for position, why in added.items() if position not in found}


def _is_called(run: Sequence[str], memory: str) -> bool:
    """Whether a memory gives somebody this name, or says whose it is."""
    written = re.escape(" ".join(run))
    return re.search(rf"(?:called|named|'s|s') {written}(?![^\W_])", fold(memory)) is not None


def without_other_kinds(request: Request, memories: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """For "Fatima the nurse": the memories found, without those on "Fatima the tailor"."""
    if not _ARTICLE.search(request.text):
        return found
    names = "|".join(re.escape(" ".join(name.words)) for name in request.names)
    called = re.compile(rf"(?<![^\W_])(?:{names}),? \(?(?:the|our|my) ([a-z]\w+)")
    asked = {key(kind) for kind in called.findall(request.text)}
    told = {position: {key(kind) for kind in called.findall(memories[position])} for position in found}
    if not any(kinds & asked for kinds in told.values()):
        return found
    others = {kind for kinds in told.values() for kind in kinds} - asked
    said = {position: _definites(memories[position]) | kinds for position, kinds in told.items()}
    return {position: why for position, why in found.items() if not said[position] & others or said[position] & asked}


def _definites(memory: str) -> set[str]:
    """The keys of the words that follow "the" in a memory."""
    return {key(noun) for noun in re.findall(r"\b[Tt]he ([a-z]\w+)", memory)}


def of_speaker(request: Request, memories: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """For "my singing": the memories found, without those on somebody else if any are on the speaker."""
    if request.names or request.codes or not _SPEAKER.search(request.topic):
        return found
    own = {position: why for position, why in found.items() if _SPEAKER.search(memories[position])}
    return (
        {position: why for position, why in found.items() if position in own or not runs(memories[position])}
        if own
        else found
    )


def without_owned(request: Request, memories: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """For "Meera herself": the memories found that name her as more than the owner of somebody else."""
    if not _ONLY_SELF.search(request.text):
        return found
    parts = "|".join(re.escape(part) for name in request.names for part in name.folded)
    itself = re.compile(rf"(?<![^\W_])(?:{parts})(?![^\W_]|')")
    return {position: why for position, why in found.items() if itself.search(fold(memories[position]))} or found
