"""Which memory a new fact supersedes: shared words weighed by rarity, names, times, subjects and similarity."""

import math
import re
from collections.abc import Mapping, Sequence

from lethe.planners.matcher.choice.aliases import Alias, aliased
from lethe.planners.matcher.choice.attributes import related
from lethe.planners.matcher.choice.contrast import is_contrast
from lethe.planners.matcher.choice.value_kinds import asks_for_person, expected, kinds
from lethe.planners.matcher.clauses.splitting import split
from lethe.planners.matcher.identity.identifier_match import identifier_evidence, in_one_form
from lethe.planners.matcher.names.nicknames import without_other_gender
from lethe.planners.matcher.names.readable import in_latin, in_one_name
from lethe.planners.matcher.names.written_names import TITLES, names_in
from lethe.planners.matcher.text.compatible_times import compatibility, latest_date, new_values
from lethe.planners.matcher.text.lists import listed
from lethe.planners.matcher.text.similarity import Similarity
from lethe.planners.matcher.text.syntax import VERBS, subject
from lethe.planners.matcher.text.times import Times, says_now, times
from lethe.planners.matcher.text.unnamed import capitals, unnamed
from lethe.planners.matcher.text.words import FUNCTION_WORDS, all_keys, clean, fold, has, key, keys, words

WEIGHTS = {
    "query words": 3.25,
    "fact words": 0.5,
    "names": 1.5,
    "query times": 1.5,
    "fact times": 1.25,
    "query similarity": 7.0,
    "fact similarity": 4.75,
    "other owner": 2.5,
    "outdated": 1.75,
    "letters": 1.75,
    "alias": 2.5,
    "contrast": 10.0,
    "kind": 0.75,
    "attribute": 1.5,
    "who": 2.0,
    "owner": 3.0,
    "identifier": 1.25,
    "written for": 4.0,
    "best match": 0.5,
}
"""The weights of all features: round numbers near those of a conditional logit over the cases developed on. Changed by
30 % at random, they decide about as well there (docs/matcher.md)."""

_OWNED = re.compile(r"(?:\b[^\W\d_]+(?:'s|s')|\b(?:my|our|his|her|their)) ((?:[\w-]+ ?){1,4})", re.IGNORECASE)
_POSSESSED = re.compile(r"'s ([\w-]+) (?:is|are|was|were)\b")
_PREPOSITION = re.compile(
    r"\b(?:in|at|on|with|for|from|to|by|of|near|under|behind|during|after|before)\b", re.IGNORECASE
)
_NOT = re.compile(r",\s+(?:but )?(?:not|except(?: for)?|other than)\s+[^,;]+$", re.IGNORECASE)
"""What a query says that it does not mean: "the Falcons, not the Juniors"."""


def features(
    query: str,
    new_fact: str,
    candidates: Sequence[str],
    similarity: Similarity | None,
    written_for: Sequence[str] = (),
    *,
    identity: bool = True,
) -> list[tuple[float, ...]]:
    """The value of each feature of WEIGHTS, for each candidate; `written_for` as for `ChoosesMemory.choose`."""
    asked, fact = _NOT.sub("", clean(query)) or clean(query), clean(new_fact)
    memories = [clean(memory) for memory in candidates]
    plain_memories = in_one_name(asked, in_one_form(asked, memories) if identity else memories)
    aliases = aliased(asked, fact, plain_memories)
    for position, (memory, plain) in enumerate(zip(memories, plain_memories, strict=True)):
        if plain != memory:
            aliases.setdefault(position, Alias(-1, in_latin(plain), plain))
    memories = plain_memories
    memories = [aliases[position].words if position in aliases else memory for position, memory in enumerate(memories)]
    sources = {alias.source for alias in aliases.values()}
    earlier = [_asked_before(asked, fact, one) for one in written_for] or [[] for _ in memories]
    written = [keys(" ".join(queries)) for queries in earlier]
    again = _again(asked, earlier, similarity)
    held = [keys(memory) | own for memory, own in zip(memories, written, strict=True)]
    said = keys(asked) | keys(fact)
    by_query, by_fact = (_similar(text, candidates, aliases, similarity) for text in (query, new_fact))
    held_times = [times(memory) for memory in memories]
    asked_times, fact_times = times(asked), times(fact)
    letters = _letters(asked) | _letters(fact)
    about = keys(asked) | keys(subject(fact))
    shares = [_shares(wanted, held) for wanted in (keys(asked), keys(fact), _names(asked, fact))]
    values = []
    same_title = without_other_gender(
        dict.fromkeys(range(len(memories)), ""), memories, asked, [name for name, _, _ in names_in(asked)]
    )
    others_titled = set(range(len(memories))) - same_title.keys()
    told = identifier_evidence(query, memories) if identity else {}
    is_who = asks_for_person(asked)
    wanted = expected(asked, fact, keys(asked))
    in_other_words = [(word, told_by) for word in keys(asked) if (told_by := related(word))]
    for position, memory in enumerate(memories):
        subjects = [subject(part.sentence()) for part in split(memory)] if _OWNED.search(memory) else []
        is_related = any(
            _is_owned_by_other(relation, said, memory) and not any(has(said, word.key) for word in words(name))
            for name, relation in _RELATED.findall(memory)
        )
        own_letters = _letters(memory)
        telling = [told_by & held[position] for word, told_by in in_other_words if not has(held[position], word)]
        owned = {key(thing) for thing in _POSSESSED.findall(memory)}
        is_attribute = any(keys_ & owned for keys_ in telling)
        values.append(
            (
                *(share[position] for share in shares),
                compatibility(asked_times, held_times[position]),
                compatibility(fact_times, held_times[position], new_values(fact)),
                by_query[position],
                by_fact[position],
                0.0
                if is_attribute
                else -1.0
                if is_related
                else max((-float(_is_owned_by_other(own, said, memory)) for own in subjects), default=0.0),
                -float(_is_outdated(position, memories, held, held_times, asked_times)),
                (1.0 if own_letters & letters else -1.0) if own_letters and letters else 0.0,
                -float(position in sources),
                -float(position in others_titled or is_contrast(asked, fact, memory, written[position])),
                len(wanted & kinds(memory, said)) / len(wanted) if wanted else 0.0,
                float(any(telling)),
                -float(is_who and "name" not in kinds(memory, keys(asked))),
                -float(not is_attribute and _has_other_owner(memory, asked, about)),
                told.get(position, 0.0),
                again[position],
                float(position == 0),
            )
        )
    return values if similarity is None else _by_statement(values, query, new_fact, candidates, similarity)


def _by_statement(
    values: list[tuple[float, ...]], query: str, new_fact: str, memories: Sequence[str], similarity: Similarity
) -> list[tuple[float, ...]]:
    """The values of all features, with memories nearly as good as the best compared by their statements, too.

    What counts is the nearest statement, without names.
    """
    scored = [score(own) for own in values]
    near = [position for position, value in enumerate(scored) if value >= max(scored) - _NEAR]
    if len(near) == 1:
        return values
    asked, fact = clean(query), clean(new_fact)
    names = capitals(asked)
    said = [
        (position, unnamed(part.sentence(), names)) for position in near for part in split(clean(memories[position]))
    ]
    refined = [list(own) for own in values]
    for name, text in (("query similarity", asked), ("fact similarity", fact)):
        column = list(WEIGHTS).index(name)
        nearest = dict.fromkeys(near, 0.0)
        similar = similarity(unnamed(text, names), [statement for _, statement in said])
        for (position, _), value in zip(said, similar, strict=True):
            nearest[position] = max(nearest[position], value)
        for position, value in nearest.items():
            refined[position][column] = 0.5 * refined[position][column] + 0.7 * value
    return [tuple(own) for own in refined]


_NEAR = 1.5
"""Memories whose scores lie within this of the best are compared statement by statement."""


_UNLIKE = 0.5
"""Similarity below which two queries ask different questions."""


def _asked_before(asked: str, fact: str, written_for: str) -> list[str]:
    """Of the queries that wrote a memory, those that may ask the same as this one.

    They ask for no other time, and for no other thing of a kind.
    """
    if not written_for:
        return []
    return [
        query
        for query in in_one_form(asked, [clean(line) for line in written_for.split("\n") if line])
        if compatibility(times(asked), times(query)) >= 0 and not is_contrast(asked, fact, query)
    ]


def _again(asked: str, earlier: Sequence[Sequence[str]], similarity: Similarity | None) -> list[float]:
    """How much one of each memory's earlier queries asks what `asked` does, by words or as a whole, 0 to 1."""
    own = keys(asked)
    known = sorted({query for queries in earlier for query in queries})
    near = (
        dict(zip(known, similarity(asked, known), strict=True)) if similarity and known else dict.fromkeys(known, 0.0)
    )
    same = {
        query: max(len(own & keys(query)) / max(1, len(own | keys(query))), (near[query] - _UNLIKE) / (1 - _UNLIKE))
        for query in known
    }
    return [max((same[query] for query in queries), default=0.0) for queries in earlier]


def score(values: Sequence[float]) -> float:
    """How well a memory's features fit."""
    return sum(weight * value for weight, value in zip(WEIGHTS.values(), values, strict=True))


def _names(asked: str, fact: str) -> frozenset[str]:
    """The names and numbers that query and new fact mention; a capital that opens the new fact is no evidence."""
    return frozenset(
        word.key
        for text in (asked, fact)
        for word in words(text)
        if word.is_content
        and fold(word.text) not in TITLES
        and ((word.is_capital and (text is asked or word.start > 0)) or any(letter.isdigit() for letter in word.text))
    )


def _letters(text: str) -> frozenset[str]:
    """Single capitals that distinguish things of one kind: "Hall B", "plan C"."""
    return frozenset(
        word.text for word in words(text) if len(word.text) == 1 and word.is_capital and word.start > 0
    ) - {"I"}


def _similar(
    text: str, memories: Sequence[str], aliases: Mapping[int, Alias], similarity: Similarity | None
) -> list[float]:
    """How similar each memory is to `text`.

    A memory with an alias is compared as it stands and in the words of the text.
    """
    if similarity is None:
        return [0.0] * len(memories)
    near = similarity(text, [*memories, *(alias.text for alias in aliases.values())])
    for position, value in zip(aliases, near[len(memories) :], strict=True):
        near[position] = max(near[position], value)
    return near[: len(memories)]


def _shares(wanted: frozenset[str], memories: Sequence[frozenset[str]]) -> list[float]:
    """How much of what the wanted words say is in each memory, rare words counting more; 0 to 1."""
    total = 0.0
    said = [0.0] * len(memories)
    for one in sorted(wanted):
        holders = [position for position, memory in enumerate(memories) if has(memory, one)]
        if not holders:
            continue
        weight = math.log(1 + len(memories) / len(holders))
        total += weight
        for position in holders:
            said[position] += weight
    return [value / total if total else 0.0 for value in said]


def _is_owned_by_other(subject_: str, said: frozenset[str], memory: str) -> bool:
    """Whether the subject belongs to somebody or something that query and new fact do not mention ("Omar's son")."""
    for owned in _OWNED.finditer(f"{subject_} "):
        if _PREPOSITION.search(subject_, subject_.rfind(",", 0, owned.start()) + 1, owned.start()):
            continue
        heads = [word for word in words(owned[1]) if word.is_content]
        if heads and not any(has(said, word.key) for word in heads):
            return not _names_one_of(memory[memory.find(owned[1].strip()) :], said)
    return False


def _names_one_of(owned: str, said: frozenset[str]) -> bool:
    """Whether what somebody owns has a name that query or new fact mention.

    Such names are those in "User's wife Mirela" and "my boss, Mr. Sato".
    """
    named = _NAMED.match(owned)
    if named is None or any(word in VERBS or word in FUNCTION_WORDS for word in named[1].split()):
        return False
    return any(has(said, word.key) for word in words(named[2]))


_NAMED = re.compile(r"((?:[a-z][\w-]* ){0,3}[a-z][\w-]*),? ((?:[A-Z][\w'-]*\.? ?)+)")
_RELATED = re.compile(r"^([^\W\d_a-z][\w'-]+(?: [^\W\d_a-z][\w'-]+)*), ([^\W\d_]+'s? [\w-]+),")
"""How a memory relates the one it begins with to another ("Edda, Oswin's twin, ...")."""
PERSONS = frozenset(
    map(
        key,
        listed(
            """brother sister sibling twin son daughter child mother father mum mom dad parent wife husband spouse
            partner fiance fiancee girlfriend boyfriend cousin aunt uncle niece nephew grandmother grandfather grandma
            grandpa granny grandson granddaughter friend neighbour neighbor colleague boss manager assistant intern
            deputy secretary flatmate roommate housemate mate tutor nanny trainee apprentice successor predecessor"""
        ),
    )
)
_OWNER = re.compile(r"\b(?!(?:it|that|there|here|who|what|let)'s)([^\W\d_]+)'s? ((?:[\w-]+ ?){1,3})", re.IGNORECASE)


def _has_other_owner(memory: str, asked: str, said: frozenset[str]) -> bool:
    """Whether the memory says that what the query names is another's ("Granny's passwords").

    Or the memory is about a relative of the owner.
    """
    wanted = keys(asked)
    is_own = re.search(r"\bown\b", asked) is not None
    for owned in _OWNER.finditer(memory):
        owner = all_keys(owned[1])
        heads = keys(owned[2])
        if _names_one_of(memory[owned.start(2) :], said):
            continue
        is_definite = re.search(r"\b(?:the|our|my) $", memory[: owned.start()], re.IGNORECASE) is not None
        if not is_definite and any(has(wanted, head) for head in heads) and not any(has(said, one) for one in owner):
            return True
        others = {word.key for word in words(owned[2]) if word.key in PERSONS and not has(said, word.key)}
        if is_own and not any(has(said, head) for head in heads):
            others |= heads
        if others and any(has(wanted, one) for one in owner):
            return True
    return False


def _is_outdated(
    position: int,
    memories: Sequence[str],
    held: Sequence[frozenset[str]],
    held_times: Sequence[Times],
    asked_times: Times,
) -> bool:
    """Whether a memory is outdated by another one of much the same words, on a later time or the present.

    Not where the query is about this memory's time.
    """
    own_date = latest_date(held_times[position])
    own = {one for one in held[position] if one.isalpha()}
    if own_date is None or not own or compatibility(asked_times, held_times[position]) > 0:
        return False
    for other, memory in enumerate(memories):
        theirs = {one for one in held[other] if one.isalpha()}
        if other == position or 2 * len(own & theirs) < min(len(own), len(theirs)) or not theirs:
            continue
        date = latest_date(held_times[other])
        if date > own_date if date else says_now(memory):
            return True
    return False
