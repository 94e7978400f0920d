"""Which memories are about the topic of a request."""

import math
import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from lethe.planners.matcher.choice.attributes import related
from lethe.planners.matcher.names.entities import memories_about
from lethe.planners.matcher.names.links import add_described
from lethe.planners.matcher.scope.literal import owner_of
from lethe.planners.matcher.scope.requests import Request
from lethe.planners.matcher.text.mentions import runs
from lethe.planners.matcher.text.similarity import Similarity
from lethe.planners.matcher.text.syntax import VERBS, is_denial, subject, verb_position
from lethe.planners.matcher.text.words import FUNCTION_WORDS, alike, all_keys, fold, key, words


def by_topic(
    request: Request, memories: Sequence[str], similarity: Similarity | None, off: frozenset[str]
) -> dict[int, str]:
    """The memories that hold the most telling words of the topic.

    Similarity breaks ties and stands in for other words.
    """
    named: dict[int, str] = {}
    shares_of_names = [0.0] * len(memories)
    if request.names and "names" not in off:
        named = memories_about(request.names, memories, wide=False, links=False)
        if len({name.script for name in request.names}) == 1 < len(request.names):
            each = [memories_about([name], memories, wide=False, links=False) for name in request.names]
            shares_of_names = [sum(position in one for one in each) / len(each) for position in range(len(memories))]
        else:
            shares_of_names = [float(position in named) for position in range(len(memories))]
    owner = "" if request.names or request.codes else key(owner_of(request))
    if owner:
        named = {at: "" for at, memory in enumerate(memories) if any(alike(owner, word.key) for word in words(memory))}
    wanted = list(dict.fromkeys([*request.aspect, *(code.form for code in request.codes)]))
    held = [all_keys(memory) for memory in memories]
    if not request.is_wide and named:
        for position, also in _in_other_words([word for word in wanted if word != owner], held, named).items():
            held[position] |= also
    count = {word: sum(any(alike(word, other) for other in memory) for memory in held) for word in wanted}
    weight = {word: math.log(1 + len(memories) / count[word]) for word in wanted if count[word]}
    total = sum(weight.values()) or 1.0
    denied, denies = is_denial(request.topic, states=True), [is_denial(memory, states=True) for memory in memories]
    is_noun = not denied and verb_position(request.topic) is None
    scores = []
    for position in range(len(memories)):
        share = sum(weight[word] for word in weight if any(alike(word, other) for other in held[position])) / total
        sides = 0.15 if denies[position] == denied or is_noun else 0.0
        scores.append(share + 0.6 * shares_of_names[position] + sides)
    heads = heads_of(request)
    if named and heads and is_owned(request) and not any(_has_any(held[position], heads) for position in named):
        bare = _bare(heads, memories, {})
        if bare:
            return bare
    pool = [position for position in range(len(memories)) if not named or position in named]
    if not pool or (not weight and not named):
        return {}
    full = [
        bool(weight)
        and (shares_of_names[position] == 1.0 if request.names else len(weight) > 1)
        and _has_all(held[position], list(weight))
        for position in range(len(memories))
    ]
    if similarity and not _is_clear([scores[position] for position in pool]):
        similar = similarity(request.topic, memories)
        scores = [score + 0.5 * near for score, near in zip(scores, similar, strict=True)]
    best = max(scores[position] for position in pool)
    floor = best - (0.3 if request.is_wide else 0.22 if weight or not is_owned(request) else 0.05)
    found = {
        position: f"scores {scores[position]:.2f} of {best:.2f} for {', '.join(weight) or 'the topic'}"
        for position in pool
        if (scores[position] >= (floor - 0.15 if full[position] else floor) and scores[position] > 0.25)
        or (
            (request.is_wide or is_owned(request))
            and (
                _has_all(held[position], heads)
                or (request.names and position in named and _has_own(held, position, named, heads))
            )
            and (request.is_wide or denies[position] == denied)
        )
    }
    if found and heads and (is_owned(request) if request.names else len(request.aspect) > 1):
        bare = _bare(heads, memories, found)
        if request.names:
            bare = {at: why for at, why in bare.items() if not _opens_with_another(memories[at], memories, named)}
        found |= bare
    if found and is_owned(request) and named:
        found |= _each(request, memories, held, named, found)
    if found and not request.names and not request.is_wide:
        found |= _as_subject(wanted, memories, found)
    if len(found) > 1 and not request.names:
        found = _of_agent(request.topic, wanted, memories, found)
        found = _of_its_kind(request.topic, memories, found)
    if len(found) > 1 and len(wanted) == 1 and _DEFINITE.fullmatch(request.topic.partition(" , ")[0].strip(" .,!?")):
        found = _heads_only(wanted[0], memories, found)
    is_entry = len(weight) == 1 and any(
        re.match(rf"{re.escape(min(weight))}\w*: ", memory, re.IGNORECASE) for memory in memories
    )
    if (request.is_wide or is_entry) and not request.names and len(weight) == 1 and "links" not in off:
        add_described(found, memories, set(weight))
    return found


def _is_clear(scores: Sequence[float]) -> bool:
    """Whether the best memory is meant, and no other, however similar they are to what is asked for."""
    best, *others = sorted(scores, reverse=True)
    return best > 0.35 and all(best - other > _APART for other in others)


_APART = 0.85
"""Difference of scores that similarity cannot overturn: similarities of two memories differ by less than 0.8, half of
which counts, and memories within 0.45 of the best may be meant."""


def _each(
    request: Request,
    memories: Sequence[str],
    held: Sequence[AbstractSet[str]],
    named: Mapping[int, str],
    found: dict[int, str],
) -> dict[int, str]:
    """Of several attributes asked for at once ("Ana's pacemaker and her telephone number"), the memories on each."""
    added: dict[int, str] = {}
    parts = re.split(r",| (?:and|or|plus|nor)(?: also)? (?:(?:his|her|their|its|the) )?", request.topic)
    for part in parts[1:] and parts:
        asked = [word for word in content_keys(part) if word in request.aspect]
        if not asked or any(_has_any(held[position], asked) for position in found):
            continue
        told = [position for position in named if _has_all(held[position], asked)]
        told = told or [position for position in named if _has_any(held[position], asked)]
        told = told or [at for at in named if any(not related(word).isdisjoint(held[at]) for word in asked)]
        told = told or [at for at in named if _NUMBER_OF.isdisjoint(asked) is False and _CALLED.search(memories[at])]
        added |= dict.fromkeys(told, f"speaks of {part.strip()}")
    return added


_NUMBER_OF = frozenset(map(key, ("phone", "telephone", "mobile", "cell", "number")))
_CALLED = re.compile(r"(?<![\w-])[+(]?\d[\d ()/-]{5,}\d(?![\w-])")


def _as_subject(wanted: Sequence[str], memories: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """The memories whose subject is just what is asked for ("the samovar": "The samovar lacks its lid").

    A small letter that opens a memory is that of a name ("host atlas": "atlas is down").
    """
    added: dict[int, str] = {}
    for position, memory in enumerate(memories):
        if position not in found:
            about = content_keys(subject(memory))
            own = wanted[1:] if len(wanted) == 2 and memory[:1].islower() else wanted
            if len(about) == len(own) and all(map(alike, about, own)):
                added[position] = "is about the topic"
    return added


_AGENT = re.compile(r"(?:er|or|ist|ian|eer|ress)s?(?:'s)?$")


def _of_agent(topic: str, wanted: Sequence[str], memories: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """The memories found, without those that have "the garden" for "the gardener", or the other way round."""
    asked = {word.key: _AGENT.search(word.text) is not None for word in words(topic) if word.key in wanted}
    others = {
        position
        for position in found
        for key_, is_agent in asked.items()
        if (told := [_AGENT.search(word.text) is not None for word in words(memories[position]) if word.key == key_])
        and is_agent not in told
    }
    return {position: why for position, why in found.items() if position not in others} or found


def _of_its_kind(topic: str, memories: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """For "the violet ward": the memories found, without those that only have another ward.

    Only where a memory says "violet ward".
    """
    asked = _TWO_WORDS.fullmatch(topic.partition(" , ")[0].strip(" .,!?"))
    if not asked or not any(asked[1].lower() in memories[position].lower() for position in found):
        return found
    another = re.compile(rf"\b(?:the|our|my|an?) [\w-]+ {re.escape(asked[2])}\b", re.IGNORECASE)
    others = {
        position
        for position in found
        if asked[1].lower() not in memories[position].lower() and another.search(memories[position])
    }
    return {position: why for position, why in found.items() if position not in others}


_TWO_WORDS = re.compile(r"(?:the|our|my) ([\w-]+ ([\w-]+))", re.IGNORECASE)
_DEFINITE = re.compile(r"(?:the|our|my) [a-z-]+", re.IGNORECASE)


def _heads_only(wanted: str, memories: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """The memories found, without those where the noun asked for is only part of another one ("the car park").

    All of them, where it is so in all.
    """
    parts = set()
    for position in found:
        memory = memories[position]
        uses = [word for word in words(memory) if alike(word.key, wanted) and not word.text.endswith(("'s", "s'"))]
        verb = verb_position(memory)
        if uses and all(_COMPOUND.match(memory[word.end :]) and verb != word.end + 1 for word in uses):
            parts.add(position)
    return {position: why for position, why in found.items() if position not in parts} or found


def _in_other_words(
    wanted: Sequence[str], held: Sequence[AbstractSet[str]], named: Mapping[int, str]
) -> dict[int, set[str]]:
    """For each memory on the entity, the wanted words that it says in other words.

    Empty where one of these memories has a wanted word itself.
    """
    if any(alike(word, other) for position in named for other in held[position] for word in wanted):
        return {}
    return {at: {word for word in wanted if not related(word).isdisjoint(held[at])} for at in named}


def _bare(heads: Sequence[str], memories: Sequence[str], found: dict[int, str]) -> dict[int, str]:
    """The memories that say just "the pumpkin ravioli", or "the ravioli" where no memory has another kind of it."""
    whole: dict[int, str] = {}
    short: dict[int, str] = {}
    is_one = True
    for position, memory in enumerate(memories):
        memory_words = words(memory)
        for number, word in enumerate(memory_words):
            if not alike(word.key, heads[-1]):
                continue
            first = number
            for head in reversed(heads[:-1]):
                first -= first > 0 and alike(memory_words[first - 1].key, head)
            is_whole = number - first == len(heads) - 1 > 0
            before = memory_words[first - 1] if first else None
            is_bare = (
                before is not None and before.text.lower() in _DETERMINERS and memory[before.end : word.start][0] == " "
            )
            is_bare = is_bare and not _COMPOUND.match(memory[word.end :]) and not _QUALIFIED.match(memory[word.end :])
            if position in found:
                continue
            if is_bare and (is_whole or first == number):
                (whole if is_whole else short).setdefault(
                    position, f"speaks of the {memory[memory_words[first].start : word.end]}"
                )
            elif is_whole and before is not None and before.text.endswith("'s"):
                return {}
            elif not _COMPOUND.match(memory[word.end :]):
                is_one = False
    return whole | short if is_one else whole


def _opens_with_another(memory: str, memories: Sequence[str], named: Mapping[int, str]) -> bool:
    """Whether a memory is about somebody whom no memory on the entity names."""
    known = {part for position in named for run in runs(memories[position]) for part in run}
    first = next(iter(runs(memory)), ())
    opens = bool(first) and fold(memory).startswith(first[0]) and not set(first) & known
    return opens and (
        memory[len(" ".join(first)) :].startswith("'") or verb_position(memory) == len(" ".join(first)) + 1
    )


_COMPOUND = re.compile(rf" (?!(?:{'|'.join(sorted(VERBS | FUNCTION_WORDS))})\b|[a-z]+(?:s|ed|ing|ly)\b)[a-z]+")
_QUALIFIED = re.compile(r" (?:of|for|from|in|at|with|on|to|that|which|by|near|outside)\b")
_DETERMINERS = frozenset(("the", "this", "that", "these", "those", "our"))


def _has_own(held: Sequence[AbstractSet[str]], position: int, named: dict[int, str], heads: Sequence[str]) -> bool:
    """Whether a memory on the entity has a word of what is asked for that no memory on anything else has."""
    others = [memory for other, memory in enumerate(held) if other not in named]
    return bool(others) and any(
        any(alike(head, word) for word in held[position])
        and not any(alike(head, word) for memory in others for word in memory)
        for head in heads
    )


def is_owned(request: Request) -> bool:
    """Whether something of somebody is asked for ("Ana's move")."""
    return re.search(r"'s \w|s' \w", request.topic) is not None


_END_OF_HEADS = re.compile(
    r"\b(?:for|of|in|at|on|from|about|with|that|which|outside|by|during|since|until|between|we|you|i|they|he|she)\b"
)


def heads_of(request: Request) -> tuple[str, ...]:
    """The keys of what is asked for: after a possessive, or before the first preposition."""
    topic = request.topic.partition(" , ")[0]
    owned = re.search(r"(?:'s|s'|\b(?:his|her|their|its))\s+((?:[\w-]+\s?){1,3})", topic)
    phrase = _END_OF_HEADS.split(owned[1] if owned else topic, maxsplit=1)[0]
    return tuple(word for word in content_keys(phrase) if word in request.aspect)


def _has_all(memory: AbstractSet[str], heads: Sequence[str]) -> bool:
    return bool(heads) and all(any(alike(head, other) for other in memory) for head in heads)


def _has_any(memory: AbstractSet[str], heads: Sequence[str]) -> bool:
    return any(alike(head, other) for head in heads for other in memory)


def content_keys(text: str) -> list[str]:
    return [word.key for word in words(text) if word.is_content]
