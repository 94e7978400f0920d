"""A headless Chromium, driven over WebDriver by the chromedriver that comes with it."""

import base64
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
MISSING = "" if CHROMIUM and DRIVER else "Chromium and its driver are not installed (chromium, chromium-driver)"
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"left": "\ue012", "up": "\ue013", "right": "\ue014", "down": "\ue015", "tab": "\ue004", "enter": "\ue007"}


class Browser:
    """One window. What it was shown has to hold within seconds, else `wait` fails."""

    def __init__(self, client: httpx.Client, profile: Path) -> None:
        flags = [*_FLAGS, f"--user-data-dir={profile}"]
        # Else it opens the start page of its distribution, which is on the network.
        start = {"session.restore_on_startup": 4, "session.startup_urls": ["about:blank"]}
        options = {"binary": CHROMIUM, "args": flags, "prefs": start, "perfLoggingPrefs": {"enableNetwork": True}}
        logs = {"browser": "ALL", "performance": "ALL"}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": logs}
        answer = client.post("/session", json={"capabilities": {"alwaysMatch": wanted}}).json()["value"]
        self._client, self._path = client, f"/session/{answer['sessionId']}"
        self._post("timeouts", {"script": 30_000})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.delete(self._path)

    def open(self, address: str) -> None:
        """Load a page anew, whatever part of it the address names."""
        self._post("url", {"url": "about:blank"})
        self._post("url", {"url": address})

    def run(self, script: str, *arguments: Any) -> Any:
        """What the body of a function in JavaScript returns."""
        return self._post("execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, condition: str) -> Any:
        """The first true value of an expression in JavaScript, looked at whenever a frame is drawn."""
        script = f"""const done = arguments[0]; const end = Date.now() + 20000;
            const look = () => {{ const value = {condition};
                if (value || Date.now() > end) done(value); else setTimeout(look, 20); }}; look();"""
        found = self._post("execute/async", {"script": script, "args": []})
        assert found, f"never true: {condition}"
        return found

    def texts(self, selector: str) -> list[str]:
        """The text of every element that is shown."""
        script = (
            "return [...document.querySelectorAll(arguments[0])].filter((e) => e.checkVisibility())"
            ".map((e) => e.textContent.trim())"
        )
        found: list[str] = self.run(script, selector)
        return found

    def click(self, selector: str) -> None:
        self.run("document.querySelector(arguments[0]).click()", selector)

    def select(self, label: str, value: str) -> None:
        """Choose an entry of the select with this label."""
        script = """const select = [...document.querySelectorAll("label")].find((each) => each.checkVisibility()
                && each.firstChild.textContent.trim() === arguments[0]).querySelector("select");
            select.value = arguments[1]; select.dispatchEvent(new Event("change", { bubbles: true }));"""
        self.run(script, label, value)

    def press(self, key: str) -> None:
        """Press a key where the focus is."""
        focused = self._get("element/active")[_ELEMENT]
        self._post(f"element/{focused}/value", {"text": KEYS[key]})

    def size(self, width: int, height: int) -> None:
        """The size of the page in pixels, which may be narrower than any window."""
        sized = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._command("Emulation.setDeviceMetricsOverride", sized)

    def media(self, **features: str) -> None:
        """Emulate media features, such as prefers_color_scheme="dark"; `media_type` is the medium."""
        medium = features.pop("media_type", "")
        wanted = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self._command("Emulation.setEmulatedMedia", {"media": medium, "features": wanted})

    def picture(self, whole: bool = False) -> bytes:
        """PNG of what is shown, or of the whole page."""
        shot = self._command("Page.captureScreenshot", {"captureBeyondViewport": whole})
        return base64.b64decode(shot["data"])

    def problems(self) -> list[str]:
        """Errors and warnings of the page's console."""
        return [entry["message"] for entry in self._log("browser")]

    def requests(self) -> list[str]:
        """Addresses that were asked for, other than of files and data."""
        sent = re.findall(
            r'"url":"((?!file:|data:|blob:|about:)[^"]+)"', "\n".join(e["message"] for e in self._log("performance"))
        )
        return [address for address in sent if not address.startswith("chrome")]

    def _log(self, kind: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._post("se/log", {"type": kind})
        return found

    def _command(self, name: str, arguments: dict[str, Any]) -> Any:
        return self._post("goog/cdp/execute", {"cmd": name, "params": arguments})

    def _get(self, path: str) -> Any:
        return self._value(self._client.get(f"{self._path}/{path}"))

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        return self._value(self._client.post(f"{self._path}/{path}", json=body))

    @staticmethod
    def _value(answer: httpx.Response) -> Any:
        value = answer.json()["value"]
        assert answer.is_success, value
        return value


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """A browser with a new profile below `folder`, which ends with its driver."""
    process = subprocess.Popen([str(DRIVER), "--port=0"], stdout=subprocess.PIPE, text=True, cwd=folder)
    try:
        assert process.stdout is not None
        ports = (re.search(r"started successfully on port (\d+)", line) for line in process.stdout)
        port = next(found[1] for found in ports if found)
        client = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False)
        with client, Browser(client, folder / "profile") as window:
            yield window
    finally:
        process.terminate()
        process.wait()
