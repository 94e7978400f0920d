"""What leaves for an endpoint: its own key and nothing of OpenAI's, and no proxy on the way to this machine."""

import ipaddress
import os
import re
from collections.abc import MutableMapping
from urllib.parse import urlsplit, urlunsplit

OPENAI = "openai.com"
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


def is_loopback(url: str) -> bool:
    """Whether an address is on this machine, where no proxy has to see a key.

    >>> is_loopback("http://127.0.0.1:8000/v1"), is_loopback("http://localhost/v1"), is_loopback("https://host/v1")
    (True, True, False)
    """
    host = (urlsplit(url).hostname or "").rstrip(".")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


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


def address_of(base_url: str | None) -> str:
    """The address of an API, or that of OPENAI_BASE_URL, without what is secret in it; empty where none is named.

    >>> address_of("http://me:secret@127.0.0.1:8000/v1/?key=secret")
    'http://127.0.0.1:8000/v1'
    """
    parts = urlsplit(base_url or os.environ.get("OPENAI_BASE_URL", ""))
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], api_root(parts.path), "", ""))


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
