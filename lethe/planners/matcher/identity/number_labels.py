"""What kind of thing a number numbers: whether the words around it in a memory fit the request's ("ticket 4411")."""

import re
from collections.abc import Sequence

from lethe.planners.matcher.text.lists import listed
from lethe.planners.matcher.text.syntax import VERBS
from lethe.planners.matcher.text.words import FUNCTION_WORDS, fold, key

ACRONYMS = frozenset(
    listed(
        """IBAN ISBN ISSN VIN BIC SWIFT SSN EAN GTIN UPC MRN RN CAS VAT ID IMEI NHS PIN NO NR REF DOI UUID GUID MAC IP
    URL TAX ISIN LEI EORI PIN SKU SN KFZ DOB API KEY PNR"""
    )
)
"""Words in capitals that say what a number is, and are no part of it."""
NUMBER_WORDS = frozenset(
    listed("number num no nr numbers id identifier code ref reference rn the of for with in ending end dated value")
)
"""Words that stand before any number, and do not say what it numbers."""
_RELEASES = frozenset(listed("v ver version r rel release build"))
_STREET = {
    "street": "st", "str": "st", "strasse": "st", "straße": "st", "avenue": "ave", "road": "rd", "lane": "ln",
    "saint": "st", "boulevard": "blvd", "drive": "dr", "court": "ct", "square": "sq", "place": "pl", "gate": "gt",
}  # fmt: skip
_KINDS = (
    "flat apartment apt unit suite wohnung appartement piso",
    "ticket case incident issue bug request tkt fall",
    "room chamber zimmer salle stanza raum chambre habitación sala",
    "invoice bill rechnung facture factura fattura",
    "account acct konto compte cuenta conto",
    "order purchase commande bestellung pedido ordine",
    "file dossier akte record folder case",
    "extension ext x durchwahl",
    "table tisch mesa tavolo",
    "contract vertrag contrat contrato agreement",
    "parcel package consignment shipment delivery paket",
    "version release firmware build revision update tag v ver rel r",
    "phone telephone tel mobile cell handset",
    "plate registration licence license reg",
    "desk workstation",
    "container crate box",
    "berth slip mooring",
    "badge pass card",
    "locker cabinet cupboard",
    "ward station",
    "article item product sku",
    "lot item",
    "batch lot charge",
    "booking reservation",
    "policy contract",
    "student pupil",
    "employee staff worker",
    "house building block",
    "platform track",
    "seat place platz sitz",
    "stand stall booth pitch",
    "customer client kunde cliente",
    "member membership mitglied membre socio",
    "bus coach",
    "bus tram line route",
    "vehicle car van",
    "street road",
    "machine device unit",
)
_SAME_KIND = {
    word: frozenset(group for group, kinds in enumerate(_KINDS) if word in map(key, listed(kinds)))
    for word in {key(word) for kinds in _KINDS for word in listed(kinds)}
}
"""For each word, the groups of words for one kind of numbered thing that it is in."""
_UNIT = re.compile(
    r" ?(?:[%°$€£]|[a-z]{1,2}\b|(?:million|billion|hour|day|week|month|year|litre|liter|metre|meter|mile|percent|time|"
    r"point|star)s?\b)"
)
_IN_LIST = re.compile(r"(?:\d+[a-z]?(?:,| and| or| &| to| und| et|,? nor) ?)+$", re.IGNORECASE)


def is_same_street(rest: str, after: str) -> bool:
    """Whether the text after a number begins with the same name, whatever the word for street is."""
    found, wanted = (
        [fold(word) for word in re.findall(r"[^\W\d_]+", text.replace("'", ""))] for text in (rest[:60], after)
    )
    return bool(found) and [_STREET.get(word, word) for word in found[: len(wanted)]] == [
        _STREET.get(word, word) for word in wanted
    ]


def is_number_meant(digits: str, parts: int, prefix: str, labels: Sequence[str], before: str, after: str) -> bool:
    """Whether the text around a number in a memory fits the request's prefix and labels.

    Args:
        digits: the request's digits.
        parts: how many runs of digits and letters its code has.
        prefix: its letters before the digits.
        labels: the words before it.
        before, after: the memory's text around the number.
    """
    digits = digits.lstrip("0")
    if prefix and re.search(rf"\d{re.escape(prefix)}[-_#:./ ]{{0,3}}$", before, re.IGNORECASE):
        return False
    if prefix and (other := re.search(r"(?<![^\W_])([^\W\d_]+) ?[-_#:./]? ?$", before)):
        letters = zip(fold(other[1]), fold(prefix), strict=False)
        if len(other[1]) == len(prefix) and sum(one != two for one, two in letters) == 1:
            return False
    wanted = [label for label in labels if fold(label) not in NUMBER_WORDS]
    held, is_glued = _prefix_in(before, prefix)
    if len(held) > 2 and not prefix and fold(held)[1:] == "".join(fold(label)[0] for label in labels)[-len(held) + 1 :]:
        return True
    if held and fold(held) not in NUMBER_WORDS:
        names = [prefix] if prefix else wanted
        if parts > 1 and fold(held) in _RELEASES:
            return True
        if not names:
            return len(digits) >= 4
        if not is_glued and len(digits) >= 8:
            return True
        if is_short_for(fold(held), [fold(label) for label in wanted]):
            return True
        if held.isupper() and prefix.isupper() and max(len(held), len(prefix)) < 5:
            return held == prefix
        return any(is_short_for(fold(held), [fold(name)]) or _is_same_kind(held, name) for name in names)
    if not prefix and not wanted:
        return True
    if len(digits) >= 5 or parts > 2 or is_short_number_meant(digits, prefix, labels, before, after):
        return True
    if parts > 1 and not prefix and not before.strip() and not _UNIT.match(after):
        return True
    return (len(digits) >= 3 or parts > 1) and is_bare(before, after, is_long=len(digits) >= 4)


def is_other_kind(labels: Sequence[str], before: str, after: str, *, is_long: bool) -> bool:
    """Whether the noun right before a number says that it numbers another kind of thing than the request's labels."""
    wanted = [fold(label) for label in labels if fold(label) not in NUMBER_WORDS]
    last = re.search(r"([^\W\d_]{3,})\.? (?:(?:no|nr)\.? |#)?$", before)
    if not wanted or last is None or not last[1].isascii() or _is_plain(last[1]) or (is_long and _is_name(last)):
        return False
    if fold(last[1]) in NUMBER_WORDS or last[1].isupper() or ("#" in last[0] and key(last[1]) not in _SAME_KIND):
        return False
    return not is_short_number_meant("0", "", labels, before, after)


def is_bare(before: str, after: str, *, is_long: bool = False) -> bool:
    """Whether a number stands without anything that says what it numbers or counts ("uploaded to 4411 by mistake").

    A long one may follow a name ("told Ana 4411").
    """
    last, behind = re.search(r"([^\W\d_]+)[ #]*$", before), re.match(r" ?([^\W\d_]+)|( ?[%$€£°])", after)
    if behind and (behind[2] or not _is_plain(behind[1])):
        return False
    return (
        last is None
        or (is_long and _is_name(last))
        or _is_plain(last[1])
        or fold(last[1]) in NUMBER_WORDS
        or not last[1].isascii()
    )


def _is_name(last: "re.Match[str]") -> bool:
    """Whether the word before a number may be a name, by a capital within a memory."""
    return last[1].istitle() and last.start(1) > 0


def _is_plain(word: str) -> bool:
    """Whether a word is a function word or a verb, which does not name a kind of thing."""
    lowered = word.lower()
    return (
        not word.isascii()
        or lowered in FUNCTION_WORDS
        or lowered in VERBS
        or f"{lowered}s" in VERBS
        or (len(lowered) > 4 and lowered.endswith(("ed", "ing")))
    )


def _prefix_in(before: str, prefix: str) -> tuple[str, bool]:
    """The letters that a memory has before a number as part of its code, and whether nothing separates them."""
    attached = re.search(r"(?<![^\W\d_])([^\W\d_]{1,12})(?:[-_#:.]{0,2}|[-_#:.]? ?#?)$", before)
    if not attached:
        return "", False
    is_glued = not before.endswith((" ", " #"))
    is_code_like = (attached[1].isupper() and len(attached[1]) > 1) or fold(attached[1]) == fold(prefix)
    return (attached[1] if is_glued or is_code_like else ""), is_glued


def is_short_number_meant(digits: str, prefix: str, labels: Sequence[str], before: str, after: str) -> bool:
    """Whether a word close before a number or right after it says that it numbers what the request means.

    A short number says too little by itself. Arguments as for `is_number_meant`.
    """
    wanted = [fold(label) for label in labels if fold(label) not in NUMBER_WORDS]
    before = _IN_LIST.sub("", before)
    last = [fold(word) for word in re.findall(r"[^\W\d_]+", re.split(r"(?:[;!?]|(?<=[a-z]{4})\.)\s", before)[-1])[-5:]]
    if prefix:
        initials = "".join(word[0] for word in last[-len(prefix) :])
        near = last if len(prefix) > 1 else last[-1:]
        return initials == fold(prefix) or any(is_short_for(fold(prefix), [word]) for word in near)
    if not wanted:
        return True
    if not digits:
        return last[-1:] == wanted[-1:] or (bool(last) and last[-1] in FUNCTION_WORDS and not after.startswith("'"))
    behind = re.match(r" ([^\W\d_]+)(?! \d)", after)
    is_count = (digits == "1" or re.match(r" [a-z]+ [a-z]+s\b", after)) and not re.search(
        r"(?:\b(?:the|no|nr|number|line)\.?|#) ?$", before, re.IGNORECASE
    )
    if behind and fold(behind[1]) in wanted[-2:] and not is_count:
        return True
    held = [word for word in re.findall(r"[^\W\d_]+(?!\d)", before)[-5:] if fold(word) not in NUMBER_WORDS][-3:]
    last = [fold(word) for word in held]
    if behind and behind[1].endswith("s") and not (last and _names(last[-1], wanted)):
        return False
    if len(labels) > 1 and labels[-2].isupper() and len(labels[-2]) > 1 and labels[-2] not in ACRONYMS:
        return _has_acronym(labels[-2].lower(), wanted[-1], last)
    return any(_names(word, wanted) for word in last)


def _has_acronym(acronym: str, noun: str, last: Sequence[str]) -> bool:
    """Whether the words before a number say "PO box" in one of its forms: "POB", "post office box"."""
    if last[-1:] == [acronym + noun[0]]:
        return True
    before = last[:-1]
    initials = "".join(word[0] for word in before[-len(acronym) :])
    return bool(last) and _names(last[-1], [noun]) and (before[-1:] == [acronym] or initials == acronym)


def _names(word: str, wanted: Sequence[str]) -> bool:
    """Whether a memory's word says what kind of thing is wanted."""
    return any(
        key(word) == key(label) or is_short_for(word, wanted) or _is_longer(word, label) or _is_same_kind(word, label)
        for label in wanted
    )


def _is_same_kind(one: str, other: str) -> bool:
    """Whether two words stand for one kind of numbered thing."""
    return bool(_SAME_KIND.get(key(one), frozenset()) & _SAME_KIND.get(key(other), frozenset()))


def _is_longer(one: str, other: str) -> bool:
    """Whether one word is the other with its ending written out ("Lindenstr." and "Lindenstraße")."""
    short, long = sorted((one, other), key=len)
    return len(short) >= 5 and long.startswith(short)


def is_short_for(short: str, names: Sequence[str]) -> bool:
    """Whether `short` is one of the names, their initials, or an abbreviation of one, as "inc" of "incident"."""
    if not short or not names:
        return False
    joined = "".join(name[0] for name in names)
    if short in (joined, f"{joined}n") or (len(short) > 1 and joined.endswith(short)):
        return True
    return any(_abbreviates(short, name) or _abbreviates(name, short) or key(short) == key(name) for name in names)


def _abbreviates(short: str, name: str) -> bool:
    if not short or not name or short[0] != name[0] or len(short) < 2:
        return False
    if name.startswith(short) and len(name) - len(short) < 3 and len(short) > 3:
        return False
    letters = iter(name.replace("action", "xaction"))
    return all(letter in letters for letter in short)
