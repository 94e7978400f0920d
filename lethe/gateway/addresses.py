"""Addresses of endpoints, as the configuration gives them."""

from urllib.parse import urlsplit

from forgeteval.errors import UserError


def check_address(model: str, base_url: str) -> None:
    """Raise UserError where the address of a model is none, or holds what belongs into `api_key_env`.

    One that nobody asks is checked too: the configuration is written to the results.
    """
    try:
        address = urlsplit(base_url)
        # `urlsplit` drops line breaks and tabs, which whoever asks the address would send.
        named = address.hostname and address.port != 0 and base_url.isprintable() and " " not in base_url
    except ValueError:
        named = False
    if not named or address.scheme not in ("http", "https"):
        raise UserError(f"config: models.{model}.base_url: must be http://HOST/v1 or https://HOST/v1")
    if address.username or address.password or address.query or address.fragment:
        raise UserError(
            f"config: models.{model}.base_url: contains credentials or a query; name a variable in api_key_env"
        )
