"""Random identifiers of each type, and the ways in which one may be written."""

import ipaddress
import random
import string
import uuid
from collections.abc import Callable

Make = Callable[[random.Random], str]
Write = Callable[[str, random.Random], str]


def _digits(chance: random.Random, count: int) -> str:
    return chance.choice("123456789") + "".join(chance.choices(string.digits, k=count - 1))


def _word(chance: random.Random, least: int = 3, most: int = 8) -> str:
    return "".join(chance.choices(string.ascii_lowercase, k=chance.randint(least, most)))


def _any_case(text: str, chance: random.Random) -> str:
    return chance.choice((text, text.upper(), text.lower(), text.title()))


def _grouped(text: str, chance: random.Random, size: int = 4) -> str:
    separator = chance.choice(("", " ", "-"))
    return separator.join(text[start : start + size] for start in range(0, len(text), size))


def _make_email(chance: random.Random) -> str:
    return f"{_word(chance)}.{_word(chance)}@{_word(chance)}.{chance.choice(('com', 'org', 'example'))}"


def _write_email(email: str, chance: random.Random) -> str:
    written = _any_case(email, chance)
    local, _, host = written.partition("@")
    return chance.choice((written, f"<{written}>", f"mailto:{written}", f"{local}%40{host}", f"{local} [at] {host}"))


def _make_phone(chance: random.Random) -> str:
    return "+49 " + _digits(chance, 3) + " " + _digits(chance, 7)


def _write_phone(phone: str, chance: random.Random) -> str:
    _, area, number = phone.split()
    split = f"{number[:3]} {number[3:]}"
    forms = (phone, f"+49{area}{number}", f"0049 {area} {split}", f"+49 (0){area}-{number}", f"(0{area}) {split}")
    return chance.choice(forms)


def _make_ipv4(chance: random.Random) -> str:
    return str(ipaddress.IPv4Address(chance.randrange(2**24, 2**32 - 2**28)))


def _write_ipv4(address: str, chance: random.Random) -> str:
    value = int(ipaddress.IPv4Address(address))
    return chance.choice(
        (address, address.replace(".", "[.]"), f"0x{value:08x}", f"::ffff:{address}", f"{address}:8080")
    )


def _make_ipv6(chance: random.Random) -> str:
    return str(ipaddress.IPv6Address((0x20010DB8 << 96) + chance.randrange(2**64)))


def _write_ipv6(address: str, chance: random.Random) -> str:
    parsed = ipaddress.IPv6Address(address)
    return chance.choice((address, parsed.exploded, address.upper(), f"[{address}]:443"))


def _make_mac(chance: random.Random) -> str:
    return ":".join(f"{chance.randrange(256):02x}" for _ in range(6))


def _write_mac(mac: str, chance: random.Random) -> str:
    plain = mac.replace(":", "")
    dotted = ".".join(plain[start : start + 4] for start in (0, 4, 8))
    return chance.choice((mac, mac.upper(), mac.replace(":", "-"), dotted))


def _make_uuid(chance: random.Random) -> str:
    return str(uuid.UUID(int=chance.getrandbits(128)))


def _write_uuid(value: str, chance: random.Random) -> str:
    return chance.choice((value, value.upper(), value.replace("-", ""), f"{{{value}}}", f"urn:uuid:{value}"))


def _make_url(chance: random.Random) -> str:
    return f"https://{_word(chance)}.example/{_word(chance)}/{_word(chance)}"


def _write_url(url: str, chance: random.Random) -> str:
    bare = url.removeprefix("https://")
    forms = (
        url,
        url + "/",
        f"http://www.{bare}",
        bare,
        url.replace("/", "%2F").replace(":", "%3A"),
        f"{url}?utm_source=x",
    )
    return chance.choice(forms)


def _make_path(chance: random.Random) -> str:
    return f"C:\\{_word(chance)}\\{_word(chance)}\\{_word(chance)}.txt"


def _write_path(path: str, chance: random.Random) -> str:
    slashed = path.replace("\\", "/")
    return chance.choice((path, path.lower(), slashed, f"file:///{slashed}", "/mnt/c/" + slashed[3:]))


_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


def _make_date(chance: random.Random) -> str:
    return f"{chance.randint(1980, 2030)}-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}"


def _write_date(date: str, chance: random.Random) -> str:
    year, month, day = date.split("-")
    name = _MONTHS[int(month) - 1]
    forms = (
        date,
        f"{int(day)} {name} {year}",
        f"{name} {int(day)}, {year}",
        f"{day}.{month}.{year}",
        f"{year}/{month}/{day}",
    )
    return chance.choice(forms)


def _make_iban(chance: random.Random) -> str:
    return f"DE{_digits(chance, 2)}{_digits(chance, 18)}"


def _make_card(chance: random.Random) -> str:
    return "4" + _digits(chance, 15)


def _make_ticket(chance: random.Random) -> str:
    return f"{_word(chance, 3, 4).upper()}-{_digits(chance, 5)}"


def _write_ticket(ticket: str, chance: random.Random) -> str:
    prefix, _, number = ticket.partition("-")
    return chance.choice(
        (
            ticket,
            ticket.lower(),
            f"{prefix} {number}",
            f"{prefix}{number}",
            f"{prefix}-00{number}",
            f"{prefix} #{number}",
        )
    )


def _make_key(chance: random.Random) -> str:
    groups = (
        "".join(chance.choices(string.ascii_uppercase + string.digits, k=3)) + _digits(chance, 1) for _ in range(4)
    )
    return "-".join(groups)


def _write_key(value: str, chance: random.Random) -> str:
    plain = value.replace("-", "")
    return _any_case(chance.choice((value, plain, value.replace("-", " "))), chance).replace("Title", "")


TYPES: dict[str, tuple[Make, Write]] = {
    "email": (_make_email, _write_email),
    "phone": (_make_phone, _write_phone),
    "ipv4": (_make_ipv4, _write_ipv4),
    "ipv6": (_make_ipv6, _write_ipv6),
    "mac": (_make_mac, _write_mac),
    "uuid": (_make_uuid, _write_uuid),
    "url": (_make_url, _write_url),
    "path": (_make_path, _write_path),
    "date": (_make_date, _write_date),
    "iban": (_make_iban, lambda iban, chance: _grouped(_any_case(iban, chance), chance)),
    "card": (_make_card, lambda card, chance: _grouped(card, chance)),
    "ticket": (_make_ticket, _write_ticket),
    "licence key": (_make_key, _write_key),
}
"""Type to (a random identifier in its usual form, one random way to write it)."""


def neighbour(identifier: str, chance: random.Random) -> str:
    """The identifier with one digit or letter changed to another, so that it is a near miss of the same form."""
    first = max(4, identifier.find("://") + 3)
    places = [place for place, letter in enumerate(identifier) if letter.isalnum() and place >= first]
    place = chance.choice(places)
    letter = identifier[place]
    alphabet = (
        string.digits
        if letter.isdigit()
        else string.ascii_lowercase[:6]
        if letter in "abcdef"
        else string.ascii_lowercase
    )
    other = chance.choice([option for option in alphabet if option != letter.lower()])
    return identifier[:place] + (other.upper() if letter.isupper() else other) + identifier[place + 1 :]
