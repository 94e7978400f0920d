"""The codes that a request names, each with the words that say what it numbers."""

import re
from collections.abc import Sequence
from dataclasses import replace

from lethe.planners.matcher.identity.number_labels import ACRONYMS, NUMBER_WORDS
from lethe.planners.matcher.identity.untyped_code import RUN, Code, handle_words
from lethe.planners.matcher.text.lists import listed
from lethe.planners.matcher.text.words import FUNCTION_WORDS, fold, key

_CODE = re.compile(
    r"[@#][^\W_][\w.-]*(?<![.-])|(?<![\w])(?=[\w./:+·-]*(?:\d|_|\w/\w))[^\W_](?:(?:[\w./:+#·-]|,(?=\d{3}))*\w)?"
    r"|(?<![\w-])[A-Z]{1,3}-[A-Z]{2,5}(?![\w-])"
    r"|(?<!\w)[A-Z]+ ?& ?[A-Z]+(?!\w)"
    r"|(?<!\w)[A-Z]\w+ ?& ?(?:Sons?|Daughters?|Bro(?:ther)?s|Co|Cie|Partners?|Associates|Company|Söhne|Sohn|Fils|Hijos|"
    r"Figli)(?!\w)"
    r"|(?<![\w])[a-z][a-z0-9]+(?:-[a-z0-9]+)+(?!\w)",
)
_GROUP = re.compile(
    r" (?!(?:GDPR|ASAP|AND|OR|THE|OF|IN|ON|FOR|TO|IT|IS|A|I|NOT|AS)\b)(?=[A-Z0-9]{1,8}(?![\w]))"
    r"(?=[A-Z]*\d|[A-Z]{1,5}(?!\w))"
    r"[A-Z0-9]+(?:[-./][A-Za-z0-9]+)*(?![\w'])"
)
_BIC = re.compile(r"(?<!\w)[A-Z]{4}[ -]?[A-Z]{2}[ -]?(?!BIC)[A-Z0-9]{2}(?:[ -]?[A-Z0-9]{3})?(?!\w)")
_LETTERED = re.compile(
    r"(?:^|[^\w'] ?)([a-z]{3,}) ([B-HJ-Z]|A(?=$|[.,;:!?]))"
    r"(?=$|[.,;:!?](?: |$)| (?:is|was|has|had|in|on|at|for|and|will)\b)"
)
_FUNCTION = "|".join(sorted(word.upper() for word in FUNCTION_WORDS if word.isalpha() and len(word) > 1))
_ACRONYM = re.compile(rf"(?<![\w'-])(?:{_FUNCTION})(?![\w'-]| [\w,.-]*\d)")
"""Capitals that would be a function word in small letters ("IT")."""
_LETTERED_NAME = re.compile(r"(?:^|, |\b(?:in|on|of|at) (?:the )?)([A-Z][a-z]{2,}) ([B-HJ-Z])(?=$|[,;] )")
_SIGNED = re.compile(r"(?<![\w-])(?:[A-Z]\+\+|[A-Z][+#-]|AB[+-])(?![\w+#-])")
_QUOTED = re.compile(r"(?<!\w)[\"']([^\"']*\d[^\"']*)[\"'](?!\w)")
_FILE = re.compile(
    r"\b(?:file|document|doc|spreadsheet|sheet|photo|picture|image|attachment|recording) (?:called |named )?"
    r"((?:[\w()&+-]+ ){1,6}[\w()-]+\.[a-z][a-z0-9]{1,3})(?!\w)"
)
"""A file name with spaces, after the word for the kind of file."""
_LISTED = re.compile(r",? (?:and|or|&) |, |( to | through | - |-)")
"""What stands between the numbers of one list or range."""
_HANDLE_LABELS = frozenset(
    map(key, listed("user username handle account login nick nickname channel profile alias id user_id name screen"))
)


def handle_in(topic: str, rest: Sequence[str]) -> Code | None:
    """The single word that a topic has besides the kind of thing that it names, if it may be a handle."""
    said = [word for word in re.findall(r"[^\W_]+(?:[-_.][^\W_]+)*", topic) if key(word) in rest]
    said = [word for word in said if key(word) not in _HANDLE_LABELS]
    if len(said) != 1:
        return None
    word = said[0]
    is_odd = len(handle_words(word)) > 1 or word.islower()
    return Code(word, "", (), 0, 0, is_handle=True) if len(word) > 4 and word.isalpha() and is_odd else None


def find_codes(text: str, taken: Sequence[tuple[int, int]] = ()) -> list[Code]:
    """The codes of a cleaned request, outside of the spans that are `taken` by typed identifiers."""
    codes = []
    if re.search(r"\b(?:bic|swift)\b", text, re.IGNORECASE) or _BIC.fullmatch(text):
        codes = [Code(found[0], "", (), *found.span(), is_bank_code=True) for found in _BIC.finditer(text)]
        taken = [*taken, *((code.start, code.end) for code in codes)]
    for signed in _SIGNED.finditer(text):
        if all(signed.start() >= stop or signed.end() <= begin for begin, stop in taken):
            codes.append(Code(signed[0], "", (), *signed.span(), is_exact=True))
            taken = [*taken, signed.span()]
    for acronym in _ACRONYM.finditer(text) if not text.isupper() else ():
        codes.append(Code(acronym[0], "", (), *acronym.span(), is_exact=True))
    for quoted in (*_QUOTED.finditer(text), *_FILE.finditer(text)):
        if any(quoted.start() < stop and quoted.end() > begin for begin, stop in taken):
            continue
        codes.append(Code(quoted[1], "", (), *quoted.span(1)))
        taken = [*taken, quoted.span()]
    if lettered := _LETTERED.search(text):
        codes.append(_code(lettered[2], "", text, *lettered.span(2)))
    if re.search(r"\d", text) and (lettered := _LETTERED_NAME.search(text)):
        codes.append(_code(lettered[2], "", text, *lettered.span(2)))
    position = 0
    while found := _CODE.search(text, position):
        start, end = found.span()
        position = end
        while group := _GROUP.match(text, end):
            end = group.end()
        if any(start < stop and end > begin for begin, stop in taken):
            continue
        if re.match(r"[a-z]+_(?:id|no|nr|num|number|code|key)[:=]? ?(?=[\w#]*\d)", text[start:], re.IGNORECASE):
            continue
        if text[end : end + 1] == "=" and not re.search(r"\d", found[0]):
            continue
        if bracketed := re.match(r" ?\((?:\d{1,2}|[a-z]|[ivx]{1,4})\)", text[end:]):
            end += bracketed.end()
        lead = re.search(r"(?<![\w-])((?:[A-Z]{1,4}(?:\.? |-)){1,3})$", text[:start])
        if lead and text[start].isdigit() and not set(re.findall("[A-Z]+", lead[1])) & ACRONYMS:
            start -= len(lead[1])
        position = end
        surface = text[start:end].rstrip(".:/- ")
        surface = re.sub(r"^0[xX](?=[0-9a-fA-F]{6,}(?!\w))|^#(?=[A-Za-z]{0,4}-?\d)|^[vV](?=\d+\.\d)", "", surface)
        if (
            re.fullmatch(r"\d{1,2}(?:st|nd|rd|th)|\d{1,2}:\d\d|[a-z]+/[a-z]+", surface)
            and not re.search(r"[-_]", surface)
            and not re.fullmatch(r"[a-z]+/[a-z]+", surface)
        ):
            continue
        runs = RUN.findall(surface)
        if surface[0] in "@#" and not runs:
            continue
        surface = re.sub(r"^[A-Za-z]+[-\d]*:(?=[0-9A-Fa-f]{32,}$)", "", surface)
        surface = re.sub(r"^(?:no|nr|num|ref|id)\.?[-:#_]?(?=\d)", "", surface, flags=re.IGNORECASE) or surface
        lettered = re.match(r"[^\W\d_]+(?=[-\s._/:#]*\d)", surface)
        digits_only = bool(lettered) and all(run.isdigit() for run in runs[1:])
        prefix = lettered[0] if lettered and digits_only else ""
        code = _code(surface, prefix, text, start, end)
        if codes and code.start > codes[-1].end and (list_sign := _LISTED.fullmatch(text[codes[-1].end : code.start])):
            code = replace(code, labels=codes[-1].labels)
            first, last = codes[-1].form, code.form
            if list_sign[1] and first.isdigit() and last.isdigit() and 1 < int(last) - int(first) < 50:
                codes += [replace(code, surface=str(number)) for number in range(int(first) + 1, int(last))]
        codes.append(code)
    return codes


def _code(surface: str, prefix: str, text: str, start: int, end: int) -> Code:
    before = re.findall(r"[^\W\d_]+", re.split(r"[;:,()]\s|\.\s(?=[A-Z])|\d\W", text[:start])[-1])[-4:]
    if re.search(r"\b(?:in|at|on)(?: the)? $", text[:start]) and not re.search(r"\b(?:ending|ends) in $", text[:start]):
        before = []
    noun = re.match(r" ([a-z]{3,})(?!\w)", text[end:])
    if noun and surface.isdigit() and not set(map(fold, before)) - NUMBER_WORDS and noun[1] not in FUNCTION_WORDS:
        before.append(noun[1])
    ending = bool(re.search(r"\b(?:ending|ends|last four(?: digits)?)(?: in| with)?:? ?$", text[:start], re.IGNORECASE))
    after = (
        re.match(r" ((?:[A-Z](?:[^\W\d_]|')+[ -]?)+)", text[end:])
        if re.fullmatch(r"\d{1,4}[A-Za-z]?", surface)
        else None
    )
    return Code(
        surface, prefix, tuple(before), start, end, ending and surface.isdigit(), after=after[1] if after else ""
    )
