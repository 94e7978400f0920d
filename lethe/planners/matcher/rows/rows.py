"""Which row a new fact supersedes: shared words weighed by how rare they are, names, times, subjects and similarity."""

import math
import re
from collections.abc import Callable, Mapping, Sequence

from lethe.planners.matcher.clauses.parts import split
from lethe.planners.matcher.identity.identified import in_one_form, told_apart
from lethe.planners.matcher.names.called import without_other_gender
from lethe.planners.matcher.names.names import TITLES, names_in
from lethe.planners.matcher.names.readable import in_latin, in_one_name
from lethe.planners.matcher.rows.aliases import Link, links
from lethe.planners.matcher.rows.answers import asks_for_person, expected, kinds
from lethe.planners.matcher.rows.attributes import related
from lethe.planners.matcher.rows.contrast import is_contrast
from lethe.planners.matcher.text.agreement import agreement, latest_date, new_values
from lethe.planners.matcher.text.lists import listed
from lethe.planners.matcher.text.syntax import VERBS, subject
from lethe.planners.matcher.text.times import Times, says_now, times
from lethe.planners.matcher.text.unnamed import capitals, unnamed
from lethe.planners.matcher.text.words import FUNCTION_WORDS, all_keys, clean, fold, has, key, keys, words

Similarity = Callable[[str, Sequence[str]], list[float]]
"""(text, other texts) to their cosine similarities."""

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
    "link": 2.5,
    "contrast": 10.0,
    "kind": 0.75,
    "attribute": 1.5,
    "who": 2.0,
    "owner": 3.0,
    "identifier": 1.25,
    "written for": 4.0,
    "best match": 0.5,
}
"""Round numbers near those of a conditional logit over the cases developed on; changed by 30 % at random, they decide
about as well there (docs/matcher.md)."""

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
    """One value for each of WEIGHTS, for each candidate; `written_for` as for `ChoosesRow.choose`."""
    asked, fact = _NOT.sub("", clean(query)) or clean(query), clean(new_fact)
    rows = [clean(row) for row in candidates]
    plain_rows = in_one_name(asked, in_one_form(asked, rows) if identity else rows)
    linked = links(asked, fact, plain_rows)
    for position, (row, plain) in enumerate(zip(rows, plain_rows, strict=True)):
        if plain != row:
            linked.setdefault(position, Link(-1, in_latin(plain), plain))
    rows = plain_rows
    rows = [linked[position].words if position in linked else row for position, row in enumerate(rows)]
    sources = {link.source for link in linked.values()}
    earlier = [_asked_before(asked, fact, one) for one in written_for] or [[] for _ in rows]
    written = [keys(" ".join(queries)) for queries in earlier]
    again = _again(asked, earlier, similarity)
    held = [keys(row) | own for row, own in zip(rows, written, strict=True)]
    said = keys(asked) | keys(fact)
    by_query, by_fact = (_similar(text, candidates, linked, similarity) for text in (query, new_fact))
    held_times = [times(row) for row in rows]
    asked_times, fact_times = times(asked), times(fact)
    letters = _letters(asked) | _letters(fact)
    about = keys(asked) | keys(subject(fact))
    shares = [_shares(wanted, held) for wanted in (keys(asked), keys(fact), _names(asked, fact))]
    values = []
    same_title = without_other_gender(
        dict.fromkeys(range(len(rows)), ""), rows, asked, [name for name, _, _ in names_in(asked)]
    )
    others_titled = set(range(len(rows))) - same_title.keys()
    told = told_apart(query, rows) if identity else {}
    is_who = asks_for_person(asked)
    wanted = expected(asked, fact, keys(asked))
    in_other_words = [(word, told_by) for word in keys(asked) if (told_by := related(word))]
    for position, row in enumerate(rows):
        subjects = [subject(part.sentence()) for part in split(row)] if _OWNED.search(row) else []
        is_related = any(
            _is_owned_by_other(relation, said, row) and not any(has(said, word.key) for word in words(name))
            for name, relation in _RELATED.findall(row)
        )
        own_letters = _letters(row)
        telling = [told_by & held[position] for word, told_by in in_other_words if not has(held[position], word)]
        owned = {key(thing) for thing in _POSSESSED.findall(row)}
        is_attribute = any(keys_ & owned for keys_ in telling)
        values.append(
            (
                *(share[position] for share in shares),
                agreement(asked_times, held_times[position]),
                agreement(fact_times, held_times[position], new_values(fact)),
                by_query[position],
                by_fact[position],
                0.0
                if is_attribute
                else -1.0
                if is_related
                else max((-float(_is_owned_by_other(own, said, row)) for own in subjects), default=0.0),
                -float(_is_outdated(position, rows, held, held_times, asked_times)),
                (1.0 if own_letters & letters else -1.0) if own_letters and letters else 0.0,
                -float(position in sources),
                -float(position in others_titled or is_contrast(asked, fact, row, written[position])),
                len(wanted & kinds(row, said)) / len(wanted) if wanted else 0.0,
                float(any(telling)),
                -float(is_who and "name" not in kinds(row, keys(asked))),
                -float(not is_attribute and _has_other_owner(row, asked, about)),
                told.get(position, 0.0),
                again[position],
                float(position == 0),
            )
        )
    return values if similarity is None else _by_statement(values, query, new_fact, candidates, similarity)


def _by_statement(
    values: list[tuple[float, ...]], query: str, new_fact: str, rows: Sequence[str], similarity: Similarity
) -> list[tuple[float, ...]]:
    """Rows nearly as good as the best are also compared by the nearest of their statements, without names."""
    scored = [score(row) for row in values]
    near = [position for position, value in enumerate(scored) if value >= max(scored) - _NEAR]
    if len(near) == 1:
        return values
    asked, fact = clean(query), clean(new_fact)
    names = capitals(asked)
    said = [(position, unnamed(part.sentence(), names)) for position in near for part in split(clean(rows[position]))]
    refined = [list(row) for row in values]
    for name, text in (("query similarity", asked), ("fact similarity", fact)):
        column = list(WEIGHTS).index(name)
        nearest = dict.fromkeys(near, 0.0)
        similar = similarity(unnamed(text, names), [statement for _, statement in said])
        for (position, _), value in zip(said, similar, strict=True):
            nearest[position] = max(nearest[position], value)
        for position, value in nearest.items():
            refined[position][column] = 0.5 * refined[position][column] + 0.7 * value
    return [tuple(row) for row in refined]


_NEAR = 1.5
"""Rows whose scores lie within this of the best are compared statement by statement."""


_UNLIKE = 0.5
"""Queries that are less similar than this are two questions."""


def _asked_before(asked: str, fact: str, written_for: str) -> list[str]:
    """Of the queries that wrote a row those that may ask the same: for no other time, and no other thing of a kind."""
    if not written_for:
        return []
    return [
        query
        for query in in_one_form(asked, [clean(line) for line in written_for.split("\n") if line])
        if agreement(times(asked), times(query)) >= 0 and not is_contrast(asked, fact, query)
    ]


def _again(asked: str, earlier: Sequence[Sequence[str]], similarity: Similarity | None) -> list[float]:
    """How much one of each row's earlier queries asks what `asked` does, by words or as a whole, 0 to 1."""
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
    """How well a row's features fit."""
    return sum(weight * value for weight, value in zip(WEIGHTS.values(), values, strict=True))


def _names(asked: str, fact: str) -> frozenset[str]:
    """The names and numbers that query and new fact speak of; a capital that opens the new fact is no evidence."""
    return frozenset(
        word.key
        for text in (asked, fact)
        for word in words(text)
        if word.is_content
        and fold(word.text) not in TITLES
        and ((word.is_capital and (text is asked or word.start > 0)) or any(letter.isdigit() for letter in word.text))
    )


def _letters(text: str) -> frozenset[str]:
    """Single capitals that tell things of one kind apart: "Hall B", "plan C"."""
    return frozenset(
        word.text for word in words(text) if len(word.text) == 1 and word.is_capital and word.start > 0
    ) - {"I"}


def _similar(text: str, rows: Sequence[str], linked: Mapping[int, Link], similarity: Similarity | None) -> list[float]:
    """How similar the rows are to `text`, those that speak of it by another name as they stand or in its words."""
    if similarity is None:
        return [0.0] * len(rows)
    near = similarity(text, [*rows, *(link.text for link in linked.values())])
    for position, value in zip(linked, near[len(rows) :], strict=True):
        near[position] = max(near[position], value)
    return near[: len(rows)]


def _shares(wanted: frozenset[str], rows: Sequence[frozenset[str]]) -> list[float]:
    """How much of what the wanted words say is in each row, rare words counting more; 0 to 1."""
    total = 0.0
    said = [0.0] * len(rows)
    for one in sorted(wanted):
        holders = [position for position, row in enumerate(rows) if has(row, one)]
        if not holders:
            continue
        weight = math.log(1 + len(rows) / len(holders))
        total += weight
        for position in holders:
            said[position] += weight
    return [value / total if total else 0.0 for value in said]


def _is_owned_by_other(subject_: str, said: frozenset[str], row: str) -> bool:
    """Is the subject somebody's or something's own that query and new fact do not speak of ("Omar's son")?"""
    for owned in _OWNED.finditer(f"{subject_} "):
        if _PREPOSITION.search(subject_, subject_.rfind(",", 0, owned.start()) + 1, owned.start()):
            continue
        heads = [word for word in words(owned[1]) if word.is_content]
        if heads and not any(has(said, word.key) for word in heads):
            return not _names_one_of(row[row.find(owned[1].strip()) :], said)
    return False


def _names_one_of(owned: str, said: frozenset[str]) -> bool:
    """Is what somebody owns called by a name that query or new fact say ("User's wife Mirela", "my boss, Mr. Sato")?"""
    named = _NAMED.match(owned)
    if named is None or any(word in VERBS or word in FUNCTION_WORDS for word in named[1].split()):
        return False
    return any(has(said, word.key) for word in words(named[2]))


_NAMED = re.compile(r"((?:[a-z][\w-]* ){0,3}[a-z][\w-]*),? ((?:[A-Z][\w'-]*\.? ?)+)")
_RELATED = re.compile(r"^([^\W\d_a-z][\w'-]+(?: [^\W\d_a-z][\w'-]+)*), ([^\W\d_]+'s? [\w-]+),")
"""What a row says of the one it begins with ("Edda, Oswin's twin, ...")."""
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


def _has_other_owner(row: str, asked: str, said: frozenset[str]) -> bool:
    """Is what the query names another's in the row ("Granny's passwords"), or the row about somebody of its owner's?"""
    wanted = keys(asked)
    is_own = re.search(r"\bown\b", asked) is not None
    for owned in _OWNER.finditer(row):
        owner = all_keys(owned[1])
        heads = keys(owned[2])
        if _names_one_of(row[owned.start(2) :], said):
            continue
        is_definite = re.search(r"\b(?:the|our|my) $", row[: owned.start()], re.IGNORECASE) is not None
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
    rows: Sequence[str],
    held: Sequence[frozenset[str]],
    held_times: Sequence[Times],
    asked_times: Times,
) -> bool:
    """Does a row of much the same words speak of a later time, or of now, and the query not of this row's time?"""
    own_date = latest_date(held_times[position])
    own = {one for one in held[position] if one.isalpha()}
    if own_date is None or not own or agreement(asked_times, held_times[position]) > 0:
        return False
    for other, row in enumerate(rows):
        theirs = {one for one in held[other] if one.isalpha()}
        if other == position or 2 * len(own & theirs) < min(len(own), len(theirs)) or not theirs:
            continue
        date = latest_date(held_times[other])
        if date > own_date if date else says_now(row):
            return True
    return False
