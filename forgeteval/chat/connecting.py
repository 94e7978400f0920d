"""What leaves for an endpoint: its own key and nothing of OpenAI's, and no proxy on the way to this machine."""

import ipaddress
import os
import re
import socket
from collections.abc import MutableMapping
from urllib.parse import urlsplit, urlunsplit
from urllib.request import proxy_bypass

from forgeteval.errors import UserError

OPENAI = "openai.com"
NO_ADDRESS = "must be http://HOST/v1 or https://HOST/v1, with a port to 65535 if any"
"""What is said where something is no address; follows the place."""
HOLDS_MORE = (
    "contains credentials or a query, neither of which is sent; the key belongs into the variable that api_key_env "
    "(--key-env) names, and an address that needs no query here (Azure's without api-version: https://HOST/openai/v1)"
)
"""What is said where an address has more than a place; follows the place, and shows nothing of it."""
LONGEST_KEY = 4096
"""Characters; the longest that is known has a tenth of it."""
_PLAINLY_A_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,39}")
_NEEDED = frozenset(
    {
        "accept",
        "accept-encoding",
        "authorization",
        "connection",
        "content-length",
        "content-type",
        "host",
        "transfer-encoding",
        "user-agent",
    }
)


def is_this_machine(url: str) -> bool:
    """Whether an address is on this machine, in whatever form, where no proxy has to see a key.

    >>> is_this_machine("http://127.1:8000/v1"), is_this_machine("http://0.0.0.0/v1"), is_this_machine("https://host/v1")
    (True, True, False)
    """
    host = (urlsplit(url).hostname or "").rstrip(".")
    if host.endswith(".localhost") or host in ("localhost", socket.gethostname().lower()):
        return True
    try:
        # As whoever connects reads it, without asking a name server.
        family, *_, address = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)[0]
        if ipaddress.ip_address(address[0]).is_loopback:
            return True
        with socket.socket(family, socket.SOCK_STREAM) as own:
            own.bind(address)
    except (OSError, ValueError):
        return False
    return True


def proxy_variable(url: str) -> str:
    """The variable that names the proxy on the way to an address; empty where none is on it."""
    parts = urlsplit(url)
    if is_this_machine(url) or proxy_bypass(parts.hostname or ""):
        return ""
    names = [variable for name in (f"{parts.scheme}_proxy", "all_proxy") for variable in (name, name.upper())]
    return next((name for name in names if os.environ.get(name)), "")


def api_root(base_url: str) -> str:
    """The address of an API, also where that of its method is given.

    >>> api_root("http://127.0.0.1:8000/v1/chat/completions/"), api_root("http://127.0.0.1:8000/v1/")
    ('http://127.0.0.1:8000/v1', 'http://127.0.0.1:8000/v1')
    """
    return base_url.rstrip("/").removesuffix("/chat/completions").rstrip("/")


def with_version(base_url: str) -> str:
    """The address to try in place of one that has no version; empty where it has one.

    >>> with_version("http://127.0.0.1:8000"), with_version("http://127.0.0.1:8000/v1")
    ('http://127.0.0.1:8000/v1', '')
    """
    return "" if re.search(r"/v\d", urlsplit(base_url).path) else f"{api_root(base_url)}/v1"


def given_address(base_url: str | None) -> str:
    """An address as it was given, or as OPENAI_BASE_URL has it; empty where neither names one.

    >>> given_address(" http://127.0.0.1:8000/v1\\n")
    'http://127.0.0.1:8000/v1'

    Raises:
        UserError: where it is empty or no address, or has credentials or a query; the message does not show it.
    """
    if base_url is not None and not base_url.strip():
        raise UserError(f"--base-url (base_url): {NO_ADDRESS}")
    given = base_url or os.environ.get("OPENAI_BASE_URL", "")
    address = given.strip()
    problem = address_problem(address) if given else ""
    if problem:
        raise UserError(f"{'--base-url (base_url)' if base_url else 'OPENAI_BASE_URL'}: {problem}")
    return address


def address_problem(url: str) -> str:
    """Why it cannot be the address of an API, without showing it; empty where it can.

    >>> address_problem("http://127.0.0.1:8000/v1"), address_problem("http://me:secret@host/v1") == HOLDS_MORE
    ('', True)
    """
    # First, as a password with / or # in it makes the address none. An empty query is one to whoever adds a path.
    if any(sign in url for sign in "@?#"):
        return HOLDS_MORE
    return "" if is_address(url) else NO_ADDRESS


def is_address(url: str) -> bool:
    """Whether it can be the address of an API.

    >>> is_address("http://[::1]:8000/v1"), is_address("http://[::1/v1"), is_address("127.0.0.1:8000/v1")
    (True, False, False)
    """
    try:
        parts = urlsplit(url)
        # `urlsplit` drops line breaks and tabs, which whoever asks the address would send.
        named = parts.hostname and parts.port != 0 and url.isprintable() and " " not in url
    except ValueError:
        return False
    return bool(named) and parts.scheme in ("http", "https")


def address_of(base_url: str | None) -> str:
    """The address of an API, or that of OPENAI_BASE_URL, in one form; empty where none is named.

    >>> address_of("HTTP://127.0.0.1:8000/v1/")
    'http://127.0.0.1:8000/v1'
    """
    parts = urlsplit(given_address(base_url))
    return urlunsplit((parts.scheme, parts.netloc, api_root(parts.path), "", ""))


def withhold(headers: MutableMapping[str, str], url: str, key: str) -> None:
    """Take from a request's headers what the openai package adds for OpenAI, where the request goes to others.

    It adds the organisation and project of OPENAI_ORG_ID and OPENAI_PROJECT_ID and whatever OPENAI_CUSTOM_HEADERS
    says, another key included, and tells of the machine.
    """
    host = urlsplit(url).hostname or ""
    if host == OPENAI or host.endswith(f".{OPENAI}"):
        return
    for name in list(headers):
        if name.lower() not in _NEEDED:
            del headers[name]
    headers["Authorization"] = f"Bearer {key}"


def named(variable: str) -> str:
    """How a message names an environment variable that may have been given a key in place of its name.

    >>> named("OPENAI_API_KEY"), named("sk-0123")
    ('OPENAI_API_KEY', '(its name is not shown, in case it is a key)')
    """
    return variable if _PLAINLY_A_VARIABLE.fullmatch(variable) else "(its name is not shown, in case it is a key)"


def read_key(model: str, variable: str, remedy: str) -> str:
    """The API key in an environment variable, without white space at its ends: a file's last line break, for one.

    Args:
        model: whose key it is, for messages.
        remedy: follows what is said where the variable is not set.

    Raises:
        UserError: where it is not set or empty, or has what no key has; the message does not show it.
    """
    key, place = os.environ.get(variable, "").strip(), f"{model}: the variable {named(variable)}"
    if not key:
        raise UserError(f"{place} is not set; {remedy}")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise UserError(f"{place} has characters that no key can have; it has to hold the API key and nothing else")
    if len(key) > LONGEST_KEY:
        raise UserError(f"{place} has more than {LONGEST_KEY:,} characters, which no key has")
    return key
