"""A typed identifier of a text, and when two are the same."""

import functools
import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Identifier:
    """One identifier of a text.

    Attributes:
        kind: its type, such as "email" (`identifier_finders.find`).
        forms: its canonical forms; it is the same as another of its kind that shares one.
        start, end: its position in the text.
    """

    kind: str
    forms: frozenset[str]
    start: int
    end: int

    def is_same(self, other: "Identifier") -> bool:
        """Whether both identify the same thing."""
        if self.kind == "ip" and other.kind == "url":
            return any(_on_host(form.partition("/")[0], min(self.forms)) for form in other.forms)
        if self.kind != other.kind:
            return False
        if self.kind == "phone":
            return any(_same_phone(a, b) for a in self.forms for b in other.forms)
        if self.kind == "email":
            return any(_same_email(a, b) for a in self.forms for b in other.forms)
        if self.kind in ("url", "ip") and not re.search(r"/|\w:\d+$", host := min(self.forms)):
            return any(_on_host(form, host) for form in other.forms)
        return bool(self.forms & other.forms)


def _on_host(address: str, host: str) -> bool:
    """Whether an address is the host itself, or one of its ports."""
    return address == host or re.fullmatch(re.escape(host) + r":\d+", address) is not None


def _same_email(one: str, other: str) -> bool:
    """Whether the first address means the second.

    A mailbox means itself with any plus tag, a tagged one only itself.
    """
    if one == other:
        return True
    (local, _, host), (local_2, _, host_2) = one.rpartition("@"), other.rpartition("@")
    (name, _, tag), name_2 = local.partition("+"), local_2.partition("+")[0]
    return (host, name) == (host_2, name_2) and not tag


def _same_phone(one: str, other: str) -> bool:
    """Whether number and extension are the same; one side may lack the country code or the trunk zero."""
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
    return len(local) >= 7 and any(
        digits in (code + local, f"{code}0{local}") for code in _country_codes() if digits.startswith(code)
    )


@functools.cache
def _country_codes() -> frozenset[str]:
    from phonenumbers import COUNTRY_CODE_TO_REGION_CODE

    return frozenset(map(str, COUNTRY_CODE_TO_REGION_CODE))
