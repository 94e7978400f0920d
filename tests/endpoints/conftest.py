"""What these tests share with those of the gateway: a scripted endpoint, and gateways in front of it."""

from tests.gateway.conftest import cache, dead_url, endpoint, key_and_short_waits, server, start

__all__ = ["cache", "dead_url", "endpoint", "key_and_short_waits", "server", "start"]
