"""The report in a browser: what a visitor sees, chooses, links to and prints."""

from collections.abc import Iterator

import pytest

from tests.support.browser import MISSING, Browser, browser
from tests.support.report import write_page

IN_A_BROWSER = [pytest.mark.slow, pytest.mark.skipif(bool(MISSING), reason=MISSING)]


@pytest.fixture(scope="package")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_page(tmp_path_factory.mktemp("page")).as_uri()


@pytest.fixture(scope="package")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


def open_view(window: Browser, page: str, address: str = "") -> None:
    """Open a page at an address, once its view has been filled."""
    window.open(page + address)
    window.wait("document.querySelector('section.shown .view')?.children.length")
