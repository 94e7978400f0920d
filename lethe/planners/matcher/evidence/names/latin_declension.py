"""Full names in Latin letters as Slavic, Baltic, Finnish, Hungarian and Germanic languages decline them."""

import functools
from collections.abc import Mapping, Sequence

from lethe.planners.matcher.evidence.text.lists import listed
from lethe.planners.matcher.evidence.text.words import fold

_CASES = {
    "": listed("a u e y owi ovi em iem om ie ui am"), "o": listed("a u owi ovi em om e"),
    "a": listed("y i ie e u ou om o os ai as ei es"), "e": listed("a u em es ei i"), "i": listed("iego iemu im ia iu"),
    "y": listed("eho emu ym ego"), "as": listed("o ui u"), "is": listed("io iui iu"), "us": listed("aus ui u"),
    "s": listed("a am u"), "ski": listed("skog skom skim"), "ek": listed("ka kowi kiem ku"), "ec": listed("ca cem cu"),
    "ova": listed("ove ovou"),
}  # fmt: skip
"""For each ending of a nominative, without accents, the endings of such a name in other cases."""
_AT_THE_END = {
    "": listed("s nak nek val vel hoz hez tol lle lla lta"), "nen": listed("sen selle sella selta sta"),
    "a": listed("anak at aval"), "e": listed("enek et evel"),
}  # fmt: skip
"""The same for languages that only decline the last word of a name."""


@functools.lru_cache(maxsize=16384)
def is_declined(name: tuple[str, ...], held: tuple[str, ...]) -> bool:
    """Whether the words of a memory, in any order, are those of a full name in another case.

    All of them must be declined, or only the last, by its language's endings: "Martina Kos" is not "Martin Kos".
    """
    if len(name) != len(held) or len(name) < 2:
        return False
    orders = {name, name[::-1]}
    return any(
        all(_is_case(one, other, _CASES) for one, other in zip(order, held, strict=True))
        or (
            all(fold(one) == fold(other) for one, other in zip(order[:-1], held[:-1], strict=True))
            and _is_case(order[-1], held[-1], _AT_THE_END)
        )
        for order in orders
    )


def _is_case(base: str, form: str, endings: Mapping[str, Sequence[str]]) -> bool:
    base, form = fold(base), fold(form)
    return any(
        base.endswith(ending) and len(stem := base.removesuffix(ending)) >= _LEAST and form[len(stem) :] in others
        for ending, others in endings.items()
        if form.startswith(base.removesuffix(ending))
    )


_LEAST = 3
"""Least number of letters of a name that no case changes."""
