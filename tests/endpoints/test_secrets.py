"""What leaves for an endpoint: its own key, past proxies, and nothing of OpenAI's."""

import socket
import threading

import pytest

from tests.endpoints.table import behaviour
from tests.gateway.conftest import KEY, StartGateway, ask, content, model
from tests.support.scripted_endpoint import ScriptedEndpoint

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


@behaviour("an endpoint on this machine, with proxy variables set")
def test_no_key_goes_through_a_proxy_to_this_machine(
    start: StartGateway, endpoint: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as proxy:

        def serve() -> None:
            while True:
                try:
                    connection, _ = proxy.accept()
                except OSError:
                    return
                with connection:
                    asked.append(connection.recv(1 << 16))

        threading.Thread(target=serve, daemon=True).start()
        hosts = ("127.0.0.1", "localhost", "0.0.0.0", "127.1", "2130706433")
        urls = [endpoint.url.replace("127.0.0.1", host) for host in hosts]
        # The gateway reads them when it starts; the client of this test is not to.
        with monkeypatch.context() as around:
            for name in PROXIES:
                around.setenv(name, f"http://127.0.0.1:{proxy.getsockname()[1]}")
            for name in ("NO_PROXY", "no_proxy"):
                around.delenv(name, raising=False)
            gateways = {url: start(model(url)) for url in urls}
        for url, gateway in gateways.items():
            assert content(ask(gateway, url)) == url
        proxy.shutdown(socket.SHUT_RDWR)
    assert asked == []


@behaviour("`OPENAI_ORG_ID`, `OPENAI_PROJECT_ID` or `OPENAI_CUSTOM_HEADERS` set, and an endpoint that is not OpenAI's")
def test_nothing_of_openai_s_goes_elsewhere(
    start: StartGateway, endpoint: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as around:
        around.setenv("OPENAI_ORG_ID", "org-of-mine")
        around.setenv("OPENAI_PROJECT_ID", "project-of-mine")
        around.setenv("OPENAI_CUSTOM_HEADERS", "X-Team: mine\nAuthorization: Bearer another-key-of-mine")
        gateway = start(model(endpoint.url))
    ask(gateway)
    (headers,) = endpoint.headers
    assert headers["authorization"] == f"Bearer {KEY}"
    assert not [name for name, value in headers.items() if "mine" in value or name.startswith(("openai", "x-"))]
