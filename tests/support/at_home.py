"""A system whose files stand below HOME as it is when the module is imported, as many packages have it."""

import tempfile
from pathlib import Path

from tests.support.misbehaving import Obedient

PLACES = [str(Path.home()), tempfile.gettempdir()]


class AtHome(Obedient):
    """Recalls these places."""

    def recall_texts(self, query: str, k: int) -> list[str]:
        return PLACES
