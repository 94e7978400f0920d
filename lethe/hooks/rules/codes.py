"""Codes that have no type of their own (tickets, accounts, licence keys, versions): a request's code, found in rows.

A code is looked for as the request writes it, with any separators, capitals and leading zeros; it never matches where
the row's code goes on, on either side, nor where another kind of thing has the same number.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lethe.hooks.rules.identifiers import CONFUSABLE
from lethe.hooks.rules.lists import listed
from lethe.hooks.rules.words import FUNCTION_WORDS, fold, key

_CODE = re.compile(
    r"[@#][^\W_][\w.-]*(?<![.-])|(?<![\w])(?=[\w./:+·-]*(?:\d|_|\w/\w))[^\W_](?:(?:[\w./:+#·-]|,(?=\d{3}))*\w)?"
    r"|(?<![\w-])[A-Z]{1,3}-[A-Z]{2,5}(?![\w-])"
    r"|(?<!\w)[A-Z]+ ?& ?[A-Z]+(?!\w)"
    r"|(?<![\w])[a-z][a-z0-9]+(?:-[a-z0-9]+)+(?!\w)",
)
_GROUP = re.compile(
    r" (?!(?:GDPR|ASAP|AND|OR|THE|OF|IN|ON|FOR|TO|IT|IS|A|I|NOT|AS)\b)(?=[A-Z0-9]{1,8}(?![\w]))"
    r"(?=[A-Z]*\d|[A-Z]{1,5}(?!\w))"
    r"[A-Z0-9]+(?:[-./][A-Za-z0-9]+)*(?!\w)"
)
_BIC = re.compile(r"(?<!\w)[A-Z]{4}[ -]?[A-Z]{2}[ -]?(?!BIC)[A-Z0-9]{2}(?:[ -]?[A-Z0-9]{3})?(?!\w)")
_RUN = re.compile(r"\d+|[^\W\d_]+")
_GAP = r"(?: ?[-_/:·|#] ?| ?\.|[ ,+()\[\]]|\) )?"
"""What may stand between two characters of one code, by the writer's taste."""
_VERSION = re.compile(r"\d+\.\d+|(?:\d{4}|0|[1-9]\d?)(?:\.(?:0|[1-9]\d{0,2}))+")
_RELEASES = frozenset(listed("v ver version r rel release build"))
_LABELS = frozenset(
    listed(
        """IBAN ISBN ISSN VIN BIC SWIFT SSN EAN GTIN UPC MRN RN CAS VAT ID IMEI NHS PIN NO NR REF DOI UUID GUID MAC IP
    URL TAX ISIN LEI EORI PIN SKU SN KFZ DOB API KEY CVE RFC PNR"""
    )
) - {"CVE", "RFC"}
_STREET = {
    "street": "st", "str": "st", "strasse": "st", "straße": "st", "avenue": "ave", "road": "rd", "lane": "ln",
    "boulevard": "blvd", "drive": "dr", "court": "ct", "square": "sq", "place": "pl", "gate": "gt",
}  # fmt: skip
_LETTERED = re.compile(
    r"(?:^|[^\w'] ?)([a-z]{3,}) ([B-HJ-Z]|A(?=$|[.,;:!?]))"
    r"(?=$|[.,;:!?](?: |$)| (?:is|was|has|had|in|on|at|for|and|will)\b)"
)
_QUOTED = re.compile(r"(?<!\w)[\"']([^\"']*\d[^\"']*)[\"'](?!\w)")
_HANDLE_LABELS = frozenset(
    map(key, listed("user username handle account login nick nickname channel profile alias id user_id name screen"))
)
_HEX_WORDS = frozenset(listed("commit hash sha sha1 sha256 revision rev digest checksum changeset md5"))
_NUMBER_WORDS = frozenset(
    listed("number num no nr numbers id identifier code ref reference rn the of for with in ending end dated value")
)
_HEX = re.compile(r"(?<![^\W_])[0-9a-f]{7,64}(?![^\W_])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Code:
    """A code of a request.

    Attributes:
        surface: as written.
        prefix: its letters before the digits, where digits are all the rest ("INC" of "INC-0004417"); else empty.
        labels: the words before it that say what it numbers ("purchase", "order").
        is_ending: the request gives the last digits alone.
        is_bank_code: it is a BIC.
        is_handle: it is a word, which may be written with signs between any of its letters.
        after: the name that stands behind a house number.
    """

    surface: str
    prefix: str
    labels: tuple[str, ...]
    start: int
    end: int
    is_ending: bool = False
    is_bank_code: bool = False
    is_handle: bool = False
    after: str = ""

    @property
    def form(self) -> str:
        return "".join(_RUN.findall(fold(self.surface)))

    def is_in(self, row: str) -> bool:
        """Does the cleaned text `row` hold this code?"""
        row = row if row.isascii() else _plain_latin(row)
        row = re.sub(r"\b0x(?=[0-9a-f]{6})", "", _latin_look(row), flags=re.IGNORECASE)
        if self._is_hex() and any(_same_hash(self.form, found[0].lower()) for found in _HEX.finditer(row)):
            return True
        if self.is_ending:
            end = re.escape(self.form)
            pattern = (
                rf"(?<!\d)(?:\d[ -]?){{6,15}}{end}(?!\d|[ -]\d)|(?:ending|ends|last four|\*|•)\W*(?:in |"
                rf"with )?{end}(?!\d)"
            )
            return re.search(pattern, row, re.IGNORECASE) is not None
        for other in self._other_forms():
            if re.search(rf"(?<![^\W_]){other}(?![^\W_])(?!-[^\W_])", row, re.IGNORECASE):
                return True
        if self.prefix and replace(self, prefix="").is_in(row):
            return True
        return any(
            self._is_cut_alike(found) and self._has_own_start(found) and self._has_label(row, found)
            for found in re.finditer(self._pattern(), row, re.IGNORECASE)
        )

    def _is_cut_alike(self, found: "re.Match[str]") -> bool:
        """A short code that is cut at other places is another one ("12/345" and "123/45")."""
        body = fold(self.surface)[len(self.prefix) :]
        if len(self.form) >= 8 or "0" in (body.strip("@#-_./: ")[:1], found["core"][:1]):
            return True
        mine, theirs = _cuts(body), _cuts(fold(found["core"]))
        return mine <= theirs or theirs <= mine

    def _has_own_start(self, found: "re.Match[str]") -> bool:
        """What is glued to the code's beginning may only say what kind of number it is ("SN99AF" for "serial 99AF")."""
        glued = found.groupdict().get("glued")
        if not glued:
            return True
        lead = fold(glued.rstrip("-_.:@#"))
        if lead.upper() in _LABELS or lead in _NUMBER_WORDS:
            return True
        return _is_short_for(lead, [fold(label) for label in self.labels])

    def _other_forms(self) -> list[str]:
        """Patterns of other codes for the same thing: an ISBN's other length, a card's last digits."""
        form = self.form
        if re.fullmatch(r"\d{9}[\dx]|97[89]\d{10}", form):
            from stdnum import isbn

            if isbn.is_valid(form.upper()):
                other = (
                    isbn.to_isbn13(form.upper())
                    if len(form) == 10
                    else isbn.to_isbn10(form)
                    if form.startswith("978")
                    else ""
                )
                return [r"[-\s]?".join(other)] if other else []
        if re.fullmatch(r"\d{13,19}", form):
            return [rf"(?:ending|ends)(?: in| with)? {form[-4:]}", rf"(?:[*•x]{{2,}}[ -]?)+{form[-4:]}"]
        return []

    def _is_hex(self) -> bool:
        form = self.form
        hexadecimal = re.fullmatch(r"(?=.*\d)(?=.*[a-f])[0-9a-f]{7,64}", form) is not None
        return hexadecimal and (
            (len(form) >= 32 and not self.prefix) or bool(_HEX_WORDS & {label.lower() for label in self.labels})
        )

    def _pattern(self) -> str:
        """The code itself, without its prefix: characters with separators between them, and where it may not go on."""
        surface = fold(self.surface)
        sigil = surface[0] if surface[0] in "@#" else ""
        body = surface[len(self.prefix) :] if self.prefix else surface
        runs = list(_RUN.finditer(body))
        loose = len(self.form) >= 5
        if sum(run[0].isdigit() for run in runs) == len(runs):
            written = "".join(run[0] for run in runs)
            digits = written.lstrip("0") or "0"
            if not self.prefix and (("." in body and not loose) or (len(digits) < 7 and _VERSION.fullmatch(body))):
                core = re.escape(body.strip("-./:# "))
            else:
                is_long = len(runs) > 1 or (len(self.form) >= 5 and len(written) >= 4)
                inner = _GAP if is_long else "-?" if len(digits) == 4 else ""
                core = (rf"(?:0+{_GAP})*" if inner else "0*") + inner.join(digits)
            left = r"(?<!\d)(?<!\d[-./:,])" + (r"(?<!\d )" if " " in body.strip() else "")
            right = r"(?![^\W_])(?![-_./:+@][^\W_])" + (r"(?!\s\d)" if " " in body.strip() or len(runs) > 1 else "")
            if len(digits) >= 8:
                right += r"(?!\s\d{2})"
            return rf"{left}(?P<core>{core}){right}"
        if self.is_handle:
            pieces = ["[-_.]?".join(piece) for piece in map(fold, _pieces(self.surface))]
            return rf"(?<![^\W_])(?<![^\W_][-_.])(?<!_)@?(?P<core>{'[-_. ]?'.join(pieces)})(?![^\W_]|[-_.@]_?[^\W_]|_)"
        parts = []
        for run in runs:
            text = run[0].lstrip("0") if run[0].isdigit() and len(run[0].lstrip("0")) > 1 else run[0]
            joined = _GAP.join(map(re.escape, text)) if loose and re.search(r"\d", self.form) else re.escape(text)
            parts.append(("0*" if run[0].isdigit() and text[:1] != "0" else "") + joined)
        core = (r"(?: ?(?:&|and|\+) ?|[- ])?" if "&" in self.surface else _GAP).join(parts)
        right = r"(?![^\W_])(?![-_./:+@]_?[^\W_])(?!_)"
        if re.search(r"\s", self.surface):
            right += r"(?!\s\d)"
        if self.is_bank_code:
            core = _bank_code(self.form)
        is_word = not re.search(r"[\d_]", self.surface)
        sign = (re.escape(sigil) if is_word else f"{sigil}?") if sigil else ""
        glued = r"(?P<glued>[^\W\d_]+[-_.@])?" if not runs[0][0].isdigit() else r"(?P<glued>[^\W\d_]+[-_.@:#]?)?"
        return rf"(?<![^\W_])(?<![^\W_][-_.@])(?<!_){'' if sigil else glued}{sign}(?P<core>{core}){right}"

    def _has_label(self, row: str, found: "re.Match[str]") -> bool:
        """Does what stands before the number in the row agree with the request's prefix and labels?"""
        runs = _RUN.findall(self.surface)
        if not all(run.isdigit() for run in runs[1:] if self.prefix) or not (
            self.prefix or all(map(str.isdigit, runs))
        ):
            if self.after:
                return _same_street(row[found.end() :], self.after)
            if not self.prefix and len(self.form) <= 2 and self.labels:
                return self._agrees_short(row[: found.start()], row[found.end() :])
            return True
        before = row[: found.start()]
        if self.after and not _same_street(row[found.end() :], self.after):
            return False
        if self.after and not self.prefix:
            return True
        if self.prefix and re.search(rf"\d{re.escape(self.prefix)}[-_#:./ ]{{0,3}}$", before, re.IGNORECASE):
            return False
        attached = re.search(r"(?<![^\W\d_])([^\W\d_]{1,12})(?:[-_#:.]{0,2}|[-_#:.]? ?#?)$", before)
        prefix, glued = "", False
        if self.prefix and "/" in self.surface:
            attached = re.search(r"(?<![/\w])([^\W\d_]{1,12})/$", before) or attached
        if attached:
            glued = not before.endswith(" ") and not before.endswith(" #")
            code_like = (attached[1].isupper() and len(attached[1]) > 1) or fold(attached[1]) == fold(self.prefix)
            prefix = attached[1] if glued or code_like else ""
        if self.prefix and (other := re.search(r"(?<![^\W_])([^\W\d_]+) ?[-_#:./]? ?$", before)):
            letters = zip(fold(other[1]), fold(self.prefix), strict=False)
            if len(other[1]) == len(self.prefix) and sum(one != two for one, two in letters) == 1:
                return False
        wanted = [label for label in self.labels if fold(label) not in _NUMBER_WORDS]
        digits = "".join(run for run in runs if run.isdigit())
        initials = "".join(fold(label)[0] for label in self.labels)
        if len(prefix) > 2 and not self.prefix and fold(prefix)[1:] == initials[-len(prefix) + 1 :]:
            return True
        if prefix and fold(prefix) not in _NUMBER_WORDS:
            names = [self.prefix] if self.prefix else wanted
            if not names:
                return len(digits) >= 4 or ("." in self.surface and fold(prefix) in _RELEASES)
            if not glued and len(digits) >= 8:
                return True
            if any(_is_short_for(fold(prefix), [fold(name)]) for name in names):
                return True
            return not self.prefix and _is_short_for(fold(prefix), [fold(label) for label in wanted])
        if not self.prefix and not wanted:
            return True
        if len(digits) >= 3 and re.search(r"(?:^|[^\w\s] ?)#$", before):
            return True
        return len(digits) >= 5 or len(runs) > 2 or self._agrees_short(before, row[found.end() :])

    def _agrees_short(self, before: str, after: str) -> bool:
        """A short number says too little by itself: a word close before it or right behind must say what it numbers."""
        wanted = [fold(label) for label in self.labels if fold(label) not in _NUMBER_WORDS]
        last = [fold(word) for word in re.findall(r"[^\W\d_]+", before)[-5:]]
        if self.prefix:
            return any(_is_short_for(fold(self.prefix), [word]) for word in last)
        if not wanted:
            return True
        if not re.search(r"\d", self.form):
            return last[-1:] == wanted[-1:]
        behind = re.match(r" ([^\W\d_]+)(?! \d)", after)
        if behind and fold(behind[1]) == wanted[-1]:
            return True
        return any(
            key(word) == key(label) or _is_short_for(word, wanted) or _is_longer(word, label)
            for word in last[-4:]
            for label in wanted
        )


def _pieces(handle: str) -> list[str]:
    """The words of a handle that is written with capitals or signs between them."""
    return re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W_]", handle)


def handle_in(topic: str, rest: Sequence[str]) -> Code | None:
    """The one word that a topic consists of, beside what kind of thing it names, if it may be a handle."""
    said = [word for word in re.findall(r"[^\W_]+(?:[-_.][^\W_]+)*", topic) if key(word) in rest]
    said = [word for word in said if key(word) not in _HANDLE_LABELS]
    if len(said) != 1:
        return None
    word = said[0]
    is_odd = len(_pieces(word)) > 1 or word.islower()
    return Code(word, "", (), 0, 0, is_handle=True) if len(word) > 4 and word.isalpha() and is_odd else None


def is_respelled(code: Code, row: str) -> bool:
    """Does a row write the handle with signs or capitals within?"""
    found = re.search(code._pattern(), row, re.IGNORECASE)
    return found is not None and (len(_pieces(found["core"])) > 1 or "@" in found[0])


def _cuts(text: str) -> set[int]:
    """How many letters and digits stand before each separator of a code."""
    runs = _RUN.finditer(text.strip("@#-_./: "))
    text = text.strip("@#-_./: ")
    return {len(re.sub(r"[\W_]", "", text[: run.start()])) for run in runs if re.search(r"[\W_]$", text[: run.start()])}


def _same_street(rest: str, after: str) -> bool:
    """Does the text behind a number begin with the same name, whatever the word for street is?"""
    found, wanted = ([fold(word) for word in re.findall(r"[^\W\d_]+", text)] for text in (rest[:60], after))
    return bool(found) and [_STREET.get(word, word) for word in found[: len(wanted)]] == [
        _STREET.get(word, word) for word in wanted
    ]


def _is_longer(one: str, other: str) -> bool:
    """Is one word the other with its ending written out ("Lindenstr." and "Lindenstraße")?"""
    short, long = sorted((one, other), key=len)
    return len(short) >= 5 and long.startswith(short)


def _bank_code(form: str) -> str:
    """A BIC; a head office's XXX may be missing."""
    if len(form) == 11 and not form.endswith("xxx"):
        return r"\s?".join(form)
    return r"\s?".join(form[:8]) + r"(?:\s?x\s?x\s?x|(?!\s?[a-z0-9]{3}(?![^\W_])))"


def _is_short_for(short: str, names: Sequence[str]) -> bool:
    """Is `short` one of the names, their initials, or an abbreviation of one, as "inc" of "incident"?"""
    if not short or not names:
        return False
    joined = "".join(name[0] for name in names)
    if short == joined or (len(short) > 1 and joined.endswith(short)):
        return True
    return any(_abbreviates(short, name) or _abbreviates(name, short) or key(short) == key(name) for name in names)


def _abbreviates(short: str, name: str) -> bool:
    if not short or not name or short[0] != name[0] or len(short) < 2:
        return False
    if name.startswith(short) and len(name) - len(short) < 3 and len(short) > 3:
        return False
    letters = iter(name.replace("action", "xaction"))
    return all(letter in letters for letter in short)


def _same_hash(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _plain_latin(text: str) -> str:
    """The text with the diacritics of Latin letters dropped."""
    parts = unicodedata.normalize("NFD", text)
    return re.sub("(?<=[A-Za-z])[\u0300-\u036f]+", "", parts)


def _latin_look(text: str) -> str:
    """Words that mix Latin with Cyrillic or Greek letters of the same look, in Latin letters."""
    if text.isascii() or not re.search("[\u0370-\u04ff]", text):
        return text
    return re.sub(
        r"\S+", lambda word: word[0].translate(CONFUSABLE) if re.search("[A-Za-z0-9]", word[0]) else word[0], text
    )


def find_codes(text: str, taken: Sequence[tuple[int, int]] = ()) -> list[Code]:
    """The codes of a cleaned request, outside of the spans that are `taken` by typed identifiers."""
    codes = []
    if re.search(r"\b(?:bic|swift)\b", text, re.IGNORECASE) or _BIC.fullmatch(text):
        codes = [Code(found[0], "", (), *found.span(), is_bank_code=True) for found in _BIC.finditer(text)]
        taken = [*taken, *((code.start, code.end) for code in codes)]
    for quoted in _QUOTED.finditer(text):
        if any(quoted.start() < stop and quoted.end() > begin for begin, stop in taken):
            continue
        codes.append(Code(quoted[1], "", (), *quoted.span(1)))
        taken = [*taken, quoted.span()]
    if lettered := _LETTERED.search(text):
        codes.append(_code(lettered[2], "", text, *lettered.span(2)))
    position = 0
    while found := _CODE.search(text, position):
        start, end = found.span()
        position = end
        while group := _GROUP.match(text, end):
            end = group.end()
        if any(start < stop and end > begin for begin, stop in taken):
            continue
        if text[end : end + 1] == "=" and not re.search(r"\d", found[0]):
            continue
        if bracketed := re.match(r" ?\((?:\d{1,2}|[a-z]|[ivx]{1,4})\)", text[end:]):
            end += bracketed.end()
        lead = re.search(r"(?<![\w-])((?:[A-Z]{1,4}(?:\.? |-)){1,3})$", text[:start])
        if lead and text[start].isdigit() and not set(re.findall("[A-Z]+", lead[1])) & _LABELS:
            start -= len(lead[1])
        position = end
        surface = text[start:end].rstrip(".:/- ")
        surface = re.sub(r"^0[xX](?=[0-9a-fA-F]{6})|^#(?=[A-Za-z]{0,4}-?\d)|^[vV](?=\d+\.\d)", "", surface)
        if (
            re.fullmatch(r"\d{1,2}(?:st|nd|rd|th)|\d{1,2}:\d\d|[a-z]+/[a-z]+", surface)
            and not re.search(r"[-_]", surface)
            and not re.fullmatch(r"[a-z]+/[a-z]+", surface)
        ):
            continue
        runs = _RUN.findall(surface)
        if surface[0] in "@#" and not runs:
            continue
        surface = re.sub(r"^[A-Za-z]+[-\d]*:(?=[0-9A-Fa-f]{32,}$)", "", surface)
        surface = re.sub(r"^(?:no|nr|num|ref|id)\.?[-:#_]?(?=\d)", "", surface, flags=re.IGNORECASE) or surface
        lettered = re.match(r"[^\W\d_]+(?=[-\s._/:#]*\d)", surface)
        digits_only = bool(lettered) and all(run.isdigit() for run in runs[1:])
        prefix = lettered[0] if lettered and digits_only else ""
        codes.append(_code(surface, prefix, text, start, end))
    return codes


def _code(surface: str, prefix: str, text: str, start: int, end: int) -> Code:
    before = re.findall(r"[^\W\d_]+", re.split(r"[;:,()]\s|\.\s(?=[A-Z])|\d\W", text[:start])[-1])[-4:]
    noun = re.match(r" ([a-z]{3,})(?!\w)", text[end:])
    if noun and surface.isdigit() and not set(map(fold, before)) - _NUMBER_WORDS and noun[1] not in FUNCTION_WORDS:
        before.append(noun[1])
    ending = bool(re.search(r"\b(?:ending|ends|last four(?: digits)?)(?: in| with)?:? ?$", text[:start], re.IGNORECASE))
    after = re.match(r" ((?:[A-Z][^\W\d_]+[ -]?)+)", text[end:]) if re.fullmatch(r"\d{1,4}[A-Za-z]?", surface) else None
    return Code(
        surface, prefix, tuple(before), start, end, ending and surface.isdigit(), after=after[1] if after else ""
    )
