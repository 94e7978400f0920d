"""Typed identifiers: found in a text and brought to one canonical form each (paper, `identifier_obfuscation`)."""

import datetime
import functools
import ipaddress
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lethe.hooks.rules.lists import listed
from lethe.hooks.rules.values import Value, amounts, clocks, days, measures

_HOST = r"(?:[^\W_](?:[\w-]*[^\W_])?\.)+(?:xn--[a-z0-9-]+|[^\W\d_]{2,})"
_URL = re.compile(
    rf"(?:(?P<scheme>[a-z][a-z0-9+.-]*)://(?:[^\s/@]+@)?(?P<named>[\w.-]*\w)|(?:(?<!\w)git@|"
    rf"(?<![\w@/\\.-]))(?P<host>{_HOST}))(?P<dot>\.(?!\w))?(?!\.\w)"
    r"(?::(?P<port>\d{1,5})|,? (?:on )?(?:tcp |udp )?port (?P<spoken>\d{1,5}))?(?P<path>(?:/|"
    r"(?<=[a-z]):(?=\w+/))[^\s\"'<>|]*)?(?!\w|@|\\)",
    re.IGNORECASE,
)
_EMAIL = re.compile(r"(?<![\w.+-])([\w!#$%&*+/=?^`{|}~-]+(?:\.[\w+-]+)*)@([\w-]+(?:\.[\w-]+)*)(?![\w-]|\.\w)")
_SPOKEN_EMAIL = re.compile(
    r"([\w+-]+(?:(?: dot |\.)[\w+-]+)*) ?(?:\(at\)|\[at\]|\{at\}|<at>|\(a\)|\[@\]|\(@\)|_at_| at | @(?= )) ?"
    r"([\w-]+(?: ?(?:\(dot\)|\[dot\]|\{dot\}| dot |\.) ?[\w-]+)+)",
    re.IGNORECASE,
)
_UUID = re.compile(r"(?<![0-9a-z])[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}(?![0-9a-z])", re.IGNORECASE)
_MAC = re.compile(
    r"(?<![0-9a-z:.-])(?:[0-9a-f]{2}(?:([:\- ]?)[0-9a-f]{2})(?:\1[0-9a-f]{2}){4}|[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4})"
    r"(?![0-9a-z]|[:-][0-9a-f])",
    re.IGNORECASE,
)
_IPV6 = re.compile(
    r"(?<![\w:.])\[?([0-9a-f]{0,4}(?::[0-9a-f]{0,4}){1,6}:(?:\d{1,3}(?:\.\d{1,3}){3}|"
    r"[0-9a-f]{0,4}))(?:%\w+)?(?:\]|/128)?(?![\w:]|\.\d)",
    re.I,
)
_IPV4 = re.compile(
    r"(?<![\w.-])(?:(?:0x[0-9a-f]+|\d+)\.){3}(?:0x[0-9a-f]+|\d+)(?!\w|\.\d)|(?<!\w)0x[0-9a-f]{8}(?!\w)", re.I
)
_NUMERIC_IP = re.compile(r"(?<![\w.,+-])\d{8,10}(?![\w-]|[.,]\d)")
_PHONE = re.compile(
    r"(?<![\w.])(?P<number>(?:\+|00)?\(?\d(?:[ ().\-/]{0,3}\d){6,14})(?P<dots>)(?![\d]|[A-Za-z_-]\w)"
    r"(?:,? ?(?:ext(?:ension|n)?\.?|x|#|durchwahl) ?(?P<ext>\d{1,6}))?",
    re.IGNORECASE,
)
_PATH = re.compile(
    r"file:/{2,3}[^\s\"'<>|]+|(?<![\w:/.])[a-z]:[\\/][^\s\"'<>|]*|\\\\[\w.$-]+\\[^\s\"'<>|]+"
    r"|(?<![\w:/.])~?/(?:[\w.@+-]+/+)*[\w.@+-]+/?|(?<![\w/\\.])~/[^\s\"'<>|]+",
    re.IGNORECASE,
)
_MONTHS = {
    name: number + 1
    for number, names in enumerate(
        [
            "jan january",
            "feb february",
            "mar march",
            "apr april",
            "may",
            "jun june",
            "jul july",
            "aug august",
            "sep sept september",
            "oct october",
            "nov november",
            "dec december",
        ]
    )
    for name in names.split()
}
TOP_LEVEL = frozenset(
    listed(
        """com net org edu gov mil int info biz name io ai app dev me tv co cloud online site shop store blog tech xyz
    example test invalid localhost local lan home internal corp intranet onion de uk fr it es nl be
    ch at eu us ca au nz in jp cn kr br ru pl se no dk fi ie pt cz gr tr za mx ar cl il ke ng sg hk tw ua"""
    )
)
"""Endings of hosts that are common enough to tell a host from a name with a dot."""
WEAK_KINDS = frozenset(listed("amount measure date clock"))
"""Kinds of which many different things may have the same: what else the request says counts as well."""
_ROMAN = {name: number + 1 for number, name in enumerate(listed("i ii iii iv v vi vii viii ix x xi xii"))}
_DATES = (
    re.compile(r"(?<![\w-])(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?!\w|-\d|(?<=\d)T\D)(?!-\d)"),
    re.compile(r"(?<![\w-])(?P<y>\d{4})-?(?P<m>\d{2})-?(?P<d>\d{2})(?=T\d\d)"),
    re.compile(r"(?<!\w)(?P<y>\d{4})-?W(?P<week>\d\d)-?(?P<d>[1-7])(?!\w)"),
    re.compile(r"(?<!\w)(?P<d>\d{1,2})(?:st|nd|rd|th)?(?: of)? (?P<m>[a-z]{3,9})\.?,? (?P<y>\d{4})(?!\w)", re.I),
    re.compile(r"(?<!\w)(?P<m>[a-z]{3,9})\.? (?P<d>\d{1,2})(?:st|nd|rd|th)?,? (?P<y>\d{4})(?!\w)", re.I),
    re.compile(r"(?<!\w)(?P<d>\d{1,2})[-/. ]{1,2}(?P<m>[ivx]{1,4}|[a-z]{3,9})[-/. ]{1,2}(?P<y>\d{4})(?!\w)", re.I),
    re.compile(r"(?<![\w.-])(?P<d>\d{1,2})\. ?(?P<m>\d{1,2})\. ?(?P<y>\d{4})(?!\w)"),
    re.compile(r"(?<![\w/-])(?P<a>\d{1,2})[/-](?P<b>\d{1,2})[/-](?P<y>\d{4})(?![\w/])"),
    re.compile(r"(?<!\w)(?P<y>(?:19|20)\d{2})(?P<m>0[1-9]|1[0-2])(?P<d>[0-2]\d|3[01])(?!\w)"),
    re.compile(r"(?<![\w/-])(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<y>\d{2})(?![\w/])"),
    re.compile(r"(?<![\w.-])(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>[0-4]\d)(?![\w]|\.\d)"),
    re.compile(r"(?<!\w)(?P<d>\d{1,2})(?:st|nd|rd|th)?[ -](?P<m>[a-z]{3,9})[ -]'?(?P<y>[0-4]\d)(?![\w:])", re.I),
)
_DEFANGED = (
    (re.compile(r"\[\.\]|\(\.\)|\{\.\}", 0), "."),
    (re.compile(r"\bhxxp(s?)://", re.I), r"http\1://"),
    (re.compile(r"\[:\]"), ":"),
)
_AXIS = (
    r"(?P<{0}>[+-]?\d{{1,3}}(?:\.\d+)?)°\s?(?:(?P<{0}_minutes>\d{{1,2}}(?:\.\d+)?)['′]\s?)?(?:(?P<{0}"
    r"_seconds>\d{{1,2}}(?:\.\d+)?)(?:\"|″|'')\s?)?(?P<{0}_side>[{1}])?"
)
_PLACES = (
    re.compile(_AXIS.format("north", "NS") + r"[,;\s]+" + _AXIS.format("east", "EWO")),
    re.compile(
        r"(?<![\w.])(?P<north>[+-]?\d{1,2}\.\d{3,})(?P<north_minutes>)?(?P<north_seconds>)? "
        r"?(?P<north_side>[NS])?[,;/ ]\s?"
        r"(?P<east>[+-]?\d{1,3}\.\d{3,})(?P<east_minutes>)?(?P<east_seconds>)? ?(?P<east_side>[EW])?(?![\w])"
    ),
)
_COLOUR = re.compile(
    r"(?:(?<!\w)#|\bhex )([0-9a-f]{6}|(?=\d*[a-f])[0-9a-f]{3})(?!\w)"
    r"|\brgb\(\s*\d{1,3}\s*,\s*\d{1,3}\s*,\s*\d{1,3}\s*\)",
    re.IGNORECASE,
)
_PORTS = {"http": "80", "https": "443", "ftp": "21", "ssh": "22", "ws": "80", "wss": "443"}
_TRACKING = re.compile(r"^(?:utm_\w+|fbclid|gclid|ref|source)=", re.IGNORECASE)
CONFUSABLE = str.maketrans("асеорхукмтнвАСЕОРХУКМТНВІіЅѕЈјαεορτυνκικ", "aceopxykmthbACEOPXYKMTHBIiSsJjaeoptuvkik")


@dataclass(frozen=True, slots=True)
class Identifier:
    """One identifier of a text: `forms` are its canonical forms, of which any may be shared with another's."""

    kind: str
    forms: frozenset[str]
    start: int
    end: int

    def is_same(self, other: "Identifier") -> bool:
        if self.kind != other.kind:
            return False
        if self.kind == "phone":
            return any(_same_phone(a, b) for a in self.forms for b in other.forms)
        if self.kind == "email":
            return any(_same_email(a, b) for a in self.forms for b in other.forms)
        if self.kind == "date":
            return any(_same_day(a, b) for a in self.forms for b in other.forms)
        if self.kind == "url" and not re.search("[:/]", host := min(self.forms)):
            return any(form == host or re.fullmatch(re.escape(host) + r":\d+", form) for form in other.forms)
        return bool(self.forms & other.forms)

    def shown(self) -> str:
        return f"{self.kind} {min(self.forms)}"


def defanged(text: str) -> str:
    """A text with `example[.]com` and `hxxp://` written as they are meant."""
    for pattern, plain in _DEFANGED:
        text = pattern.sub(plain, text)
    return text


@functools.lru_cache(maxsize=4096)
def find(text: str) -> tuple[Identifier, ...]:
    """The typed identifiers of a cleaned text; where two overlap, the kind that stands first in the list of finders.

    Kinds: email, uuid, mac, path, url, ip, phone, place, colour, and those of WEAK_KINDS.
    """
    found: list[Identifier] = []
    for finder in _FINDERS:
        for identifier in finder(text):
            if all(identifier.end <= other.start or identifier.start >= other.end for other in found):
                found.append(identifier)
    return tuple(sorted(found, key=lambda identifier: identifier.start))


def _emails(text: str) -> Iterator[Identifier]:
    for found in _EMAIL.finditer(text):
        if found[1] == "git" and text[found.end() : found.end() + 1] == ":":
            continue
        yield Identifier("email", frozenset({_email(found[1], found[2])}), found.start(), found.end())
    for found in _SPOKEN_EMAIL.finditer(text):
        local, domain = (
            re.sub(r" ?(?:\(dot\)|\[dot\]|\{dot\}| dot |\.) ?", ".", part, flags=re.I) for part in found.groups()
        )
        if not found[0].count(" at ") or " dot " in found[0]:
            yield Identifier("email", frozenset({_email(local, domain)}), found.start(), found.end())


def _email(local: str, domain: str) -> str:
    local, host = local.translate(CONFUSABLE).casefold(), _ascii_host(domain)
    if host in ("gmail.com", "googlemail.com"):
        local, host = local.partition("+")[0].replace(".", ""), "gmail.com"
    return f"{local}@{host}"


def _same_email(one: str, other: str) -> bool:
    """A plus tag is the same mailbox as the address without it; two different tags are two addresses."""
    if one == other:
        return True
    (local, _, host), (local_2, _, host_2) = one.rpartition("@"), other.rpartition("@")
    (name, _, tag), (name_2, _, tag_2) = local.partition("+"), local_2.partition("+")
    return (host, name) == (host_2, name_2) and (not tag or not tag_2)


def _same_day(one: str, other: str) -> bool:
    """The same date; where one of two has no year, the same day of the year."""
    return one == other or ("*" in (one[0], other[0]) and one[-6:] == other[-6:])


def _ascii_host(host: str) -> str:
    host = host.casefold().rstrip(".").removeprefix("www.")
    if host.isascii():
        return host
    import idna

    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError:
        return host


def _urls_with_scheme(text: str) -> Iterator[Identifier]:
    return (
        url for url in _urls(text) if "://" in text[url.start : url.end] and not text[url.start :].startswith("file:")
    )


def _places(text: str) -> Iterator[Identifier]:
    for pattern in _PLACES:
        for found in pattern.finditer(text):
            latitude, longitude = (
                _degrees(found[f"{axis}"], found[f"{axis}_minutes"], found[f"{axis}_seconds"], found[f"{axis}_side"])
                for axis in ("north", "east")
            )
            if abs(latitude) <= 90 and abs(longitude) <= 180:
                near = (
                    {
                        f"{latitude + 0.0001 * up:.4f}, {longitude + 0.0001 * right:.4f}"
                        for up in (0, 1)
                        for right in (0, 1)
                    }
                    if "°" in found[0]
                    else {f"{latitude:.4f}, {longitude:.4f}"}
                )
                yield Identifier("place", frozenset(near), found.start(), found.end())


def _degrees(whole: str, minutes: str | None, seconds: str | None, side: str | None) -> float:
    value = abs(float(whole)) + float(minutes or 0) / 60 + float(seconds or 0) / 3600
    return -value if whole.startswith("-") or (side or "").upper() in ("S", "W") else value


def _colours(text: str) -> Iterator[Identifier]:
    for found in _COLOUR.finditer(text):
        form = "".join(letter * 2 for letter in found[1]) if found[1] and len(found[1]) == 3 else found[1]
        form = form or "".join(f"{int(part):02x}" for part in re.findall(r"\d+", found[0])[:3])
        yield Identifier("colour", frozenset({form.casefold()}), found.start(), found.end())


def _urls(text: str) -> Iterator[Identifier]:
    for found in _URL.finditer(text):
        host, path = _ascii_host(found["named"] or found["host"]), (found["path"] or "").replace(":", "/", 1)
        scheme = (found["scheme"] or "").casefold()
        port = found["port"] or found["spoken"] or ""
        port = "" if _PORTS.get(scheme, "") == port or (port in ("80", "443") and not scheme) else port
        path, _, query = path.partition("#")[0].partition("?")
        path = re.sub(r"/index\.html?$", "/", path)
        path = re.sub(r"\.git(?=/?$)", "", path)
        path = re.sub(r"/+", "/", path.rstrip(".,;:!?)]}'\"")).rstrip("/").casefold()
        query = "&".join(
            sorted(part for part in query.rstrip(".,;:!?").split("&") if part and not _TRACKING.match(part))
        )
        form = host + (f":{port}" if port else "") + path + (f"?{query}" if query else "")
        yield Identifier("url", frozenset({form}), found.start(), found.end())


def _paths(text: str) -> Iterator[Identifier]:
    for found in _PATH.finditer(text):
        path = re.sub(r"^file:/{2,3}(?:localhost/)?", "/", found[0], flags=re.I).replace("\\", "/")
        path = re.sub(r"(?<!^)/+", "/", path.rstrip(".,;:!?)]}'\"")).casefold()
        path = re.sub(r"^/?(?:mnt/|cygdrive/)?([a-z])(?::/|(?<=/[a-z])/)", r"\1:/", path) if _on_drive(path) else path
        while "/./" in path:
            path = path.replace("/./", "/")
        path = re.sub(r"/[^/]+/\.\.(?=/|$)", "", path)
        if len(path.strip("/")) > 1:
            yield Identifier(
                "path", frozenset({path.rstrip("/")}), found.start(), found.start() + len(found[0].rstrip(".,;:!?)"))
            )


def _on_drive(path: str) -> bool:
    return bool(re.match(r"/?[a-z]:/|/(?:mnt|cygdrive)/[a-z]/", path))


def _uuids(text: str) -> Iterator[Identifier]:
    for found in _UUID.finditer(text):
        yield Identifier("uuid", frozenset({found[0].casefold().replace("-", "")}), found.start(), found.end())


def _macs(text: str) -> Iterator[Identifier]:
    for found in _MAC.finditer(text):
        digits = re.sub(r"[^0-9a-f]", "", found[0].casefold())
        if found[1] or "." in found[0] or (re.search("[a-f]", digits) and re.search(r"\d", digits)):
            yield Identifier("mac", frozenset({digits}), found.start(), found.end())


def _ips(text: str) -> Iterator[Identifier]:
    for found in _IPV6.finditer(text):
        try:
            address = ipaddress.IPv6Address(found[1])
        except ValueError:
            continue
        mapped = address.ipv4_mapped
        yield Identifier("ip", frozenset({str(mapped or address)}), found.start(), found.end())
    for found in _IPV4.finditer(text):
        parts = [_whole_number(part) for part in found[0].split(".")]
        if len(parts) == 1:
            yield Identifier("ip", frozenset({str(ipaddress.IPv4Address(parts[0]))}), found.start(), found.end())
        elif all(part < 256 for part in parts):
            form, end = ".".join(map(str, parts)), found.end()
            network = re.match(r"/(\d{1,2}|\d{1,3}(?:\.\d{1,3}){3})(?![\w.])", text[end:])
            if network:
                try:
                    form, end = str(ipaddress.ip_network(f"{form}/{network[1]}", strict=False)), end + network.end()
                except ValueError:
                    network = None
            yield Identifier("ip", frozenset({form.removesuffix("/32")}), found.start(), end)


def numeric_ips(text: str) -> Iterator[Identifier]:
    """Whole numbers that may be IPv4 addresses: of use only beside a text that names an address."""
    for found in _NUMERIC_IP.finditer(text):
        number = int(found[0])
        if number < 2**32:
            yield Identifier("ip", frozenset({str(ipaddress.IPv4Address(number))}), found.start(), found.end())


def _whole_number(text: str) -> int:
    if text.casefold().startswith("0x"):
        return int(text, 16)
    return int(text, 8) if len(text) > 3 and text.startswith("0") and not re.search("[89]", text) else int(text)


def _dates(text: str) -> Iterator[Identifier]:
    for pattern in _DATES:
        for found in pattern.finditer(text):
            parts = found.groupdict()
            if "week" in parts:
                forms = _week_day(int(parts["y"]), int(parts["week"]), int(parts["d"]))
            else:
                orders = (("a", "b"), ("b", "a")) if "a" in parts else (("d", "m"),)
                pairs = [(parts[day], parts[month]) for day, month in orders]
                forms = {date for day, month in pairs if (date := _date(parts["y"], month, day))}
            if forms:
                yield Identifier("date", frozenset(forms), found.start(), found.end())


def _week_day(year: int, week: int, day: int) -> set[str]:
    try:
        return {datetime.date.fromisocalendar(year, week, day).isoformat()}
    except ValueError:
        return set()


def _date(year: str, month: str, day: str) -> str | None:
    name = month.casefold()
    number = int(month) if month.isdigit() else _MONTHS.get(name) or _ROMAN.get(name)
    try:
        century = 2000 if len(year) == 2 else 0
        return None if number is None else datetime.date(century + int(year), number, int(day)).isoformat()
    except ValueError:
        return None


def _phones(text: str) -> Iterator[Identifier]:
    return phones(text)


def phones(text: str, *, any_number: bool = False) -> Iterator[Identifier]:
    """The telephone numbers of a text; `any_number` takes numbers that nothing marks as such, too."""
    for found in _PHONE.finditer(text):
        surface = found["number"]
        before = text[max(0, found.start() - 24) : found.start()]
        dialled = surface.startswith("00") and sum(map(str.isdigit, surface)) >= 11
        marked = dialled or surface.startswith(("+", "(")) or _SPOKEN_PHONE.search(before)
        if not (marked or any_number or re.search(r"\(\d+\)", surface)):
            continue
        extension = f" ext {found['ext']}" if found["ext"] else ""
        surface = re.sub(r"\(0\)", "", surface) if surface.startswith(("+", "00")) else surface
        digits = re.sub(r"\D", "", surface)
        international = surface.startswith("+") or (surface.startswith("00") and len(digits) > 10)
        digits = digits.removeprefix("00") if surface.startswith("00") and international else digits
        yield Identifier(
            "phone", frozenset({("+" if international else "") + digits + extension}), found.start(), found.end()
        )


def _vanity_phones(text: str) -> Iterator[Identifier]:
    """Numbers with letters that stand for keys, "1-800-FLOWERS"."""
    for found in _VANITY.finditer(text):
        from phonenumbers import convert_alpha_characters_in_number

        digits = re.sub(r"\D", "", convert_alpha_characters_in_number(found[0]))
        if len(digits) >= 10:
            yield Identifier("phone", frozenset({digits}), found.start(), found.end())


_VANITY = re.compile(r"(?<![\w-])\+?1?[ -.]?\(?8\d\d\)?[ -.](?=[A-Z\d-]*[A-Z]{3})[A-Z\d]{3,}(?:-[A-Z\d]+)*(?!\w)")
_SPOKEN_PHONE = re.compile(
    r"\b(?:phone|tel|telephone|fax|mobile|cell|line|call|ring|dial|text|whatsapp|sms|reach)\W[\w .:']*$", re.I
)


def _same_phone(one: str, other: str) -> bool:
    """Same number and extension; a country code or a trunk zero may be missing on one side."""
    (one, _, ext), (other, _, ext_2) = one.partition(" ext "), other.partition(" ext ")
    if ext != ext_2:
        return False
    if one.startswith("+") == other.startswith("+"):
        return one.lstrip("+0") == other.lstrip("+0")
    full, local = (one, other) if one.startswith("+") else (other, one)
    digits = full[1:]
    if local == digits:
        return True
    local = local.removeprefix("0")
    return len(local) >= 7 and any(digits == code + local for code in _country_codes() if digits.startswith(code))


@functools.cache
def _country_codes() -> frozenset[str]:
    from phonenumbers import COUNTRY_CODE_TO_REGION_CODE

    return frozenset(map(str, COUNTRY_CODE_TO_REGION_CODE))


def _typed(kind: str, values: Callable[[str], Iterator[Value]]) -> Callable[[str], Iterator[Identifier]]:
    def finder(text: str) -> Iterator[Identifier]:
        return (Identifier(kind, *value) for value in values(text))

    return finder


_FINDERS: tuple[Callable[[str], Iterator[Identifier]], ...] = (
    _urls_with_scheme, _emails, _uuids, _macs, _ips, _places, _colours, _paths, _dates, _typed("date", days), _urls,
    _vanity_phones, _phones, _typed("measure", measures), _typed("amount", amounts), _typed("clock", clocks),
)  # fmt: skip
