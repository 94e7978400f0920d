"""Whether a server of this machine answers."""

import http.client
from urllib.parse import urlsplit

from forgeteval.chat.connecting import is_loopback
from lethe.gateway.addresses import Address

_WITHIN_S = 30.0


def is_local(url: str) -> bool:
    """Whether a text is the address of a server on this machine, and nothing more; no other is to see its token.

    >>> is_local("http://127.0.0.1:8000"), is_local("http://127.0.0.1:99999"), is_local("http://192.0.2.1:80")
    (True, False, False)
    """
    try:
        parts = urlsplit(url)
        whole = url == f"http://{parts.netloc}" and "@" not in url
        return whole and is_loopback(url) and bool(parts.port)
    except ValueError:
        return False


def status_of(address: Address) -> int | str:
    """What a server answers to the question for its models: the status, or why there is none."""
    parts = urlsplit(address.base_url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=_WITHIN_S)
    try:
        connection.request("GET", f"{parts.path}/models", headers={"Authorization": f"Bearer {address.key}"})
        return connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        return str(error) or type(error).__name__
    finally:
        connection.close()
