"""A code of a request that has no type of its own (ticket, account, licence key, version), and how memories hold it.

A code is looked for as the request writes it, with any separators, capitals and leading zeros. It never matches where
the memory's code continues on either side, nor where another kind of thing has the same number.
"""

import re
from dataclasses import dataclass, replace

from lethe.planners.matcher.identity.addresses import CONFUSABLE, TOP_LEVEL
from lethe.planners.matcher.identity.number_labels import (
    ACRONYMS,
    NUMBER_WORDS,
    is_bare,
    is_number_meant,
    is_other_kind,
    is_same_street,
    is_short_for,
    is_short_number_meant,
)
from lethe.planners.matcher.text.lists import listed
from lethe.planners.matcher.text.words import fold

RUN = re.compile(r"\d+|[^\W\d_]+")
_SIGNS = re.compile(r"[\W_]")
_GAP = r"(?: ?[-_/:·|#] ?| ?\.|[ ,+()\[\]]|\) | \(|[)\]][-_./]|[-_./][(\[])?"
"""Separators that a writer may put between two characters of one code."""
_VERSION = re.compile(r"\d+\.\d+|(?:\d{4}|0|[1-9]\d?)(?:\.(?:0|[1-9]\d{0,2}))+")
_HEX_WORDS = frozenset(listed("commit hash sha sha1 sha256 revision rev digest checksum changeset md5"))
_DOMAIN = rf"(?:[\w-]+\.)*(?:{'|'.join(sorted(TOP_LEVEL))})(?![\w-])"
_HEX = re.compile(r"(?<![^\W_])[0-9a-f]{7,64}(?![^\W_])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Code:
    """A code of a request.

    Attributes:
        surface: as written.
        prefix: its letters before the digits, where digits are all the rest ("INC" of "INC-0004417"); else empty.
        labels: the words before it that say what it numbers ("purchase", "order").
        is_ending: the request gives only the last digits.
        is_bank_code: it is a BIC.
        is_handle: it is a word, which may be written with signs between any of its letters.
        after: the name after a house number.
        is_exact: signs are part of it ("C++", "A-").
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
    is_exact: bool = False

    @property
    def form(self) -> str:
        return "".join(RUN.findall(fold(self.surface)))

    def is_in(self, memory: str) -> bool:
        """Whether the cleaned text `memory` holds this code."""
        memory = memory if memory.isascii() else _plain_latin(memory)
        memory = re.sub(r"\b0x(?=[0-9a-f]{6,}(?!\w))", "", _latin_look(memory), flags=re.IGNORECASE)
        if self.is_exact:
            return re.search(rf"(?<![^\W_]){re.escape(self.surface)}(?![\w+#])", memory) is not None
        if self._is_hex() and any(_same_hash(self.form, found[0].lower()) for found in _HEX.finditer(memory)):
            return True
        if self.is_ending:
            end = re.escape(self.form)
            pattern = (
                rf"(?<!\d)(?:\d[ -]?){{6,15}}{end}(?!\d|[ -]\d)|(?:ending|ends|last four|\*|•|x{{2,}})\W*(?:in |"
                rf"with )?{end}(?!\d)"
            )
            return re.search(pattern, memory, re.IGNORECASE) is not None
        for other in self._other_forms():
            if re.search(rf"(?<![^\W_]){other}(?![^\W_])(?!-[^\W_])", memory, re.IGNORECASE):
                return True
        if not self._may_be_in(memory):
            return False
        is_whole = any(
            self._is_cut_alike(found) and self._has_own_start(found) and self._has_label(memory, found)
            for found in re.finditer(self._pattern(), memory, re.IGNORECASE)
        )
        if is_whole or (self.prefix and replace(self, prefix="").is_in(memory)):
            return True
        return self._parts is not None and re.search(self._parts, memory, re.IGNORECASE) is not None

    def _may_be_in(self, memory: str) -> bool:
        """Whether a memory has the longest run of letters or digits of the code, with any separators in between."""
        if self.is_bank_code or not memory.isascii():
            return True
        runs = [run.lstrip("0") for run in RUN.findall(fold(_latin_look(self.surface))[len(self.prefix) :])]
        return max(runs, key=len, default="") in _SIGNS.sub("", memory).lower()

    def rewritten_in(self, memory: str) -> str:
        """The text of a memory that holds the code, with the code as the request writes it."""
        pattern = rf"(?:(?<![^\W_]){re.escape(self.prefix)}[-_#. ]{{0,2}})?(?:{self._pattern()})"
        return re.sub(pattern, lambda found: self.surface, memory, flags=re.IGNORECASE)

    def place_in(self, memory: str) -> int:
        """Where the code first stands in a memory as it is written, or -1."""
        found = re.search(self._pattern(), memory, re.IGNORECASE)
        return found.start() if found else -1

    def is_other_kind_in(self, memory: str) -> bool:
        """Whether a memory that holds this number says that it numbers another kind of thing."""
        if not (self.surface.isdigit() or len(self.form) <= 3) or not self.labels or self.after:
            return False
        found = list(re.finditer(rf"(?<![^\W_]){self.prefix}[-_ ]?(?:{self._pattern()})", memory, re.IGNORECASE))
        is_long = len(self.form) >= 4
        return bool(found) and all(
            is_other_kind(self.labels, memory[: one.start()], memory[one.end() :], is_long=is_long) for one in found
        )

    def is_labelled_in(self, memory: str) -> bool:
        """Whether a memory says of this number what the request says that it numbers."""
        return any(
            is_short_number_meant(self.form, self.prefix, self.labels, memory[: one.start()], memory[one.end() :])
            for one in re.finditer(self._pattern(), memory, re.IGNORECASE)
        )

    @property
    def _parts(self) -> str | None:
        """Pattern of the code taken apart, every part with its own label: "shelf B, row 3, bin 7" for B-03-07."""
        runs = [run.lstrip("0") or "0" for run in RUN.findall(self.surface)]
        if not 2 <= len(runs) <= 4 or len(self.form) > 9 or self.is_handle:
            return None
        parts = [rf"[^\W\d_]{{3,}}\.? (?:no\.? |#)?0*{re.escape(run)}(?![^\W_])" for run in runs]
        between = r",? (?:(?:and|in|of|on|at|the|on the|in the|of the) )?"
        taken_apart = [between.join(parts), between.join(reversed(parts))]
        if len(runs) == 4 and runs[0].isalpha() and runs[1].isdigit() and runs[2].isalpha():
            labelled = [rf"{runs[at]}[^\W\d_]*\.? 0*{runs[at + 1]}(?![^\W_])" for at in (0, 2)]
            taken_apart.append(between.join(labelled))
        return rf"(?<![^\W_])(?:{'|'.join(taken_apart)})"

    def _is_cut_alike(self, found: "re.Match[str]") -> bool:
        """Whether a short code is cut at compatible places; "12/345" and "123/45" are two codes."""
        body = fold(self.surface)[len(self.prefix) :]
        if len(self.form) >= 8 or "0" in (body.strip("@#-_./: ")[:1], found["core"][:1]):
            return True
        mine, theirs = _cuts(body), _cuts(fold(found["core"]))
        signs = re.sub(r"[\W_]", "", body)
        inner = {at for at in mine ^ theirs if signs[at - 1 : at + 1].isdigit()}
        goes_on = bool(self.prefix) and re.search(rf"{self.prefix}[-_./ ]$", found.string[: found.start()], re.I)
        if inner and not self.form.isdigit() and ((mine and theirs) or goes_on):
            return False
        if (
            len(self.form) < 4
            and self.form.isdigit()
            and mine
            and not theirs
            and len(mine) < max(2, len(self.form) - 1)
        ):
            return False
        return mine <= theirs or theirs <= mine

    def _has_own_start(self, found: "re.Match[str]") -> bool:
        """Whether what is glued to the code's start only says what kind of number it is.

        Such is "SN99AF" for "serial 99AF".
        """
        glued = found.groupdict().get("glued")
        if not glued:
            return True
        lead = fold(glued.rstrip("-_.:@#"))
        if lead.upper() in ACRONYMS or lead in NUMBER_WORDS:
            return True
        return is_short_for(lead, [fold(label) for label in self.labels])

    def _other_forms(self) -> list[str]:
        """Patterns of other codes for the same thing: an ISBN's other length, a card's last digits, zeros in groups."""
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
        groups = RUN.findall(self.surface)
        if 2 <= len(groups) <= 3 and form.isdigit() and len(form) >= 5 and "." not in self.surface:
            return [r" ?[-/_:] ?".join(f"0*{group.lstrip('0') or '0'}" for group in groups)]
        return []

    def _is_hex(self) -> bool:
        form = self.form
        hexadecimal = re.fullmatch(r"(?=.*\d)(?=.*[a-f])[0-9a-f]{7,64}", form) is not None
        return hexadecimal and (
            (len(form) >= 32 and not self.prefix) or bool(_HEX_WORDS & {label.lower() for label in self.labels})
        )

    def _pattern(self) -> str:
        """Pattern of the code without its prefix: its characters with separators, and where it may not continue."""
        surface = fold(_latin_look(self.surface))
        sigil = surface[0] if surface[0] in "@#" else ""
        body = surface[len(self.prefix) :] if self.prefix else surface
        runs = list(RUN.finditer(body))
        loose = len(self.form) >= 5
        if sum(run[0].isdigit() for run in runs) == len(runs):
            written = "".join(run[0] for run in runs)
            digits = written.lstrip("0") or "0"
            if not self.prefix and (("." in body and not loose) or (len(digits) < 7 and _VERSION.fullmatch(body))):
                core = re.sub(r"(?<=\d\.\d)(?:\.0)+$|(?<=\d\d)(?<=\.\d\d)(?:\.0)+$", "", body.strip("-./:# "))
                core = re.escape(core).replace(r"\.", "[.,]" if core.count(".") == 1 else r"\.") + (
                    r"(?:\.0)*" if re.fullmatch(r"\d+(?:\.\d+)+", core) else ""
                )
            else:
                is_long = len(runs) > 1 or (len(self.form) >= 5 and len(written) >= 4)
                inner = _GAP if is_long else "-?" if len(digits) == 4 else ""
                joined = inner.join(digits)
                if len(digits) == 4 and not is_long:
                    joined = "[ -]?".join((inner.join(digits[:2]), inner.join(digits[2:])))
                core = (rf"(?:0+{_GAP})*" if inner else "0*") + joined
            left = r"(?<!\d)(?<!\d[-./:,])" + (r"(?<!\d )" if " " in body.strip() else "")
            right = r"(?![^\W_])(?![-_./:+@][^\W_])" + (r"(?!\s\d)" if " " in body.strip() or len(runs) > 1 else "")
            if len(digits) >= 8:
                right += r"(?!\s\d{2})"
            return rf"{left}(?P<core>{core}){right}"
        if self.is_handle or (sigil and surface[1:].isalpha()):
            pieces = ["[-_.]?".join(piece) for piece in map(fold, handle_words(self.surface))]
            between = "[-_. ]?" if self.is_handle else "[-_.]?"
            at = sigil if sigil and len(pieces) == 1 else f"{sigil or '@'}?"
            left = r"(?<![^\W_])(?<![^\W_][-_.])(?<!_)"
            return rf"{left}{at}(?P<core>{between.join(pieces)})(?![^\W_]|[-_.@]_?[^\W_]|_)"
        parts = []
        for run in runs:
            text = (run[0].lstrip("0") or run[0]) if run[0].isdigit() else run[0]
            joined = _GAP.join(map(re.escape, text)) if loose and re.search(r"\d", self.form) else re.escape(text)
            parts.append(("0*" if run[0].isdigit() and text[:1] != "0" else "") + joined)
        core = (r"(?: ?(?:&|and|\+) ?|[- ])?" if "&" in self.surface else _GAP).join(parts)
        right = r"(?![^\W_])(?![-_/:+@]_?[^\W_])(?!_)(?![+#])"
        is_host = re.search(r"[^\W\d_]", self.form) is not None and len(self.form) > 2 and not self.is_bank_code
        right += rf"(?!\.(?!{_DOMAIN}|git(?!\w))_?[^\W_])" if is_host else r"(?!\._?[^\W_])"
        if re.search(r"\s", self.surface):
            right += r"(?!\s\d)"
        if self.is_bank_code:
            core = _bank_code(self.form)
        is_word = not re.search(r"[\d_]", self.surface)
        sign = (re.escape(sigil) if is_word else f"{sigil}?") if sigil else ""
        glued = r"(?P<glued>[^\W\d_]+[-_.@])?" if not runs[0][0].isdigit() else r"(?P<glued>[^\W\d_]+[-_.@:#]?)?"
        return rf"(?<![^\W_])(?<![^\W_][-_.@])(?<!_){'' if sigil else glued}{sign}(?P<core>{core}){right}"

    def _has_label(self, memory: str, found: "re.Match[str]") -> bool:
        """Whether the text around the number in the memory fits the request's prefix and labels."""
        before, after = memory[: found.start()], memory[found.end() :]
        named = [label for label in self.labels[-2:] if label[:1].isupper()]
        other = re.search(r"([A-Z][^\W\d_]+) ([A-Z][^\W\d_]+)\.? $", before)
        if len(named) == 2 and other and fold(other[2]) == fold(named[1]) and fold(other[1]) != fold(named[0]):
            return False
        if self.after and not is_same_street(after, self.after):
            return is_same_street(" ".join(re.findall(r"[^\W\d_]+", before)[-len(self.after.split()) :]), self.after)
        runs = RUN.findall(self.surface)
        digits = "".join(run for run in runs if run.isdigit())
        is_number = all(run.isdigit() for run in (runs[1:] if self.prefix else runs))
        if not is_number:
            is_short = not self.prefix and not self.after and len(self.form) <= 2
            is_headword = bool(digits) and ((not before.strip() and after.startswith(":")) or is_bare(before, after))
            return not is_short or is_headword or is_short_number_meant(digits, self.prefix, self.labels, before, after)
        if self.after and not self.prefix:
            return True
        return is_number_meant(digits, len(runs), self.prefix, self.labels, before, after)


def handle_words(handle: str) -> list[str]:
    """The words of a handle that has capitals or signs between them."""
    return re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W_]", handle)


def is_respelled(code: Code, memory: str) -> bool:
    """Whether a memory writes the handle with signs or capitals in it."""
    found = re.search(code._pattern(), memory, re.IGNORECASE)
    return found is not None and (len(handle_words(found["core"])) > 1 or "@" in found[0])


def _cuts(text: str) -> set[int]:
    """How many letters and digits stand before each separator of a code."""
    runs = RUN.finditer(text.strip("@#-_./: "))
    text = text.strip("@#-_./: ")
    return {len(re.sub(r"[\W_]", "", text[: run.start()])) for run in runs if re.search(r"[\W_]$", text[: run.start()])}


def _bank_code(form: str) -> str:
    """Pattern of a BIC; the branch code of a head office may be missing."""
    if len(form) == 11 and not form.endswith("xxx"):
        return r"\s?".join(form)
    return r"\s?".join(form[:8]) + r"(?:\s?x\s?x\s?x|(?!\s?[a-z0-9]{3}(?![^\W_])))"


def _same_hash(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _plain_latin(text: str) -> str:
    """The text without the diacritics of Latin letters."""
    from anyascii import anyascii

    return re.sub("[\u00c0-\u024f]", lambda letter: anyascii(letter[0]), text)


def _latin_look(text: str) -> str:
    """The text with words that mix Latin with Cyrillic or Greek letters of the same look in Latin letters."""
    if text.isascii() or not re.search("[\u0370-\u04ff]", text):
        return text
    return re.sub(
        r"\S+", lambda word: word[0].translate(CONFUSABLE) if re.search("[A-Za-z0-9]", word[0]) else word[0], text
    )
