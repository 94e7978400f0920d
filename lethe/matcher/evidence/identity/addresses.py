"""Addresses of networks and machines: e-mail, URL, host, IP, MAC, UUID, file path."""

import ipaddress
import re
from collections.abc import Iterator

from lethe.matcher.evidence.identity.typed_identifier import Identifier

_HOST = r"(?:[^\W_](?:[\w-]*[^\W_])?\.)+(?:xn--[a-z0-9-]+|[^\W\d_]{2,})"
_URL = re.compile(
    rf"(?:(?P<scheme>[a-z][a-z0-9+.-]*)://(?:[^\s/@]+@)?(?P<named>[\w.-]*\w)|(?:(?<!\w)git@|"
    rf"(?<![\w@/\\.-]))(?P<host>{_HOST}))(?P<dot>\.(?!\w))?(?!\.\w)"
    r"(?::(?P<port>\d{1,5})|,? (?:on )?(?:tcp |udp )?port (?P<spoken>\d{1,5}))?(?P<path>(?:/|"
    r"(?<=[a-z]):(?=\w+/))[^\s\"'<>|]*)?(?!\w|@|\\)",
    re.IGNORECASE,
)
_EMAIL = re.compile(r"(?<![\w.+-])([\w!#$%*+^~-]+(?:[.'][\w+-]+)*)@([\w-]+(?:\.[\w-]+)*)(?![\w-]|\.\w)")
_SPOKEN_EMAIL = re.compile(
    r"([\w+-]+(?:(?: dot |\.)[\w+-]+)*)(?: at | @ |@)([\w-]+(?:(?: dot | ?\. ?)[\w-]+)+)", re.IGNORECASE
)
_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|\bdoi:? ?|(?<![\w./]))(10\.\d{4,9}/[^\s\"'<>]+)", re.IGNORECASE)
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
_IPV4 = re.compile(r"(?<![\w.-])(?:(?:0x[0-9a-f]+|\d+)\.){3}(?:0x[0-9a-f]+|\d+)(?!\w|\.\w)", re.I)
_PATH = re.compile(
    r"(?:file|smb|cifs|afp|nfs):/{2,5}[^\s\"'<>|]+|(?<![\w:/])//[\w.-]+/[^\s\"'<>|]+|(?<![\w:/.])[a-z]:[\\/][^\s\"'<>|]*|\\\\[\w.$-]+\\[^\s\"'<>|]+"
    r"|(?<![\w:/.])~?/(?:[\w.@+-]+/+)*[\w.@+-]+/?|(?<![\w/\\.])~/[^\s\"'<>|]+",
    re.IGNORECASE,
)
_SHARED = re.compile(r"(?:file|smb|cifs|afp|nfs):", re.IGNORECASE)
_PORTS = {"http": "80", "https": "443", "ftp": "21", "ssh": "22", "ws": "80", "wss": "443"}
_TRACKING = re.compile(r"^(?:utm_\w+|fbclid|gclid|ref|source)=", re.IGNORECASE)
CONFUSABLE = str.maketrans("асеорхукмтнвАСЕОРХУКМТНВІіЅѕЈјαεορτυνκικ", "aceopxykmthbACEOPXYKMTHBIiSsJjaeoptuvkik")


def emails(text: str) -> Iterator[Identifier]:
    """E-mail addresses, "local@host" in lower case, as written or as spoken."""
    for found in _EMAIL.finditer(text):
        if (found[1] == "git" and text[found.end() : found.end() + 1] == ":") or _IPV4.fullmatch(found[2]):
            continue
        yield Identifier("email", frozenset({_email(found[1], found[2])}), found.start(), found.end())
    for found in _SPOKEN_EMAIL.finditer(text):
        is_spoken = " dot " in found[0].lower() or " @ " in found[0]
        if is_spoken and not (found[1] == "git" and text[found.end() :].startswith(":")):
            local, domain = (re.sub(r" dot | ?\. ?", ".", part, flags=re.IGNORECASE) for part in found.groups())
            yield Identifier("email", frozenset({_email(local, domain)}), found.start(), found.end())


def _email(local: str, domain: str) -> str:
    local, host = local.translate(CONFUSABLE).casefold(), _ascii_host(domain)
    if host in ("gmail.com", "googlemail.com"):
        local, host = local.partition("+")[0].replace(".", ""), "gmail.com"
    return f"{local}@{host}"


def _ascii_host(host: str) -> str:
    host = host.casefold().rstrip(".").removeprefix("www.")
    if host.isascii():
        return host
    import idna

    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError:
        return host


def dois(text: str) -> Iterator[Identifier]:
    """Names of publications, "10.1000/xyz123"."""
    for found in _DOI.finditer(text):
        form = found[1].rstrip(".,;:!?)]}'\"").casefold()
        yield Identifier("doi", frozenset({form}), found.start(), found.start(1) + len(form))


def urls_with_scheme(text: str) -> Iterator[Identifier]:
    return (url for url in urls(text) if "://" in text[url.start : url.end] and not _SHARED.match(text[url.start :]))


def urls(text: str) -> Iterator[Identifier]:
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


def paths(text: str) -> Iterator[Identifier]:
    for found in _PATH.finditer(text):
        path = re.sub(r"^file://(?:localhost(?=/)|(?=/))", "", found[0], flags=re.I).replace("\\", "/")
        path = re.sub(r"^\w+:/{2,}(?=[^/])", "//", path)
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


def uuids(text: str) -> Iterator[Identifier]:
    for found in _UUID.finditer(text):
        yield Identifier("uuid", frozenset({found[0].casefold().replace("-", "")}), found.start(), found.end())


def macs(text: str) -> Iterator[Identifier]:
    for found in _MAC.finditer(text):
        digits = re.sub(r"[^0-9a-f]", "", found[0].casefold())
        if found[1] or "." in found[0] or (re.search("[a-f]", digits) and re.search(r"\d", digits)):
            yield Identifier("mac", frozenset({digits}), found.start(), found.end())


def ips(text: str) -> Iterator[Identifier]:
    for found in _IPV6.finditer(text):
        try:
            address = ipaddress.IPv6Address(found[1])
        except ValueError:
            continue
        mapped = address.ipv4_mapped
        yield Identifier("ip", frozenset({str(mapped or address)}), found.start(), found.end())
    for found in _IPV4.finditer(text):
        parts = [_whole_number(part) for part in found[0].split(".")]
        if all(part < 256 for part in parts):
            form, end = ".".join(map(str, parts)), found.end()
            network = re.match(r"/(\d{1,2}|\d{1,3}(?:\.\d{1,3}){3})(?![\w.])", text[end:])
            if network:
                try:
                    form, end = str(ipaddress.ip_network(f"{form}/{network[1]}", strict=False)), end + network.end()
                except ValueError:
                    network = None
            port = re.match(r"(?::|,? (?:on )?(?:tcp |udp )?port )(\d{1,5})(?!\w)", text[end:])
            before = re.search(r"\bport (\d{1,5}) (?:on|at|of) (?:host )?$", text[: found.start()])
            end += port.end() if port else 0
            number = port or before
            form = form.removesuffix("/32") + (f":{number[1]}" if number else "")
            yield Identifier("ip", frozenset({form}), found.start(), end)


def _whole_number(text: str) -> int:
    if text.casefold().startswith("0x"):
        return int(text, 16)
    return int(text, 8) if len(text) > 3 and text.startswith("0") and not re.search("[89]", text) else int(text)
