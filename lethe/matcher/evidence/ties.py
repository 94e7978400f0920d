"""What memories share with each other, beside what a request says."""

import itertools
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lethe.matcher.evidence.asking import asking
from lethe.matcher.evidence.codes import Code, Match, codes, stands
from lethe.matcher.evidence.identity.identifier_finders import find
from lethe.matcher.evidence.identity.typed_identifier import Identifier
from lethe.matcher.evidence.reading import Token, read
from lethe.matcher.evidence.standing import standing
from lethe.matcher.evidence.text.words import FUNCTION_WORDS, fold

Bools = NDArray[np.bool_]
_ANAPHOR = re.compile(
    r"(?:and |but |also )?(?:he|she|it|they|his|her|hers|its|their|theirs|that|this|these|those|same|both)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, eq=False)
class Ties:
    """Which memories share something; memories × memories, unless said otherwise.

    Attributes:
        name, word: a name or number, or another word, that the request does not say.
        code, type: the same code, or typed identifier.
        phrase: two words in a row.
        beside: the rest of a name that the request says a part of, in the second memory.
        weight: the words that both have, rare ones more.
        rival, own_rival: of each memory: it has the rest of such a name, which stands in another name as well; its own.
        anaphor: of each memory: whether it begins with a word for something named before.
        held: of each memory: its words by key, without those of the request.
    """

    name: Bools
    word: Bools
    code: Bools
    type: Bools
    phrase: Bools
    beside: Bools
    weight: NDArray[np.float64]
    rival: Sequence[bool]
    own_rival: Sequence[bool]
    anaphor: Sequence[bool]
    held: Sequence[Mapping[str, Token]]
    _forms: dict[tuple[int, int], tuple[bool, bool]] = field(default_factory=dict)

    def forms(self, anchors: Bools) -> tuple[Bools, Bools]:
        """Whether a name of an anchor stands in another form in each memory, and whether one is part of the other's."""
        form, part = np.zeros_like(self.name), np.zeros_like(self.name)
        for at, other in itertools.product(range(len(self.held)), np.flatnonzero(anchors).tolist()):
            if at != other and (at, other) not in self._forms:
                own, theirs = self.held[at], self.held[other]
                self._forms[at, other] = _alike(own, theirs), _is_part(own, theirs)
            form[at, other], part[at, other] = self._forms.get((at, other), (False, False))
        return form, part


def ties(request: str, memories: Sequence[str]) -> Ties:
    """What ties memories to each other; request and memories are plain."""
    asked = {word.key for word in asking(request).words}
    rows = [[token for token in read(memory) if token.says] for memory in memories]
    held = [{token.key: token for token in row if token.key not in asked} for row in rows]
    keys = [own.keys() for own in held]
    names = [{key for key, token in own.items() if token.is_name or token.is_number} for own in held]
    words = [own.keys() - named for own, named in zip(held, names, strict=True)]
    rarity = {word: np.log(len(rows) / many) for word, many in Counter(itertools.chain(*held)).items()}
    phrases = [{(a.key, b.key) for a, b in itertools.pairwise(row) if not {a.key, b.key} <= asked} for row in rows]
    wanted = codes(request)
    coded = [tuple(code for code in codes(memory) if stands(code, wanted) > Match.SAME) for memory in memories]
    typed = [find(memory) for memory in memories]
    pairs = [_named_pairs(memory) for memory in memories]
    rest = [{b for a, b in named if a in asked} for named in pairs]
    others = [{b for a, b in named if a not in asked} for named in pairs]
    surnames = [own & set().union(*rest[:at], *rest[at + 1 :]) for at, own in enumerate(keys)]
    return Ties(
        name=_table(names, keys, _meet),
        word=_table(words, keys, _meet),
        code=_table(coded, coded, _same_code),
        type=_table(typed, typed, _same_type),
        phrase=_table(phrases, phrases, _meet),
        beside=_table(keys, rest, _meet),
        weight=np.array(
            [[sum(rarity[word] for word in own & other if other is not own) for other in keys] for own in keys]
        ),
        rival=[not own.isdisjoint(itertools.chain(*others)) for own in surnames],
        own_rival=[bool(own & other) for own, other in zip(surnames, others, strict=True)],
        anaphor=[_ANAPHOR.match(memory) is not None for memory in memories],
        held=held,
    )


def _table(own: Sequence[Any], others: Sequence[Any], is_tied: Callable[[Any, Any], bool]) -> Bools:
    """Whether each memory is tied to each other one."""
    size = range(len(own))
    return np.array([[at != other and is_tied(own[at], others[other]) for other in size] for at in size])


def _meet(own: Set[object], other: Set[object]) -> bool:
    return not own.isdisjoint(other)


def _named_pairs(memory: str) -> set[tuple[str, str]]:
    """Keys of neighbouring words that are written as one name, in both orders."""
    pairs = {
        (read(a)[0].key, read(b)[0].key)
        for a, b in itertools.pairwise(memory.split())
        if a[:1].isupper()
        and b[:1].isupper()
        and a[-1].isalpha()
        and fold(a) not in FUNCTION_WORDS
        and read(a)
        and read(b)
    }
    return pairs | {(b, a) for a, b in pairs}


def _alike(own: Mapping[str, Token], other: Mapping[str, Token]) -> bool:
    """Whether a name stands in another form in the other memory: another script, spelling, or short form."""
    names = [token for token in own.values() if token.is_name and not token.is_number]
    theirs = [token for token in other.values() if token.is_name and not token.is_number]
    return any(one.key != two.key and standing(one, two).holds for one in names for two in theirs)


def _is_part(own: Mapping[str, Token], other: Mapping[str, Token]) -> bool:
    """Whether a name of one memory is part of a handle or address of the other, or gives its initials."""
    names = [token for token in own.values() if token.is_name and token.script == "latin"]
    theirs = [token for token in other.values() if token.is_name and token.script == "latin"]
    if any(_inside(one.bare, two.bare) for one in names for two in theirs):
        return True
    return _initials(names, theirs) or _initials(theirs, names)


def _inside(one: str, two: str) -> bool:
    short, long = sorted((one, two), key=len)
    return len(short) > 3 and short != long and short in long


def _initials(short: Sequence[Token], long: Sequence[Token]) -> bool:
    letters = {a.bare[0] + b.bare[0] for a, b in itertools.pairwise(long) if b.place == a.place + 1}
    return any(token.bare in letters for token in short)


def _same_code(own: Sequence[Code], other: Sequence[Code]) -> bool:
    return any(len(code.whole) > 2 and stands(code, tuple(other)) == Match.SAME for code in own)


def _same_type(own: Sequence[Identifier], other: Sequence[Identifier]) -> bool:
    return any(one.is_same(two) for one in own for two in other)
